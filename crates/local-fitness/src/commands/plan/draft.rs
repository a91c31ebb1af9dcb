//! `fitness plan draft`: generates a plan from the athlete's history, or reads one from a file.

use super::lint::render_findings;
use crate::cli::DraftArgs;
use crate::clock;
use crate::commands::refresh;
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
    refresh(&store, user.id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let (request, stated) = plan_request(&args).parse(profile.units, today).map_err(|errors| {
        // The CLI reports one error at a time.
        errors.first().map_or_else(super::missing_goal_error, |bad| field_error(bad).into())
    })?;
    let drafting = store.generate_draft(user.id, &request, stated, today).await?;
    let athlete = drafting.baseline;
    let mut generated = drafting.result.map_err(|why| generate_error(&why))?;
    generated.notes.extend(drafting.likely_race.as_ref().map(confirm_race_hint));
    let id = if args.dry_run {
        None
    } else {
        let writer = store.plan_writer(user.id, Author::Athlete);
        Some(writer.put_draft(&generated.draft, args.supersedes, clock::now()).await?)
    };
    store.close().await;
    let mut words = render_draft(&generated, &athlete, profile.units);
    match id {
        Some(id) => {
            let _ = writeln!(
                words,
                "\nSaved as draft {id}: {}. See every day with `fitness plan show {id}`, and activate it with \
                 `fitness plan activate {id}`.",
                escape_invisible(generated.draft.name())
            );
        }
        None => words.push_str("\nNothing was saved; omit --dry-run to save it as a draft.\n"),
    }
    let data = json!({
        "plan_id": id,
        "status": id.map(|_| PlanStatus::Draft),
        "draft": generated.draft,
        "remarks": generated.notes,
        "findings": generated.findings,
        "weeks": generated.weeks,
        "base_mm": athlete.base().ok(),
        "longest_mm": athlete.longest_run().ok(),
        "level": athlete.level().ok(),
    });
    Ok(CommandOutput::new(words, &data))
}

pub(super) async fn from_file(
    context: &Context,
    file: &Path,
    supersedes: Option<PlanId>,
    dry_run: bool,
) -> Result<CommandOutput> {
    let text = super::read_plan_file(file)?;
    let bad = |problem: String| {
        CliError::new(
            format!("{} is not a valid plan: {problem}", file.display()),
            "`fitness plan draft --help` describes the format",
        )
    };
    let draft = read_draft(&text).map_err(|error| bad(error.to_string()))?;
    let (store, user) = context.open_for_user().await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    draft.check_new(today).map_err(|why| CliError::new(why.to_string(), "correct it in the file"))?;
    refresh(&store, user.id).await?;
    let athlete =
        store.training_baseline(user.id, draft.distance(), today, draft.constraints().stated).await?;
    let findings = lint(&LintInput::from_draft(&draft), &athlete, profile.units);
    let notes = draft.describe_days_off_used();
    let name = escape_invisible(draft.name());
    let (id, mut words) = if dry_run {
        let words =
            format!("{name} is a valid plan. Nothing was saved; omit --dry-run to save it as a draft.\n");
        (None, words)
    } else {
        let id =
            store.plan_writer(user.id, Author::Athlete).put_draft(&draft, supersedes, clock::now()).await?;
        let words = format!("Saved as draft {id}: {name}. Activate it with `fitness plan activate {id}`.\n");
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

/// An unconfirmed race could provide the missing training paces.
fn confirm_race_hint(best: &StoredActivity) -> String {
    format!(
        "The run on {} looks like a race. Confirm it with `fitness race confirm {}` and draft again to get training \
         paces (`fitness race list` lists all likely races).",
        best.day, best.id
    )
}

fn generate_error(why: &GenerateError) -> CliError {
    let help = match why {
        GenerateError::MissingLevel => {
            "add --level novice, --level inter or --level adv, and your weekly distance, such as --base 40km"
        }
        GenerateError::TooFewDays { .. } | GenerateError::LongDay(_) => {
            "add more days, such as --days mon,wed,fri,sun"
        }
        GenerateError::TooFewTrainingDays(_) => "add more days with --days, or remove days from --blackout",
        GenerateError::RaceBlocked(_) => "remove days from --blackout",
        GenerateError::Target(_) | GenerateError::TargetBeyondEvidence => "change or omit --target",
        GenerateError::TuneUp | GenerateError::TuneUpTooLong { .. } => "change or omit --b-race",
        GenerateError::StartsTooLate { .. } => "change or omit --start",
        GenerateError::Past(_) | GenerateError::TooNear(_) | GenerateError::TooFar(_) => "change --race-date",
        GenerateError::Base { unknown: true, .. } => {
            "if you already run, add your weekly distance, such as --base 40km"
        }
        GenerateError::RaceUnavailable { .. } => "`fitness day list` lists your absences",
        GenerateError::Unsafe { findings, change } => {
            let lines: String = findings.iter().map(|finding| format!("\n  - {finding}")).collect();
            return CliError::new(
                format!("no plan for this request passes the safety checks:{lines}"),
                change.clone(),
            );
        }
        _ => "see `fitness plan draft --help`",
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

/// Names the argument instead of the form field.
fn field_error(bad: &PlanFormError) -> CliError {
    let help = match bad {
        PlanFormError::Cross(_) => "use --cross cycling, swimming or rowing, or omit it".to_owned(),
        PlanFormError::NoRaceDate => format!("add a date such as --race-date {}", super::example_race_date()),
        PlanFormError::DistanceNotAllowed(_) => "omit --distance, or use --goal custom".to_owned(),
        PlanFormError::NoDistance => "add --distance, such as 15km or 10mi".to_owned(),
        PlanFormError::StartAfterRace { .. } => {
            "use an earlier --start, or omit it to start today".to_owned()
        }
        PlanFormError::StartInPast(_) => "omit --start to start today, or use a later day".to_owned(),
        PlanFormError::ZeroDistance(PlanFormField::Base) => {
            "use your weekly distance, or only --level novice if you do not run yet".to_owned()
        }
        PlanFormError::Blackout(_) => {
            "use a date such as 2026-07-01, or a range such as 2026-07-01..2026-07-14".to_owned()
        }
        PlanFormError::TooFar(field, most) => format!("--{field} can be at most {most} km"),
        other => other.help(),
    };
    let message = match bad {
        PlanFormError::ZeroDistance(field) => format!("--{field} must be more than 0"),
        other => other.to_string(),
    };
    CliError::new(message, help)
}

fn render_draft(generated: &GeneratedPlan, athlete: &TrainingBaseline, units: UnitSystem) -> String {
    let mut text =
        format!("{}\n{}\n", athlete.describe(units), athlete.describe_pace_basis(generated.draft.workouts()));
    for note in &generated.notes {
        let _ = writeln!(text, "- {note}");
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
    let rows: Vec<_> = generated.week_summaries(units).iter().map(row).collect();
    text.push_str(&table(["week of", "phase", "running", "longest", "hard days"], &rows));
    text.push('\n');
    text.push_str(&render_findings(&generated.findings));
    text
}
