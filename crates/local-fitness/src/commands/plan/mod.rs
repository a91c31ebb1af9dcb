//! `fitness plan`: list, show, activate, archive and delete plans.

mod draft;
mod edit;
mod export;
mod late_start;
mod lint;
mod match_activity;
mod progress;
mod proposal;
pub(crate) mod push;
mod splits;
pub(super) mod workout;

pub(super) use proposal::load_pending;

use super::refresh;
use crate::cli::{LateStart, PlanCommand};
use crate::clock;
use crate::confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::{escape_invisible, format_signed};
use fitness_core::metrics::fitness::shown_form;
use fitness_core::metrics::trajectory::{Projection, Trajectory};
use fitness_core::metrics::{MetricResult, Quality};
use fitness_core::plan::lint::LintRule;
use fitness_core::plan::{HumanActionKind, Plan, PlanStatus, RaceReview};
use fitness_store::plan::human_actions::{self, Activation, ActivationRequest};
use fitness_store::{LintReview, PlanAdherence, Store, User, plan_state_hash};
use progress::render_plan;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

/// A plan of two years with daily workouts is about a tenth of this.
const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;

pub(super) async fn run(context: &Context, command: PlanCommand) -> Result<CommandOutput> {
    match command {
        PlanCommand::List => list(context).await,
        PlanCommand::Show { plan } => show(context, plan).await,
        PlanCommand::Workout(args) => workout::show(context, args).await,
        PlanCommand::Match(args) => match_activity::add_match(context, args).await,
        PlanCommand::Unmatch(args) => match_activity::remove_match(context, args).await,
        PlanCommand::Draft(args) => match &args.file {
            Some(file) => draft::from_file(context, file, args.supersedes, args.dry_run).await,
            None if args.goal.is_none() => Err(missing_goal_error()),
            None => draft::run(context, *args).await,
        },
        PlanCommand::Lint { plan } => lint::run(context, plan).await,
        PlanCommand::Activate { plan, replaces, begin, overrides } => {
            activate(context, plan, replaces, begin, overrides.rules.into_iter().collect()).await
        }
        PlanCommand::Edit(args) => edit::run(context, *args).await,
        PlanCommand::Revisions { plan } => edit::revisions(context, plan).await,
        PlanCommand::Revert { to } => edit::revert(context, to).await,
        PlanCommand::Propose(args) => proposal::propose(context, args).await,
        PlanCommand::Proposal(command) => proposal::run(context, command).await,
        PlanCommand::Splits { plan } => splits::run(context, plan).await,
        PlanCommand::Archive { plan } => archive(context, plan).await,
        PlanCommand::Delete { plan } => delete(context, plan).await,
        PlanCommand::Export(wanted) => export::run(context, wanted).await,
        PlanCommand::Push(wanted) => push::run(context, wanted).await,
    }
}

async fn list(context: &Context) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let plans = store.list_plans(user.id).await?;
    store.close().await;
    if plans.is_empty() {
        let words = format!(
            "No plans yet. Draft one from your training, such as `{}`, or from a file with `fitness plan draft FILE`.",
            draft_example()
        );
        return Ok(CommandOutput::new(words, &plans));
    }
    let row = |plan: &Plan| {
        let status = list_status(plan.status, plan.superseded_by);
        [
            plan.id.to_string(),
            status,
            plan.start_date.to_string(),
            plan.race_date.to_string(),
            format!("{}{}", escape_invisible(&plan.name), author_label(plan, Some(plan.author))),
        ]
    };
    let rows: Vec<_> = plans.iter().map(row).collect();
    Ok(CommandOutput::new(table(["plan", "status", "starts", "race", "name"], &rows), &plans))
}

/// The label of text that the athlete did not write.
fn author_label(plan: &Plan, author: Option<Author>) -> String {
    plan.text_label(author).map(|label| format!(" ({label})")).unwrap_or_default()
}

/// An example command with a race about 16 weeks from now.
fn draft_example() -> String {
    format!("fitness plan draft --goal half --race-date {}", example_race_date())
}

/// A Sunday about 16 weeks from now.
fn example_race_date() -> Day {
    let some_day = Day::at(clock::now(), chrono_tz::UTC).plus_days(16 * 7);
    some_day.iso_week().monday().plus_days(6)
}

async fn show(context: &Context, plan: Option<PlanId>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let id = select_plan(&store, &user, plan).await?.id;
    refresh(&store, user.id).await?;
    let progress = store.plan_adherence(user.id, id).await?;
    let outlook = store.plan_trajectory(user.id, id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let author = store.find_text_author(user.id, &progress.plan).await?;
    let mut words = render_plan(&progress, author, profile.units, today);
    let mut data = serde_json::to_value(&progress)?;
    if progress.plan.status == PlanStatus::Active {
        words.push_str(&render_trajectory(&outlook));
        let waiting = proposal::load_pending(&store, user.id, today).await?;
        words.push_str(&waiting.text);
        data["waiting"] = serde_json::to_value(&waiting)?;
        let after = store.race_review(user.id, &progress.plan, today).await?;
        words.push_str(&render_race_review(after.as_ref(), &progress.plan));
        data["aftermath"] = serde_json::to_value(after)?;
        if (0..7).contains(&today.days_until(progress.plan.race_date)) {
            writeln!(
                words,
                "\nRace week: `fitness plan splits` shows your splits for a plan A and a plan B."
            )?;
        }
    }
    store.close().await;
    data["outlook"] = match outlook {
        Ok(lines) => serde_json::to_value(lines)?,
        Err(why) => json!({ "missing": why.to_string() }),
    };
    Ok(CommandOutput::new(words, &data))
}

/// The result of the race, once it is over.
fn render_race_review(after: Option<&RaceReview>, plan: &Plan) -> String {
    let Some((after, distance)) = after.zip(plan.distance) else { return String::new() };
    let review = after.sentences(distance).join(" ");
    let add = if after.result.is_none() { " Or add the result with `fitness race add`." } else { "" };
    format!("\nThe race is over. {review}{add} Archive the plan with `fitness plan archive {}`.\n", plan.id)
}

/// Fitness and form on race day in three scenarios.
fn render_trajectory(outlook: &MetricResult<Trajectory>) -> String {
    let trajectory = match outlook {
        Ok(trajectory) => trajectory,
        Err(why) => return format!("\nNo projection for race day: {why}.\n"),
    };
    let line = |found: &MetricResult<Projection>| match found {
        Ok(line) => {
            let fitness = line.race_morning.fitness;
            let form = shown_form(fitness, line.race_morning.fatigue);
            let rated = if line.quality == Quality::Ok {
                String::new()
            } else {
                format!(
                    " ({})",
                    line.quality.label().replace(Quality::Stale.label(), Quality::OLD_THRESHOLD_LABEL)
                )
            };
            format!("fitness {fitness:.0}, form {}{rated}", format_signed(form, 0))
        }
        Err(why) => format!("no projection: {why}"),
    };
    format!(
        "\nOn race day, {}:\n  if you follow the plan        {}\n  at your current adherence     {}\n  if you stop training          {}\n",
        trajectory.race_day,
        line(&trajectory.as_written),
        line(&trajectory.at_this_rate),
        line(&Ok(trajectory.no_training.clone())),
    )
}

fn missing_goal_error() -> anyhow::Error {
    let help = format!("add one, such as `{}`, or use a file with a schedule", draft_example());
    CliError::new("no goal given", help).into()
}

async fn activate(
    context: &Context,
    id: PlanId,
    replaces: Option<PlanId>,
    begin: Option<LateStart>,
    overrides: BTreeSet<LintRule>,
) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let plan = find_plan(&store, &user, id).await?;
    if plan.status != PlanStatus::Draft {
        let help = match plan.status {
            PlanStatus::Active => "`fitness plan show` shows your progress",
            _ => "`fitness plan list` lists your drafts",
        };
        return Err(CliError::new(format!("plan {id} is {}", status_label(plan.status)), help).into());
    }
    let active = store.find_active_plan(user.id).await?;
    human_actions::check_replaces(active.as_ref().map(|plan| plan.id), replaces)?;
    let profile = store.profile(user.id).await?;
    let (units, today) = (profile.units, Day::at(clock::now(), profile.zone));
    if plan.race_date < today {
        let help = "draft a new one with `fitness plan draft`";
        return Err(CliError::new(format!("plan {id} ended on {}", plan.race_date), help).into());
    }
    refresh(&store, user.id).await?;
    let review = store.lint_plan(user.id, id, today).await?;
    refuse_unused_overrides(&review, &overrides)?;
    refuse_errors(&review, &overrides, id, replaces, begin)?;
    let progress = store.plan_adherence(user.id, id).await?;
    let (begin, start_text) = late_start::choose_start(&plan, &progress.workouts, begin, today)?;
    let author = store.find_text_author(user.id, &progress.plan).await?;
    let mut shown = render_plan(&progress, author, units, today);
    write!(shown, "\n{}\n{start_text}", lint::render_findings(review.findings()))?;
    if let Some(old) = active {
        writeln!(shown, "This archives plan {}, {}.", old.id, escape_invisible(&old.name))?;
    }
    for rule in &overrides {
        writeln!(shown, "You override {rule}: {}.", rule.metric())?;
    }
    let request = ActivationRequest { plan: id, replaces, begin, overrides };
    let seen = request.hash(plan.content_hash);
    let consent =
        confirm::confirm_plan_action(&store, &user, HumanActionKind::Activate, &plan, seen, &shown).await?;
    if human_actions::activate(consent, &request, &review).await? == Activation::NoDraft {
        return Err(not_a_draft_error(id));
    }
    let progress = store.plan_adherence(user.id, id).await?;
    store.close().await;
    let text = format!("Activated. {start_text}{}", next_workout_sentence(&progress, units, today));
    Ok(CommandOutput::new(text, &json!({ "answer": Activation::Activated, "standing": progress })))
}

/// The plan itself was shown before the confirmation.
fn next_workout_sentence(progress: &PlanAdherence, units: UnitSystem, today: Day) -> String {
    let mut ahead = progress.workouts.iter().map(|planned| &planned.workout);
    let next = ahead.find(|workout| !workout.is_rest() && workout.date >= today).map(|workout| {
        let size = workout.size_label(units).map(|size| format!(", {size}")).unwrap_or_default();
        let (day, name) = (workout.date, escape_invisible(workout.name_without_size(units)));
        format!("Next: {} {day}, {name}{size}. ", day.weekday())
    });
    format!("{}`fitness plan show` shows your progress.", next.unwrap_or_default())
}

/// Overriding a rule without an error is probably a mistake.
fn refuse_unused_overrides(review: &LintReview, overrides: &BTreeSet<LintRule>) -> Result<()> {
    let blocking: BTreeSet<LintRule> =
        review.blocking_findings().iter().map(|finding| finding.rule).collect();
    let Some(unused) = overrides.difference(&blocking).next() else { return Ok(()) };
    let help = match blocking.is_empty() {
        true => "omit --override".to_owned(),
        false => {
            let rules: Vec<&str> = blocking.iter().map(|rule| rule.as_str()).collect();
            format!("omit it; the errors are {}", rules.join(","))
        }
    };
    Err(CliError::new(format!("the plan has no error of {unused} to override"), help).into())
}

/// Linter errors block activation unless each one is overridden.
fn refuse_errors(
    review: &LintReview,
    overrides: &BTreeSet<LintRule>,
    id: PlanId,
    replaces: Option<PlanId>,
    begin: Option<LateStart>,
) -> Result<()> {
    let left = review.remaining_findings(overrides);
    if left.is_empty() {
        return Ok(());
    }
    let errors: Vec<String> =
        left.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect();
    // The complete command, including the arguments given so far.
    let mut command = format!("fitness plan activate {id}");
    if let Some(old) = replaces {
        write!(command, " --replaces {old}")?;
    }
    if let Some(begin) = begin {
        write!(command, " --begin {}", if begin == LateStart::Today { "today" } else { "planned" })?;
    }
    push_overrides(
        &mut command,
        &left.iter().map(|finding| finding.rule).chain(overrides.iter().copied()).collect(),
    );
    let help = format!("draft a different plan, or override the errors with `{command}`");
    Err(CliError::new(errors.join(" "), help).into())
}

/// Appends `--override` to a command.
fn push_overrides(command: &mut String, overrides: &BTreeSet<LintRule>) {
    let rules: Vec<&str> = overrides.iter().map(|rule| rule.as_str()).collect();
    if !rules.is_empty() {
        let _ = write!(command, " --override {}", rules.join(","));
    }
}

async fn archive(context: &Context, id: PlanId) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let plan = find_plan(&store, &user, id).await?;
    if plan.status != PlanStatus::Active {
        let help = match plan.status {
            PlanStatus::Draft => {
                format!(
                    "only the active plan can be archived; delete a draft with `fitness plan delete {id}`"
                )
            }
            _ => "`fitness plan list` shows which plan is active".to_owned(),
        };
        return Err(CliError::new(format!("plan {id} is {}", status_label(plan.status)), help).into());
    }
    let shown = plan.describe_archiving();
    let consent = confirm::confirm_plan_action(
        &store,
        &user,
        HumanActionKind::Archive,
        &plan,
        plan_state_hash(&plan),
        &shown,
    )
    .await?;
    human_actions::archive(consent, id).await?;
    store.close().await;
    Ok(CommandOutput::new(
        format!("Archived plan {id}."),
        &json!({ "plan_id": id, "status": PlanStatus::Archived }),
    ))
}

async fn delete(context: &Context, id: PlanId) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let plan = find_plan(&store, &user, id).await?;
    if plan.status == PlanStatus::Active {
        let help = format!("archive it first with `fitness plan archive {id}`");
        return Err(CliError::new(format!("plan {id} is active"), help).into());
    }
    let shown = plan.describe_deletion();
    let consent = confirm::confirm_plan_action(
        &store,
        &user,
        HumanActionKind::Delete,
        &plan,
        plan_state_hash(&plan),
        &shown,
    )
    .await?;
    human_actions::delete(consent, id).await?;
    store.close().await;
    Ok(CommandOutput::new(format!("Deleted plan {id}."), &json!({ "plan_id": id, "deleted": true })))
}

async fn find_plan(store: &Store, user: &User, id: PlanId) -> Result<Plan> {
    store.find_plan(user.id, id).await?.ok_or_else(|| {
        CliError::new(format!("there is no plan {id}"), "`fitness plan list` lists your plans").into()
    })
}

/// The named plan, or the active one.
async fn select_plan(store: &Store, user: &User, plan: Option<PlanId>) -> Result<Plan> {
    if let Some(id) = plan {
        return find_plan(store, user, id).await;
    }
    if let Some(active) = store.find_active_plan(user.id).await? {
        return Ok(active);
    }
    Err(no_active_plan_error(store, user).await?.into())
}

/// The help depends on whether there is a draft.
async fn no_active_plan_error(store: &Store, user: &User) -> Result<CliError> {
    let plans = store.list_plans(user.id).await?;
    let draft = plans.iter().find(|plan| plan.status == PlanStatus::Draft && plan.superseded_by.is_none());
    let help = match draft.map(|draft| draft.id) {
        Some(id) => format!(
            "see your newest draft with `fitness plan show {id}` and activate it with `fitness plan activate {id}`; \
             `fitness plan list` lists all"
        ),
        None => format!("draft one, such as `{}`", draft_example()),
    };
    Ok(CliError::new("you have no active plan", help))
}

const fn status_label(status: PlanStatus) -> &'static str {
    match status {
        PlanStatus::Draft => "a draft",
        PlanStatus::Active => "already active",
        PlanStatus::Archived => "already archived",
    }
}

fn not_a_draft_error(id: PlanId) -> anyhow::Error {
    CliError::new(format!("plan {id} is not a draft"), "`fitness plan list` lists your drafts").into()
}

fn read_plan_file(file: &Path) -> Result<String> {
    let cannot = |error: std::io::Error| {
        CliError::new(
            format!("cannot read {}: {error}", file.display()),
            "use the path of a JSON file, or - for standard input",
        )
    };
    let mut text = String::new();
    let source: Box<dyn std::io::Read> = if file == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).map_err(cannot)?)
    };
    source.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(cannot)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        let help = "a plan of two years needs about a tenth of that";
        return Err(CliError::new(format!("{} is larger than 2 MiB", file.display()), help).into());
    }
    Ok(text)
}

/// Only drafts show the draft that replaced them.
fn list_status(status: PlanStatus, superseded_by: Option<PlanId>) -> String {
    match superseded_by {
        Some(newer) if status == PlanStatus::Draft => format!("{status} (replaced by {newer})"),
        _ => status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_drafts_show_the_plan_that_supersedes_them() {
        assert_eq!(list_status(PlanStatus::Draft, Some(PlanId::new(22))), "draft (replaced by 22)");
        assert_eq!(list_status(PlanStatus::Active, Some(PlanId::new(22))), "active");
        assert_eq!(list_status(PlanStatus::Draft, None), "draft");
    }
}
