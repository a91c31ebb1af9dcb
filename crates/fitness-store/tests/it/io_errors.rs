//! A disk that fails at the Nth file operation, for every N, during an activation, an import and a
//! backup: after a restart, exactly the acknowledged writes are there.
//!
//! The test runs itself as a child process with a preloaded library that makes file operations
//! fail. The child prints what was acknowledged and what was rejected; the parent then opens the
//! database and compares.

use fitness_core::domain::activity::Activity;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_core::domain::content_hash::ContentHash;
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::source_record::{ParsedActivity, RecordKey, SourceKind, SourceRecord};
use fitness_core::domain::sport::Sport;
use fitness_core::plan::{HumanActionKind, PlanStatus};
use fitness_store::plan::human_actions;
use fitness_store::testkit::{
    self, Backend, IoFault, IoFaultLibrary, IoFaults, TestDb, consent, draft, june, now,
};
use fitness_store::{
    FinishedFiles, ImportBatch, PackedRecord, Store, SyncRunKind, SyncRunOutcome, SyncRunState,
    on_both_databases, plan_state_hash,
};
use sea_orm::{ConnectionTrait as _, TransactionTrait as _};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Parser version of the finished files.
const READER: &str = "test";
/// Set for the child process: its database.
const CHILD_ENV: &str = "FITNESS_TEST_IO_ERRORS";
const EIO: i32 = 5;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;
const EDQUOT: i32 = 122;
/// Error and number of failing operations: one, two, or all until the disk is repaired. EIO also
/// fails reads.
const FAULTS: [(i32, Option<u64>); 7] = [
    (EIO, Some(1)),
    (EIO, Some(2)),
    (EIO, None),
    (ENOSPC, Some(2)),
    (ENOSPC, None),
    (EROFS, None),
    (EDQUOT, None),
];
/// Fewer faults, because a backup takes many operations; two failures in a row behave like one.
const BACKUP_FAULTS: [(i32, Option<u64>); 3] = [(EIO, Some(1)), (EIO, None), (ENOSPC, None)];
/// Upper bound for the operations of one attempt.
const MAX_OPERATIONS: u64 = 400;

/// Runs every fault at every operation. `attempt` returns whether its write was acknowledged, and
/// is repeated while the fault lasts. `after` is a write that must work afterwards.
async fn fail_everywhere<A: AsyncFnMut() -> bool, B: AsyncFnMut()>(
    every: &[(i32, Option<u64>)],
    mut attempt: A,
    mut after: B,
) -> u64 {
    let mut faults = IoFaults::from_env().expect("the child has the library");
    let mut refused = 0;
    for &(errno, count) in every {
        for at in 1..=MAX_OPERATIONS {
            faults.arm(IoFault { at, count, errno });
            for _ in 0..3 {
                refused += u64::from(!attempt().await);
            }
            let failed = faults.disarm();
            after().await;
            if failed == 0 {
                assert!(at > 1, "no file operation was seen");
                break;
            }
            assert!(at < MAX_OPERATIONS, "there is no end to it");
        }
    }
    refused
}

/// Activates a draft and prints it; the draft is stored before anything fails.
async fn decide(store: &Store, user: UserId) {
    let mut waiting: Vec<PlanId> = Vec::new();
    let prepare = async || {
        if let Some(plan) = store.find_active_plan(user).await.unwrap() {
            let yes = consent(store, user, HumanActionKind::Archive, Some(plan.id), plan_state_hash(&plan))
                .await
                .unwrap();
            human_actions::archive(yes, plan.id).await.unwrap();
        }
        store.plan_writer(user, Author::Coach).put_draft(&draft("Plan"), None, now()).await.unwrap()
    };
    waiting.push(prepare().await);
    let waiting = std::cell::RefCell::new(waiting);
    let refused = fail_everywhere(
        &FAULTS,
        async || {
            let plan = *waiting.borrow().last().expect("there is a draft");
            let seen = testkit::activation_request(plan, None).hash(draft("Plan").content_hash());
            let done = async {
                let consent = consent(store, user, HumanActionKind::Activate, Some(plan), seen).await?;
                testkit::activate(store, consent, plan, None).await
            };
            match done.await {
                Ok(human_actions::Activation::Activated) => {
                    println!("\nactivated {plan}");
                    true
                }
                Ok(_) => true,
                Err(_) => false,
            }
        },
        async || {
            let plan = prepare().await;
            println!("\ndrafted {plan}");
            waiting.borrow_mut().push(plan);
        },
    )
    .await;
    println!("\nrefused {refused}");
}

fn report(number: u32) -> PackedRecord {
    let started_at: Instant = now() + chrono::TimeDelta::hours(i64::from(number) * 3);
    let key = RecordKey { kind: SourceKind::Garmin, id: number.to_string() };
    let recorded = ParsedActivity::without_samples(Activity::new(Sport::Running, started_at, 0));
    PackedRecord::pack(SourceRecord { key, parsed: recorded, raw: None }, None, None).unwrap()
}

fn file_hash(number: u32) -> ContentHash {
    ContentHash::hash_bytes(&number.to_be_bytes())
}

/// Imports files with two activities each: start a run, store the batch, finish the run.
async fn import(store: &Store, user: UserId) {
    let number = std::cell::Cell::new(0);
    let import_one = async || {
        let (first, second) = (number.get() + 1, number.get() + 2);
        number.set(second);
        let done = async {
            let run = store.begin_sync_run(user, SyncRunKind::File, None, now()).await?;
            let batch =
                ImportBatch { records: vec![report(first), report(second)], ..ImportBatch::default() };
            store.import_batch(user, batch, now()).await?;
            println!("\ntaken {first}\ntaken {second}");
            let files = FinishedFiles { reader: READER.to_owned(), hashes: vec![file_hash(first)] };
            let outcome = SyncRunOutcome {
                kind: Some(SyncRunKind::File),
                state: SyncRunState::Done,
                evidence: Vec::new(),
                summary: serde_json::json!({}),
                problem: None,
                files,
            };
            store.finish_sync_run(user, run, outcome, now()).await?;
            println!("\nfinished {first} {run}");
            Ok::<_, fitness_store::Error>(())
        };
        done.await.is_ok()
    };
    let refused = fail_everywhere(&FAULTS, import_one, async || assert!(import_one().await)).await;
    println!("\nrefused {refused}");
}

/// Backs up, and adds a note each time the disk works again.
async fn back_up(store: &Store, user: UserId, folder: &Path) {
    let number = std::cell::Cell::new(0);
    let refused = fail_everywhere(
        &BACKUP_FAULTS,
        async || {
            number.set(number.get() + 1);
            let path = folder.join(format!("{}.backup", number.get()));
            let done = store.back_up(&path, Some(now())).await.is_ok();
            if done {
                println!("\nbacked up {}", number.get());
            }
            done
        },
        async || {
            let text = NoteText::new(&format!("note {}", number.get())).unwrap();
            store.add_note(user, Author::Athlete, None, &text, now()).await.unwrap();
            println!("\nnoted {}", text.as_str());
        },
    )
    .await;
    println!("\nrefused {refused}");
}

async fn work(url: &str, test: &str) {
    let store = testkit::open(url).await;
    let user = store.list_users().await.unwrap()[0].id;
    match test {
        DECISION => decide(&store, user).await,
        IMPORT => import(&store, user).await,
        _ => back_up(&store, user, Path::new(url).parent().unwrap()).await,
    }
    store.close().await;
}

/// What the child printed after a word.
fn parse_printed(output: &str, word: &str) -> BTreeSet<String> {
    let lines = output.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
    lines.map(str::to_owned).collect()
}

/// Runs the child; `None` if faults cannot be injected.
fn run_child(db: &TestDb, test: &str) -> Option<String> {
    let Some(library) = IoFaultLibrary::build() else {
        testkit::skip(test, "no C compiler, or no LD_PRELOAD");
        return None;
    };
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", &format!("io_errors::{test}"), "--nocapture"]).env(CHILD_ENV, db.url());
    library.preload(&mut child, Path::new(db.url()).parent().unwrap());
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let refused: u64 =
        parse_printed(&text, "refused").iter().map(|count| count.parse::<u64>().unwrap()).sum();
    assert!(refused > 50, "only {refused} attempts were refused: nothing was tested");
    Some(text)
}

/// Runs as the child, whose disk fails, or as the parent, which checks the database.
fn run(test: &'static str, check: impl AsyncFnOnce(&Store, UserId, &str)) {
    if let Ok(url) = std::env::var(CHILD_ENV) {
        return tokio::runtime::Runtime::new().unwrap().block_on(work(&url, test));
    }
    testkit::run(test, Backend::Sqlite, async |db: TestDb| {
        let ann = db.user("Ann").await;
        let Some(output) = run_child(&db, test) else { return };
        let store = db.another_store().await;
        check(&store, ann, &output).await;
        assert_eq!(store.find_damage().await.unwrap(), None);
        assert_eq!(store.first_broken_audit_entry(ann).await.unwrap(), None);
        store.close().await;
    });
}

const DECISION: &str = "sqlite_decision_with_io_error_at_every_operation_keeps_exactly_what_was_acknowledged";
const IMPORT: &str = "sqlite_import_with_io_error_at_every_operation_keeps_exactly_what_was_acknowledged";
const BACKUP: &str =
    "sqlite_backup_with_io_error_at_every_operation_leaves_whole_files_and_a_working_database";

#[test]
fn sqlite_decision_with_io_error_at_every_operation_keeps_exactly_what_was_acknowledged() {
    run(DECISION, async |store, user, output| {
        let plans = store.list_plans(user).await.unwrap();
        let activated: BTreeSet<String> = plans
            .iter()
            .filter(|plan| plan.status != PlanStatus::Draft)
            .map(|plan| plan.id.to_string())
            .collect();
        assert_eq!(activated, parse_printed(output, "activated"));
        let actions = store.list_human_actions(user, 100_000).await.unwrap();
        let acted = actions.iter().filter(|action| action.kind == HumanActionKind::Activate).count();
        assert_eq!(acted, activated.len());
        let kept: BTreeSet<String> = plans.iter().map(|plan| plan.id.to_string()).collect();
        assert!(kept.is_superset(&parse_printed(output, "drafted")));
    });
}

#[test]
fn sqlite_import_with_io_error_at_every_operation_keeps_exactly_what_was_acknowledged() {
    run(IMPORT, async |store, user, output| {
        let (from, through) = (june(1), Day::new(2046, 1, 1).unwrap());
        let activities = store.list_activities(user, from, through).await.unwrap();
        let number = |started_at: Instant| ((started_at - now()).num_hours() / 3).to_string();
        let stored: BTreeSet<String> =
            activities.iter().map(|stored| number(stored.activity.started_at)).collect();
        assert_eq!(stored, parse_printed(output, "taken"));
        let finished: BTreeMap<u32, String> = parse_printed(output, "finished")
            .iter()
            .map(|line| line.split_once(' ').expect("a file and its run"))
            .map(|(file, run)| (file.parse().unwrap(), run.to_owned()))
            .collect();
        for file in (1..=finished.keys().max().copied().unwrap() + 2).step_by(2) {
            let known = store.is_import_finished(user, file_hash(file), READER).await.unwrap();
            assert_eq!(known, finished.contains_key(&file), "file {file}");
        }
        let runs = store.list_sync_runs(user, 1_000_000).await.unwrap();
        let done: BTreeSet<String> =
            runs.iter().filter(|run| run.state == SyncRunState::Done).map(|run| run.id.to_string()).collect();
        assert_eq!(done, finished.into_values().collect());
    });
}

#[test]
fn sqlite_backup_with_io_error_at_every_operation_leaves_whole_files_and_a_working_database() {
    run(BACKUP, async |store, user, output| {
        let notes: BTreeSet<String> =
            store.list_notes(user).await.unwrap().iter().map(|note| note.text.as_str().to_owned()).collect();
        assert_eq!(notes, parse_printed(output, "noted"));
        let folder = match store.location() {
            fitness_store::Location::Sqlite { path, .. } => path.parent().unwrap().to_owned(),
            fitness_store::Location::Postgres(_) => unreachable!("this is SQLite"),
        };
        for number in parse_printed(output, "backed up") {
            let path = folder.join(format!("{number}.backup"));
            fitness_store::backup::inspect(&path).await.unwrap();
        }
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        let backups = files.filter(|name| name.to_string_lossy().ends_with(".backup")).count();
        assert_eq!(backups, parse_printed(output, "backed up").len(), "a failed backup leaves no file");
    });
}

on_both_databases! {
    async fn failed_commits_do_not_swallow_later_writes(db) {
        let defer = if db.is_sqlite() { "PRAGMA defer_foreign_keys = ON" } else { "SET CONSTRAINTS ALL DEFERRED" };
        for _ in 0..3 {
            let tx = db.store.raw().begin().await.unwrap();
            tx.execute_unprepared(defer).await.unwrap();
            let orphan = "INSERT INTO settings (user_id, key, value) VALUES (4711, 'orphan', '1')";
            tx.execute_unprepared(orphan).await.unwrap();
            tx.commit().await.unwrap_err();
        }
        let ann = db.user("Ann").await;
        let other = db.another_store().await;
        assert_eq!(other.user(ann).await.unwrap().name, "Ann", "another connection sees what was committed");
        other.close().await;
    }
}
