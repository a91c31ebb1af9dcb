//! kill -9 at random moments of activate and apply, 50 each per database: acknowledged writes are
//! there, and every plan is at a complete revision.
//!
//! The test runs itself as a child process, kills it and checks the database. The child prints when
//! it starts an action. The duration of the previous action determines when to kill, so that the
//! kill happens within the action on a machine of any speed.

use crate::plans::{apply, three_changes};
use crate::sql_shell::Raw;
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::note::Author;
use fitness_core::plan::{HumanActionKind, PlanStatus, ProposalStatus};
use fitness_store::plan::human_actions;
use fitness_store::testkit::{self, Backend, TestDb, consent, draft, easy_run, june, now};
use fitness_store::{Store, plan_state_hash};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Set for the child process: its database.
const CHILD_DB_ENV: &str = "FITNESS_TEST_VICTIM";
/// The action it is killed in.
const CHILD_KIND_ENV: &str = "FITNESS_TEST_VICTIM_OF";
/// Kills per action.
const KILLS: u32 = 50;
/// At least this many must have interrupted an action before it was acknowledged, or the test
/// proves nothing.
const CUT: usize = 10;

/// Drafts, activates, changes and archives in a loop, and prints what it has done.
async fn work_until_killed(store: Store) {
    let user = store.list_users().await.unwrap()[0].id;
    let most = if std::env::var(CHILD_KIND_ENV).as_deref() == Ok("activated") { 2 } else { 4 };
    loop {
        let active = store.find_active_plan(user).await.unwrap();
        let plan = match active {
            Some(plan) if plan.revision < most => plan.id,
            Some(plan) => {
                let consent =
                    consent(&store, user, HumanActionKind::Archive, Some(plan.id), plan_state_hash(&plan))
                        .await
                        .unwrap();
                human_actions::archive(consent, plan.id).await.unwrap();
                continue;
            }
            None => {
                let plan = store
                    .plan_writer(user, Author::Coach)
                    .put_draft(&draft("Plan"), None, now())
                    .await
                    .unwrap();
                let seen = testkit::activation_request(plan, None).hash(draft("Plan").content_hash());
                let consent =
                    consent(&store, user, HumanActionKind::Activate, Some(plan), seen).await.unwrap();
                println!("\nbegin activated");
                testkit::activate(&store, consent, plan, None).await.unwrap();
                println!("\nactivated {plan}");
                plan
            }
        };
        let revision = store.find_plan(user, plan).await.unwrap().unwrap().revision;
        let changes = if revision == 1 {
            three_changes(&store, user, plan, 1).await
        } else {
            (12..14)
                .map(|day| fitness_core::plan::Change::Add { workout: easy_run(june(day), 4.0) })
                .collect()
        };
        let proposal = store
            .plan_writer(user, Author::Coach)
            .propose(plan, revision, "", &changes, june(8), now())
            .await
            .unwrap();
        let chosen: Vec<usize> = (0..changes.len()).collect();
        println!("\nbegin applied");
        let number = apply(&store, user, proposal, &chosen).await.unwrap();
        println!("\napplied {plan} {number}");
    }
}

/// Output of a child before it was killed.
struct WorkerOutput {
    acknowledged: Vec<String>,
    /// Whether it was killed before the action was acknowledged.
    was_interrupted: bool,
}

/// Starts the child, kills it within its second action of a kind, and returns what it acknowledged.
fn kill_one(db: &TestDb, name: &str, kind: &str, round: u32) -> WorkerOutput {
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD_DB_ENV, db.url())
        .env(CHILD_KIND_ENV, kind)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(worker.stdout.take().unwrap()).lines().map_while(Result::ok);
    let is_done = |line: &String| line.starts_with("activated ") || line.starts_with("applied ");
    let (mut done, mut begun, mut took) = (Vec::new(), None, None);
    for line in lines.by_ref() {
        match took {
            Some(took) if line == format!("begin {kind}") => {
                // From the first moment to a little after the last; different in each round.
                let part = f64::from((round * 37) % KILLS) / f64::from(KILLS) * 1.1;
                std::thread::sleep(Duration::mul_f64(took, part));
                break;
            }
            None if line == format!("begin {kind}") => begun = Some(Instant::now()),
            None if line.starts_with(kind) => took = begun.map(|begun| begun.elapsed()),
            _ => {}
        }
        done.extend(Some(line).filter(is_done));
    }
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert!(!done.is_empty(), "the worker worked");
    let late: Vec<String> = lines.filter(is_done).collect();
    let cut = !late.iter().any(|line| line.starts_with(kind));
    done.extend(late);
    WorkerOutput { acknowledged: done, was_interrupted: cut }
}

/// `settled` are plans that were already checked and cannot change any more.
async fn check_what_is_left(store: &Store, user: UserId, said: &[String], settled: &mut BTreeSet<PlanId>) {
    let plans = store.list_plans(user).await.unwrap();
    assert!(plans.iter().filter(|plan| plan.status == PlanStatus::Active).count() <= 1);
    for plan in plans.iter().filter(|plan| !settled.contains(&plan.id)) {
        let revisions = store.list_revisions(user, plan.id).await.unwrap();
        assert_eq!(revisions.len() as i64, plan.revision, "every revision is taken up");
        let proposals = store.list_proposals(user, plan.id).await.unwrap();
        let applied = proposals.iter().filter(|one| one.status == ProposalStatus::Applied).count();
        assert_eq!(applied as i64, plan.revision - 1, "an applied proposal has its revision");
        // A skipped workout becomes a rest day.
        let expected = [4, 5, 7, 9];
        for revision in &revisions {
            let workouts = store.list_workouts(user, plan.id, revision.number).await.unwrap();
            assert_eq!(
                workouts.len(),
                expected[revision.number as usize - 1],
                "revision {} is whole",
                revision.number
            );
        }
    }
    settled.extend(plans.iter().filter(|plan| plan.status == PlanStatus::Archived).map(|plan| plan.id));
    for line in said {
        let numbers: Vec<i64> = line.split_whitespace().skip(1).map(|n| n.parse().unwrap()).collect();
        let plan = plans
            .iter()
            .find(|plan| plan.id == PlanId::new(numbers[0]))
            .unwrap_or_else(|| panic!("{line}, and it is gone"));
        assert_ne!(plan.status, PlanStatus::Draft, "{line}, and it is a draft");
        assert!(
            plan.revision >= numbers.get(1).copied().unwrap_or(1),
            "{line}, and it is at {}",
            plan.revision
        );
    }
    // Each revision and activation has its human action.
    let actions = store.list_human_actions(user, 100_000).await.unwrap();
    let acted = |kind: HumanActionKind| actions.iter().filter(|action| action.kind == kind).count();
    let revised: i64 = plans.iter().map(|plan| plan.revision - 1).sum();
    let begun = plans.iter().filter(|plan| plan.status != PlanStatus::Draft).count();
    assert_eq!((acted(HumanActionKind::Apply) as i64, acted(HumanActionKind::Activate)), (revised, begun));
}

async fn check_killed_processes(db: TestDb) {
    let ann = db.user("Ann").await;
    let backend = if db.is_sqlite() { "sqlite" } else { "postgres" };
    let name = format!("kill_signal::{backend}::{TEST}");
    let mut settled = BTreeSet::new();
    for kind in ["activated", "applied"] {
        let mut cut = 0;
        for round in 0..KILLS {
            let said = kill_one(&db, &name, kind, round);
            cut += usize::from(said.was_interrupted);
            // Use a new store, as the next start would.
            let store = db.another_store().await;
            check_what_is_left(&store, ann, &said.acknowledged, &mut settled).await;
            // Verify the whole audit log now and then, and at the end.
            if round % 10 == 9 {
                assert_eq!(store.first_broken_audit_entry(ann).await.unwrap(), None);
            }
            store.close().await;
        }
        eprintln!("{cut} of {KILLS} kills cut what would have been {kind}");
        assert!(cut >= CUT, "only {cut} of {KILLS} kills fell into what would have been {kind}");
    }
    if db.is_sqlite() {
        let mut raw = Raw::connect(&db).await;
        assert_eq!(raw.texts("PRAGMA integrity_check").await, ["ok"]);
    }
}

/// Runs as the child that is killed, or as the parent that kills and checks.
fn run_on(backend: Backend) {
    match std::env::var(CHILD_DB_ENV) {
        Ok(url) => tokio::runtime::Runtime::new()
            .unwrap()
            .block_on(async { work_until_killed(testkit::open(&url).await).await }),
        Err(_) => testkit::run(TEST, backend, check_killed_processes),
    }
}

const TEST: &str = "a_killed_process_leaves_whole_revisions_and_all_it_acknowledged";

mod sqlite {
    #[test]
    fn a_killed_process_leaves_whole_revisions_and_all_it_acknowledged() {
        super::run_on(super::Backend::Sqlite);
    }
}

mod postgres {
    #[test]
    fn a_killed_process_leaves_whole_revisions_and_all_it_acknowledged() {
        super::run_on(super::Backend::Postgres);
    }
}
