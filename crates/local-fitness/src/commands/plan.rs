//! `fitness plan`

use super::settled;
use crate::args::PlanCommand;
use crate::clock;
use crate::context::Context;
use crate::failure::Failure;
use crate::report::Report;
use crate::table::table;
use crate::terminal;
use anyhow::Result;
use fitness_core::calendar::Day;
use fitness_core::grading::{Amount, Graded, Verdict};
use fitness_core::ids::PlanId;
use fitness_core::metrics::trajectory::{Line, Trajectory};
use fitness_core::metrics::{Found, Quality};
use fitness_core::note::Author;
use fitness_core::plan::{ActionKind, DraftRequest, Plan, PlanStatus, PlannedWorkout};
use fitness_core::text::visible;
use fitness_core::units::{TimeSpan, UnitSystem};
use fitness_store::decisions::{self, Activation};
use fitness_store::{Error, Standing, Store, User, seen_hash};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

/// The largest schedule file that is read; two years of daily workouts are a tenth of it.
const MAX_FILE: u64 = 2 * 1024 * 1024;

pub(super) async fn run(context: &Context, command: PlanCommand) -> Result<Report> {
    match command {
        PlanCommand::List => list(context).await,
        PlanCommand::Show { plan } => show(context, plan).await,
        PlanCommand::Draft { file, supersedes } => draft(context, &file, supersedes).await,
        PlanCommand::Activate { plan, replaces } => activate(context, plan, replaces).await,
        PlanCommand::Archive { plan } => archive(context, plan).await,
        PlanCommand::Delete { plan } => delete(context, plan).await,
    }
}

async fn list(context: &Context) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let plans = store.list_plans(user.id).await?;
    store.close().await;
    if plans.is_empty() {
        let words = "No plans yet. Write a draft from a file with `fitness plan draft FILE`.";
        return Ok(Report::new(words, &plans));
    }
    let row = |plan: &Plan| {
        let status = match plan.superseded_by {
            Some(newer) => format!("{} (see {newer})", plan.status),
            None => plan.status.to_string(),
        };
        [
            plan.id.to_string(),
            status,
            plan.start_date.to_string(),
            plan.race_date.to_string(),
            visible(&plan.name).to_string(),
        ]
    };
    let rows: Vec<_> = plans.iter().map(row).collect();
    Ok(Report::new(table(["plan", "status", "starts", "race", "name"], &rows), &plans))
}

async fn show(context: &Context, plan: Option<PlanId>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let id = match plan {
        Some(id) => id,
        None => match store.find_active_plan(user.id).await? {
            Some(plan) => plan.id,
            None => {
                let help =
                    "`fitness plan list` shows your drafts; `fitness plan show PLAN` shows one of them";
                return Err(Failure::new("you have no active plan", help).into());
            }
        },
    };
    find(&store, &user, id).await?;
    settled(&store, user.id).await?;
    let standing = store.standing(user.id, id).await?;
    let outlook = store.outlook(user.id, id).await?;
    let profile = store.profile(user.id).await?;
    store.close().await;
    let today = Day::at(clock::now(), profile.zone);
    let mut words = tell(&standing, profile.units, today);
    if standing.plan.status == PlanStatus::Active {
        words.push_str(&where_it_leads(&outlook));
    }
    let mut data = serde_json::to_value(&standing)?;
    data["outlook"] = match outlook {
        Ok(lines) => serde_json::to_value(lines)?,
        Err(why) => json!({ "missing": why.to_string() }),
    };
    Ok(Report::new(words, &data))
}

/// Fitness by race day on three courses, each with how far it can be leaned on.
fn where_it_leads(outlook: &Found<Trajectory>) -> String {
    let told = match outlook {
        Ok(told) => told,
        Err(why) => return format!("\nWhere it leads cannot be said: {why}.\n"),
    };
    let line = |found: &Found<Line>| match found {
        Ok(line) => {
            let (fitness, form) = (line.race_morning.fitness, line.race_morning.form.value);
            let rated = if line.quality == Quality::Ok {
                String::new()
            } else {
                format!(" ({})", line.quality.spoken())
            };
            format!("fitness {fitness:.0}, form {form:+.0}{rated}")
        }
        Err(why) => format!("cannot be said: {why}"),
    };
    format!(
        "\nOn race morning, {}:\n  as written         {}\n  at your rate       {}\n  without training   {}\n",
        told.race_day,
        line(&told.as_written),
        line(&told.at_this_rate),
        line(&Ok(told.no_training.clone())),
    )
}

async fn draft(context: &Context, file: &Path, supersedes: Option<PlanId>) -> Result<Report> {
    let text = read(file)?;
    let bad = |problem: String| {
        Failure::new(
            format!("{} is not a plan: {problem}", file.display()),
            "`fitness plan draft --help` shows what the file holds",
        )
    };
    let request: DraftRequest = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let draft = request.into_draft().map_err(|error| bad(error.to_string()))?;
    let (store, user) = context.open_for_user().await?;
    let id = store.desk(user.id, Author::Athlete).put_draft(&draft, supersedes, clock::now()).await?;
    store.close().await;
    let words = format!(
        "Draft {id}: {}. Nothing is tracked until you activate it with `fitness plan activate {id}`.",
        visible(draft.name())
    );
    Ok(Report::new(words, &json!({ "plan_id": id, "status": PlanStatus::Draft })))
}

async fn activate(context: &Context, id: PlanId, replaces: Option<PlanId>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let plan = find(&store, &user, id).await?;
    if plan.status != PlanStatus::Draft {
        return Err(no_draft(id));
    }
    let active = store.find_active_plan(user.id).await?;
    decisions::check_replaces(active.as_ref().map(|plan| plan.id), replaces)?;
    let profile = store.profile(user.id).await?;
    let (units, today) = (profile.units, Day::at(clock::now(), profile.zone));
    let mut shown = tell(&store.standing(user.id, id).await?, units, today);
    shown.push('\n');
    if let Some(old) = active {
        writeln!(shown, "Activating it archives plan {}, {}.", old.id, visible(&old.name))?;
    }
    let seen = decisions::activation_hash(id, plan.content_hash, replaces);
    let consent = terminal::confirm(&store, &user, ActionKind::Activate, &plan, seen, &shown).await?;
    if decisions::activate(consent, id, replaces).await? == Activation::NoDraft {
        return Err(no_draft(id));
    }
    let standing = store.standing(user.id, id).await?;
    store.close().await;
    let text = format!("Activated.\n\n{}", tell(&standing, units, today));
    Ok(Report::new(text, &json!({ "answer": Activation::Activated, "standing": standing })))
}

async fn archive(context: &Context, id: PlanId) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let plan = find(&store, &user, id).await?;
    if plan.status != PlanStatus::Active {
        return Err(Error::WrongStatus(plan.status).into());
    }
    let shown = format!(
        "Plan {id}, {}, will no longer be tracked. You keep it, with its verdicts.",
        visible(&plan.name)
    );
    let consent =
        terminal::confirm(&store, &user, ActionKind::Archive, &plan, seen_hash(&plan), &shown).await?;
    decisions::archive(consent, id).await?;
    store.close().await;
    Ok(Report::new(format!("Archived plan {id}."), &json!({ "plan_id": id, "status": PlanStatus::Archived })))
}

async fn delete(context: &Context, id: PlanId) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let plan = find(&store, &user, id).await?;
    if plan.status == PlanStatus::Active {
        return Err(Error::WrongStatus(plan.status).into());
    }
    let shown = format!(
        "Plan {id}, {}, will be gone for good, with its workouts and revisions.",
        visible(&plan.name)
    );
    let consent =
        terminal::confirm(&store, &user, ActionKind::Delete, &plan, seen_hash(&plan), &shown).await?;
    decisions::delete(consent, id).await?;
    store.close().await;
    Ok(Report::new(format!("Deleted plan {id}."), &json!({ "plan_id": id, "deleted": true })))
}

async fn find(store: &Store, user: &User, id: PlanId) -> Result<Plan> {
    store.find_plan(user.id, id).await?.ok_or_else(|| {
        Failure::new(format!("there is no plan {id}"), "`fitness plan list` shows your plans").into()
    })
}

fn no_draft(id: PlanId) -> anyhow::Error {
    Failure::new(format!("plan {id} is not a draft"), "`fitness plan list` shows which plans are drafts")
        .into()
}

fn read(file: &Path) -> Result<String> {
    let cannot = |error: std::io::Error| {
        Failure::new(
            format!("cannot read {}: {error}", file.display()),
            "give the path of a JSON file, or - for standard input",
        )
    };
    let mut text = String::new();
    let source: Box<dyn std::io::Read> = if file == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).map_err(cannot)?)
    };
    source.take(MAX_FILE + 1).read_to_string(&mut text).map_err(cannot)?;
    if text.len() as u64 > MAX_FILE {
        let help = "a plan of two years fits in a tenth of that";
        return Err(Failure::new(format!("{} is larger than 2 MiB", file.display()), help).into());
    }
    Ok(text)
}

/// What a plan is, in two lines.
fn describe(plan: &Plan, workouts: &[PlannedWorkout], units: UnitSystem) -> String {
    let target = plan.target_time.map(|time| format!(" in {}", time.clock())).unwrap_or_default();
    let distance = plan.distance.map(|d| format!(" ({})", units.distance(d))).unwrap_or_default();
    let total = workouts.iter().filter_map(|w| w.workout.distance).sum();
    let training = workouts.iter().filter(|w| !w.workout.is_rest()).count();
    format!(
        "Plan {}, {} ({})\n{}{distance} on {}{target}; {training} workouts from {}, {} in all\n",
        plan.id,
        visible(&plan.name),
        plan.status,
        plan.goal.spoken(),
        plan.race_date,
        plan.start_date,
        units.distance(total),
    )
}

/// A plan with its verdicts, week by week.
fn tell(standing: &Standing, units: UnitSystem, today: Day) -> String {
    let Standing { plan, workouts, graded, tally, frontier } = standing;
    let mut text = describe(plan, workouts, units);
    if plan.status != PlanStatus::Draft {
        let data = match (frontier.complete(), frontier.open()) {
            (None, _) => "no data yet, so nothing is judged".to_owned(),
            (Some(day), None) => format!("data through {day}"),
            (Some(day), Some(open)) => format!("data through {day}, some of {open}"),
        };
        let excused = if tally.excused > 0 { format!(", {} excused", tally.excused) } else { String::new() };
        let _ = writeln!(
            text,
            "{data}; {} hit, {} short, {} missed{excused}",
            tally.hit, tally.short, tally.missed
        );
    }
    // A draft has no verdicts.
    let verdicts = graded.iter().map(Some).chain(std::iter::repeat(None));
    let rows: Vec<_> =
        workouts.iter().zip(verdicts).map(|(planned, graded)| row(planned, graded, units, today)).collect();
    let mut week = None;
    for (planned, line) in workouts.iter().zip(table([""; 4], &rows).lines().skip(1)) {
        let this = planned.workout.date.iso_week();
        if week.replace(this) != Some(this) {
            let _ = writeln!(text, "\n{this}");
        }
        let _ = writeln!(text, "{line}");
    }
    text
}

fn row(planned: &PlannedWorkout, graded: Option<&Graded>, units: UnitSystem, today: Day) -> [String; 4] {
    let workout = &planned.workout;
    let verdict = graded.map(|graded| {
        let word = match graded.verdict {
            Verdict::Hit => "✓ hit",
            Verdict::Short => "◐ short",
            Verdict::Missed => "✕ missed",
            Verdict::Rest => "– rest",
            Verdict::NotStarted => "· not started",
            // Said only of days that have passed; a future day carries no verdict.
            Verdict::Pending if workout.date < today => "◌ waiting for data",
            Verdict::Pending => "",
        };
        graded.excused.map_or_else(|| word.to_owned(), |excuse| format!("{word} ({excuse})"))
    });
    let asked = workout
        .distance
        .map(|distance| units.distance(distance).to_string())
        .or_else(|| workout.duration.map(TimeSpan::hours_minutes))
        .or_else(|| workout.load.map(|load| format!("load {load:.0}")))
        .unwrap_or_default();
    let done = graded.and_then(|graded| graded.actual).map(|amount| match amount {
        Amount::Distance(distance) => units.distance(distance).to_string(),
        Amount::Duration(time) => time.hours_minutes(),
        Amount::Load(thousandths) => format!("load {:.0}", thousandths as f64 / 1000.0),
    });
    let size = done.map_or_else(|| asked.clone(), |done| format!("{done} of {asked}"));
    [
        format!("{} {}", workout.date.weekday(), workout.date),
        verdict.unwrap_or_default(),
        size,
        visible(&workout.name).to_string(),
    ]
}
