//! `fitness plan draft --goal …`: a plan from the athlete's own history.

use super::lint::told;
use crate::cli::DraftArgs;
use crate::clock;
use crate::commands::settled;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Report;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::visible;
use fitness_core::plan::export::read_draft;
use fitness_core::plan::lint::{Subject, lint};
use fitness_core::plan::{
    Background, BadField, BadWish, Generated, PlanRequest, PlanStatus, RequestField, ToldWeek,
};
use fitness_store::StoredActivity;
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

pub(super) async fn run(context: &Context, args: DraftArgs) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    settled(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let (wish, stated) = request(&args).read(profile.units, today).map_err(|faults| {
        // One at a time, as every other mistake at the terminal.
        faults.first().map_or_else(super::no_goal, |bad| misread(bad).into())
    })?;
    let drafting = store.draft_for(user.id, &wish, stated, today).await?;
    let athlete = drafting.athlete;
    let mut made = drafting.made.map_err(|why| refused(&why))?;
    made.remarks.extend(drafting.likely_race.as_ref().map(confirm_first));
    let id = if args.dry_run {
        None
    } else {
        let desk = store.desk(user.id, Author::Athlete);
        Some(desk.put_draft(&made.draft, args.supersedes, clock::now()).await?)
    };
    store.close().await;
    let mut words = tell(&made, &athlete, profile.units);
    match id {
        Some(id) => {
            let _ = writeln!(
                words,
                "\nDraft {id}: {}. Nothing is tracked until you activate it with `fitness plan activate {id}`; \
                 `fitness plan show {id}` lists every day.",
                visible(made.draft.name())
            );
        }
        None => words.push_str("\nNothing was written down; leave out --dry-run to keep it as a draft.\n"),
    }
    let data = json!({
        "plan_id": id,
        "status": id.map(|_| PlanStatus::Draft),
        "draft": made.draft,
        "remarks": made.remarks,
        "findings": made.findings,
        "weeks": made.weeks,
        "base_mm": athlete.base().ok(),
        "longest_mm": athlete.longest().ok(),
        "level": athlete.level().ok(),
    });
    Ok(Report::new(words, &data))
}

/// A plan as a file has it, with what the linter says about it.
pub(super) async fn from_file(
    context: &Context,
    file: &Path,
    supersedes: Option<PlanId>,
    dry_run: bool,
) -> Result<Report> {
    let text = super::read(file)?;
    let bad = |problem: String| {
        Failure::new(
            format!("{} is not a plan: {problem}", file.display()),
            "`fitness plan draft --help` shows what the file holds",
        )
    };
    let draft = read_draft(&text).map_err(|error| bad(error.to_string()))?;
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    draft.check_new(today).map_err(|why| Failure::new(why.to_string(), "change it in the file"))?;
    settled(&store, user.id).await?;
    let athlete = store.background(user.id, draft.distance(), today, draft.terms().stated).await?;
    let findings = lint(&Subject::of_draft(&draft), &athlete, profile.units);
    let notes = draft.on_days_off();
    let name = visible(draft.name());
    let (id, mut words) = if dry_run {
        let words = format!(
            "{name} can be drafted. Nothing was written down; leave out --dry-run to keep it as a draft.\n"
        );
        (None, words)
    } else {
        let id = store.desk(user.id, Author::Athlete).put_draft(&draft, supersedes, clock::now()).await?;
        let words = format!(
            "Draft {id}: {name}. Nothing is tracked until you activate it with `fitness plan activate {id}`.\n"
        );
        (Some(id), words)
    };
    store.close().await;
    for note in &notes {
        let _ = writeln!(words, "  note: {note}");
    }
    let _ = write!(words, "\n{}", told(&findings));
    let mut data = json!({ "plan_id": id, "findings": findings, "notes": notes });
    match id {
        Some(_) => data["status"] = json!(PlanStatus::Draft),
        None => data["draft"] = json!(draft),
    }
    Ok(Report::new(words, &data))
}

/// What to do where a race that nobody confirmed could give the paces that are missing.
fn confirm_first(best: &StoredActivity) -> String {
    format!(
        "The run on {} looks like a race, and a race gives paces: confirm it with `fitness race confirm {}` (`fitness \
         race list` shows all of them), then draft again.",
        best.day, best.id
    )
}

fn refused(why: &BadWish) -> Failure {
    let help = match why {
        BadWish::AskLevel => "add --level novice, --level inter or --level adv; --base 40km tells more",
        BadWish::TooFewDays { .. } | BadWish::LongDay(_) => "name more weekdays with --days mon,wed,fri,sun",
        BadWish::Blocked(_) => "name more weekdays with --days, or take days out of --blackout",
        BadWish::RaceBlocked(_) => "take days out of --blackout",
        BadWish::Target(_) | BadWish::TargetBeyondEvidence => "change or leave out --target",
        BadWish::TuneUp | BadWish::TuneUpTooLong { .. } => "change or leave out --b-race",
        BadWish::StartsTooLate { .. } => "change or leave out --start",
        BadWish::Base { unknown: true, .. } => "if you run already, say how much with --base 40km",
        BadWish::RaceMarked { .. } => "`fitness day list` shows your marks",
        BadWish::Unsafe { .. } => "change --race-date, --goal, --days or --blackout",
        _ => "`fitness plan draft --help` shows what can be asked for",
    };
    Failure::new(why.to_string(), help)
}

fn request(args: &DraftArgs) -> PlanRequest {
    PlanRequest {
        goal: args.goal,
        distance: args.distance.clone(),
        race_date: args.race_date,
        start: args.start,
        target: args.target.clone(),
        days: args.days,
        long_day: args.long_day,
        blackout: args.blackout.clone(),
        b_race: args.b_race.clone(),
        level: args.level,
        base: args.base.clone(),
        longest: args.longest.clone(),
        strength: args.strength,
        cross: args.cross,
        name: args.name.clone(),
    }
}

/// What is wrong with a flag, and what to type instead.
fn misread(bad: &BadField) -> Failure {
    let help = match bad {
        BadField::Cross(_) => "say --cross cycling, swimming or rowing, or leave it out".to_owned(),
        BadField::NoRaceDate => "add --race-date 2026-09-20".to_owned(),
        BadField::OwnDistance(_) => "leave out --distance, or say --goal custom".to_owned(),
        BadField::NoDistance => "add --distance, such as 15km or 10mi".to_owned(),
        BadField::HoursMeant { meant, .. } => format!("write the hours too: --target {meant}"),
        BadField::StartAfterRace { .. } => {
            "give an earlier --start, or leave it out to begin today".to_owned()
        }
        BadField::StartOver(_) => "leave out --start to begin today, or give a later day".to_owned(),
        BadField::Nothing(RequestField::Base) => {
            "say what you run in a usual week, or say --level novice alone to begin from nothing".to_owned()
        }
        BadField::TooFar(field, most) => format!("--{field} is at most {most} km"),
        other => other.help(),
    };
    let message = match bad {
        BadField::Nothing(field) => format!("--{field} is more than 0"),
        other => other.to_string(),
    };
    Failure::new(message, help)
}

fn tell(made: &Generated, athlete: &Background, units: UnitSystem) -> String {
    let mut text = format!("{}\n{}\n", athlete.told(units), athlete.told_paces(made.draft.workouts()));
    for remark in &made.remarks {
        let _ = writeln!(text, "- {remark}");
    }
    text.push('\n');
    let row = |week: &ToldWeek| {
        [
            week.first.to_string(),
            week.called.clone(),
            week.running.clone(),
            week.longest.map(|far| units.distance(far).to_string()).unwrap_or_default(),
            week.hard.join(", "),
        ]
    };
    let rows: Vec<_> = made.told_weeks(units).iter().map(row).collect();
    text.push_str(&table(["week from", "phase", "running", "longest", "hard days"], &rows));
    text.push('\n');
    text.push_str(&told(&made.findings));
    text
}
