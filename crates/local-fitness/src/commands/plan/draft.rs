//! `fitness plan draft --goal …`: a plan from the athlete's own history.

use super::lint::render_findings;
use crate::cli::DraftArgs;
use crate::clock;
use crate::commands::recompute_stale;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::export::read_draft;
use fitness_core::plan::lint::{LintInput, lint};
use fitness_core::plan::{
    GenerateError, GeneratedPlan, PlanForm, PlanFormError, PlanFormField, PlanStatus, TrainingBaseline,
    WeekSummary,
};
use fitness_store::StoredActivity;
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

pub(super) async fn run(context: &Context, args: DraftArgs) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    recompute_stale(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let (wish, stated) = plan_request(&args).parse(profile.units, today).map_err(|faults| {
        // One at a time, as every other mistake at the terminal.
        faults.first().map_or_else(super::missing_goal_error, |bad| field_error(bad).into())
    })?;
    let drafting = store.generate_draft(user.id, &wish, stated, today).await?;
    let athlete = drafting.baseline;
    let mut made = drafting.result.map_err(|why| generate_error(&why))?;
    made.notes.extend(drafting.likely_race.as_ref().map(confirm_race_hint));
    let id = if args.dry_run {
        None
    } else {
        let desk = store.plan_writer(user.id, Author::Athlete);
        Some(desk.put_draft(&made.draft, args.supersedes, clock::now()).await?)
    };
    store.close().await;
    let mut words = render_draft(&made, &athlete, profile.units);
    match id {
        Some(id) => {
            let _ = writeln!(
                words,
                "\nDraft {id}: {}. Nothing is tracked until you activate it with `fitness plan activate {id}`; \
                 `fitness plan show {id}` lists every day.",
                escape_invisible(made.draft.name())
            );
        }
        None => words.push_str("\nNothing was written down; leave out --dry-run to keep it as a draft.\n"),
    }
    let data = json!({
        "plan_id": id,
        "status": id.map(|_| PlanStatus::Draft),
        "draft": made.draft,
        "remarks": made.notes,
        "findings": made.findings,
        "weeks": made.weeks,
        "base_mm": athlete.base().ok(),
        "longest_mm": athlete.longest_run().ok(),
        "level": athlete.level().ok(),
    });
    Ok(CommandOutput::new(words, &data))
}

/// A plan as a file has it, with what the linter says about it.
pub(super) async fn from_file(
    context: &Context,
    file: &Path,
    supersedes: Option<PlanId>,
    dry_run: bool,
) -> Result<CommandOutput> {
    let text = super::read_plan_file(file)?;
    let bad = |problem: String| {
        CliError::new(
            format!("{} is not a plan: {problem}", file.display()),
            "`fitness plan draft --help` shows what the file holds",
        )
    };
    let draft = read_draft(&text).map_err(|error| bad(error.to_string()))?;
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    draft.check_new(today).map_err(|why| CliError::new(why.to_string(), "change it in the file"))?;
    recompute_stale(&store, user.id).await?;
    let athlete =
        store.training_baseline(user.id, draft.distance(), today, draft.constraints().stated).await?;
    let findings = lint(&LintInput::from_draft(&draft), &athlete, profile.units);
    let notes = draft.describe_days_off_used();
    let name = escape_invisible(draft.name());
    let (id, mut words) = if dry_run {
        let words = format!(
            "{name} can be drafted. Nothing was written down; leave out --dry-run to keep it as a draft.\n"
        );
        (None, words)
    } else {
        let id =
            store.plan_writer(user.id, Author::Athlete).put_draft(&draft, supersedes, clock::now()).await?;
        let words = format!(
            "Draft {id}: {name}. Nothing is tracked until you activate it with `fitness plan activate {id}`.\n"
        );
        (Some(id), words)
    };
    store.close().await;
    for note in &notes {
        let _ = writeln!(words, "  note: {note}");
    }
    let _ = write!(words, "\n{}", render_findings(&findings));
    let mut data = json!({ "plan_id": id, "findings": findings, "notes": notes });
    match id {
        Some(_) => data["status"] = json!(PlanStatus::Draft),
        None => data["draft"] = json!(draft),
    }
    Ok(CommandOutput::new(words, &data))
}

/// What to do where a race that nobody confirmed could give the paces that are missing.
fn confirm_race_hint(best: &StoredActivity) -> String {
    format!(
        "The run on {} looks like a race, and a race gives paces: confirm it with `fitness race confirm {}` (`fitness \
         race list` shows all of them), then draft again.",
        best.day, best.id
    )
}

fn generate_error(why: &GenerateError) -> CliError {
    let help = match why {
        GenerateError::MissingLevel => {
            "add --level novice, --level inter or --level adv; --base 40km tells more"
        }
        GenerateError::TooFewDays { .. } | GenerateError::LongDay(_) => {
            "name more weekdays with --days mon,wed,fri,sun"
        }
        GenerateError::TooFewTrainingDays(_) => {
            "name more weekdays with --days, or take days out of --blackout"
        }
        GenerateError::RaceBlocked(_) => "take days out of --blackout",
        GenerateError::Target(_) | GenerateError::TargetBeyondEvidence => "change or leave out --target",
        GenerateError::TuneUp | GenerateError::TuneUpTooLong { .. } => "change or leave out --b-race",
        GenerateError::StartsTooLate { .. } => "change or leave out --start",
        GenerateError::Base { unknown: true, .. } => "if you run already, say how much with --base 40km",
        GenerateError::RaceUnavailable { .. } => "`fitness day list` shows your marks",
        GenerateError::Unsafe { .. } => "change --race-date, --goal, --days or --blackout",
        _ => "`fitness plan draft --help` shows what can be asked for",
    };
    CliError::new(why.to_string(), help)
}

fn plan_request(args: &DraftArgs) -> PlanForm {
    PlanForm {
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
fn field_error(bad: &PlanFormError) -> CliError {
    let help = match bad {
        PlanFormError::Cross(_) => "say --cross cycling, swimming or rowing, or leave it out".to_owned(),
        PlanFormError::NoRaceDate => "add --race-date 2026-09-20".to_owned(),
        PlanFormError::DistanceNotAllowed(_) => "leave out --distance, or say --goal custom".to_owned(),
        PlanFormError::NoDistance => "add --distance, such as 15km or 10mi".to_owned(),
        PlanFormError::AmbiguousTarget { meant, .. } => format!("write the hours too: --target {meant}"),
        PlanFormError::StartAfterRace { .. } => {
            "give an earlier --start, or leave it out to begin today".to_owned()
        }
        PlanFormError::StartInPast(_) => "leave out --start to begin today, or give a later day".to_owned(),
        PlanFormError::ZeroDistance(PlanFormField::Base) => {
            "say what you run in a usual week, or say --level novice alone to begin from nothing".to_owned()
        }
        PlanFormError::TooFar(field, most) => format!("--{field} is at most {most} km"),
        other => other.help(),
    };
    let message = match bad {
        PlanFormError::ZeroDistance(field) => format!("--{field} is more than 0"),
        other => other.to_string(),
    };
    CliError::new(message, help)
}

fn render_draft(made: &GeneratedPlan, athlete: &TrainingBaseline, units: UnitSystem) -> String {
    let mut text =
        format!("{}\n{}\n", athlete.describe(units), athlete.describe_pace_basis(made.draft.workouts()));
    for remark in &made.notes {
        let _ = writeln!(text, "- {remark}");
    }
    text.push('\n');
    let row = |week: &WeekSummary| {
        [
            week.first.to_string(),
            week.label.clone(),
            week.running.clone(),
            week.longest.map(|far| units.format_distance(far).to_string()).unwrap_or_default(),
            week.hard.join(", "),
        ]
    };
    let rows: Vec<_> = made.week_summaries(units).iter().map(row).collect();
    text.push_str(&table(["week from", "phase", "running", "longest", "hard days"], &rows));
    text.push('\n');
    text.push_str(&render_findings(&made.findings));
    text
}
