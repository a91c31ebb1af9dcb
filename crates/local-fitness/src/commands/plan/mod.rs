//! `fitness plan`

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
pub(super) mod steps;

pub(super) use proposal::waiting;

use super::settled;
use crate::cli::{Begin, PlanCommand};
use crate::clock;
use crate::confirm;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Report;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::UnitSystem;
use fitness_core::domain::untrusted_text::{signed_number, visible};
use fitness_core::metrics::trajectory::{Line, Trajectory};
use fitness_core::metrics::{Found, Quality};
use fitness_core::plan::lint::Rule;
use fitness_core::plan::{ActionKind, Aftermath, Plan, PlanStatus};
use fitness_store::plan::human_actions::{self, Activation};
use fitness_store::{Progress, Review, Store, User, seen_hash};
use progress::tell;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

/// The largest schedule file that is read; two years of daily workouts are a tenth of it.
const MAX_FILE: u64 = 2 * 1024 * 1024;

pub(super) async fn run(context: &Context, command: PlanCommand) -> Result<Report> {
    match command {
        PlanCommand::List => list(context).await,
        PlanCommand::Show { plan } => show(context, plan).await,
        PlanCommand::Workout(args) => steps::show(context, args).await,
        PlanCommand::Match(args) => match_activity::put(context, args).await,
        PlanCommand::Unmatch(args) => match_activity::remove(context, args).await,
        PlanCommand::Draft(args) => match &args.file {
            Some(file) => draft::from_file(context, file, args.supersedes, args.dry_run).await,
            None if args.goal.is_none() => Err(no_goal()),
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
        PlanCommand::Card { plan } => splits::run(context, plan).await,
        PlanCommand::Archive { plan } => archive(context, plan).await,
        PlanCommand::Delete { plan } => delete(context, plan).await,
        PlanCommand::Export(wanted) => export::run(context, wanted).await,
        PlanCommand::Push(wanted) => push::run(context, wanted).await,
    }
}

async fn list(context: &Context) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let plans = store.list_plans(user.id).await?;
    store.close().await;
    if plans.is_empty() {
        let words = format!(
            "No plans yet. Draft one from what you run, such as `{}`, or write one down from a file with `fitness plan \
             draft FILE`.",
            draft_example()
        );
        return Ok(Report::new(words, &plans));
    }
    let row = |plan: &Plan| {
        let status = listed_as(plan.status, plan.superseded_by);
        [
            plan.id.to_string(),
            status,
            plan.start_date.to_string(),
            plan.race_date.to_string(),
            format!("{}{}", visible(&plan.name), words_of(Some(plan.author))),
        ]
    };
    let rows: Vec<_> = plans.iter().map(row).collect();
    Ok(Report::new(table(["plan", "status", "starts", "race", "name"], &rows), &plans))
}

/// The label behind words that the athlete did not write.
fn words_of(author: Option<Author>) -> String {
    author.and_then(Author::words_label).map(|label| format!(" ({label})")).unwrap_or_default()
}

/// A draft to type, with a race that is some way off.
fn draft_example() -> String {
    let some_day = Day::at(clock::now(), chrono_tz::UTC).plus(16 * 7);
    let sunday = some_day.iso_week().monday().plus(6);
    format!("fitness plan draft --goal half --race-date {sunday}")
}

async fn show(context: &Context, plan: Option<PlanId>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let id = chosen(&store, &user, plan).await?.id;
    settled(&store, user.id).await?;
    let progress = store.progress(user.id, id).await?;
    let outlook = store.outlook(user.id, id).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let author = store.find_words_author(user.id, &progress.plan).await?;
    let mut words = tell(&progress, author, profile.units, today);
    let mut data = serde_json::to_value(&progress)?;
    if progress.plan.status == PlanStatus::Active {
        words.push_str(&where_it_leads(&outlook));
        let waiting = proposal::waiting(&store, user.id, today).await?;
        words.push_str(&waiting.words);
        data["waiting"] = serde_json::to_value(&waiting)?;
        let after = store.look_back(user.id, &progress.plan, today).await?;
        words.push_str(&looking_back(after.as_ref(), &progress.plan));
        data["aftermath"] = serde_json::to_value(after)?;
        if (0..7).contains(&today.until(progress.plan.race_date)) {
            writeln!(words, "\nRace week: `fitness plan card` has the splits for a plan A and a plan B.")?;
        }
    }
    store.close().await;
    data["outlook"] = match outlook {
        Ok(lines) => serde_json::to_value(lines)?,
        Err(why) => json!({ "missing": why.to_string() }),
    };
    Ok(Report::new(words, &data))
}

/// How the race went, once it is over, and what to do with the plan.
fn looking_back(after: Option<&Aftermath>, plan: &Plan) -> String {
    let Some((after, distance)) = after.zip(plan.distance) else { return String::new() };
    let said = after.sentences(distance).join(" ");
    format!("\nThe race is over. {said} `fitness plan archive {}` puts the plan away.\n", plan.id)
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
            format!("fitness {fitness:.0}, form {}{rated}", signed_number(form, 0))
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

fn no_goal() -> anyhow::Error {
    let help = format!("such as `{}`; or name a file with a schedule", draft_example());
    Failure::new("the plan has no goal", help).into()
}

async fn activate(
    context: &Context,
    id: PlanId,
    replaces: Option<PlanId>,
    begin: Option<Begin>,
    overrides: BTreeSet<Rule>,
) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let plan = find(&store, &user, id).await?;
    if plan.status != PlanStatus::Draft {
        let help = match plan.status {
            PlanStatus::Active => "`fitness plan show` tells how it goes",
            _ => "`fitness plan list` shows which plans are drafts",
        };
        return Err(Failure::new(format!("plan {id} is {}", status(plan.status)), help).into());
    }
    let active = store.find_active_plan(user.id).await?;
    human_actions::check_replaces(active.as_ref().map(|plan| plan.id), replaces)?;
    let profile = store.profile(user.id).await?;
    let (units, today) = (profile.units, Day::at(clock::now(), profile.zone));
    if plan.race_date < today {
        let help = "`fitness plan draft` makes one that is still to come";
        return Err(Failure::new(format!("plan {id} ended on {}", plan.race_date), help).into());
    }
    settled(&store, user.id).await?;
    let review = store.review(user.id, id, today).await?;
    refuse_idle(&review, &overrides)?;
    refuse_errors(&review, &overrides, id, replaces, begin)?;
    let progress = store.progress(user.id, id).await?;
    let (begin, beginning) = late_start::chosen(&plan, &progress.workouts, begin, today)?;
    let author = store.find_words_author(user.id, &progress.plan).await?;
    let mut shown = tell(&progress, author, units, today);
    write!(shown, "\n{}\n{beginning}", lint::told(review.findings()))?;
    if let Some(old) = active {
        writeln!(shown, "Activating it archives plan {}, {}.", old.id, visible(&old.name))?;
    }
    for rule in &overrides {
        writeln!(shown, "You override {rule}: {}.", rule.metric())?;
    }
    let seen = human_actions::activation_hash(id, plan.content_hash, replaces, begin, &overrides);
    let consent = confirm::confirm(&store, &user, ActionKind::Activate, &plan, seen, &shown).await?;
    if human_actions::activate(consent, id, replaces, begin, &review, &overrides).await?
        == Activation::NoDraft
    {
        return Err(no_draft(id));
    }
    let standing = store.progress(user.id, id).await?;
    store.close().await;
    let text = format!("Activated. {beginning}{}", what_is_next(&standing, units, today));
    Ok(Report::new(text, &json!({ "answer": Activation::Activated, "standing": standing })))
}

/// The first thing to do. The plan itself was shown with the question.
fn what_is_next(standing: &Progress, units: UnitSystem, today: Day) -> String {
    let mut ahead = standing.workouts.iter().map(|planned| &planned.workout);
    let next = ahead.find(|workout| !workout.is_rest() && workout.date >= today).map(|workout| {
        let size = workout.size(units).map(|size| format!(", {size}")).unwrap_or_default();
        let (day, name) = (workout.date, visible(workout.name_beside_size(units)));
        format!("First comes {} {day}: {name}{size}. ", day.weekday())
    });
    format!("{}`fitness plan show` tells how it goes.", next.unwrap_or_default())
}

/// What is overridden is an error that is there: who names another has misread something.
fn refuse_idle(review: &Review, overrides: &BTreeSet<Rule>) -> Result<()> {
    let blocking: BTreeSet<Rule> = review.blocking().iter().map(|finding| finding.rule).collect();
    let Some(idle) = overrides.difference(&blocking).next() else { return Ok(()) };
    let help = match blocking.is_empty() {
        true => "leave out --override".to_owned(),
        false => {
            let rules: Vec<&str> = blocking.iter().map(|rule| rule.as_str()).collect();
            format!("leave it out; the errors are {}", rules.join(","))
        }
    };
    Err(Failure::new(format!("there is no error of {idle} to override"), help).into())
}

/// What the linter calls an error is overridden by name, or keeps the plan a draft.
fn refuse_errors(
    review: &Review,
    overrides: &BTreeSet<Rule>,
    id: PlanId,
    replaces: Option<PlanId>,
    begin: Option<Begin>,
) -> Result<()> {
    let left = review.left(overrides);
    if left.is_empty() {
        return Ok(());
    }
    let said: Vec<String> =
        left.iter().map(|finding| format!("{}: {}", finding.rule, finding.text)).collect();
    // The whole command: with what was given already, it does what was meant.
    let mut command = format!("fitness plan activate {id}");
    if let Some(old) = replaces {
        write!(command, " --replaces {old}")?;
    }
    if let Some(begin) = begin {
        write!(command, " --begin {}", if begin == Begin::Today { "today" } else { "planned" })?;
    }
    push_overrides(
        &mut command,
        &left.iter().map(|finding| finding.rule).chain(overrides.iter().copied()).collect(),
    );
    let help = format!("draft another plan, or go ahead against the evidence with `{command}`");
    Err(Failure::new(said.join(" "), help).into())
}

/// The rules that a command overrides, as it is typed.
fn push_overrides(command: &mut String, overrides: &BTreeSet<Rule>) {
    let rules: Vec<&str> = overrides.iter().map(|rule| rule.as_str()).collect();
    if !rules.is_empty() {
        let _ = write!(command, " --override {}", rules.join(","));
    }
}

async fn archive(context: &Context, id: PlanId) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let plan = find(&store, &user, id).await?;
    if plan.status != PlanStatus::Active {
        let help = match plan.status {
            PlanStatus::Draft => {
                format!("only the active plan is archived; `fitness plan delete {id}` removes a draft")
            }
            _ => "`fitness plan list` shows which plan is active".to_owned(),
        };
        return Err(Failure::new(format!("plan {id} is {}", status(plan.status)), help).into());
    }
    let shown = plan.told_archiving();
    let consent =
        confirm::confirm(&store, &user, ActionKind::Archive, &plan, seen_hash(&plan), &shown).await?;
    human_actions::archive(consent, id).await?;
    store.close().await;
    Ok(Report::new(format!("Archived plan {id}."), &json!({ "plan_id": id, "status": PlanStatus::Archived })))
}

async fn delete(context: &Context, id: PlanId) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let plan = find(&store, &user, id).await?;
    if plan.status == PlanStatus::Active {
        let help = format!("put it away first with `fitness plan archive {id}`");
        return Err(Failure::new(format!("plan {id} is active"), help).into());
    }
    let shown = plan.told_deleting();
    let consent =
        confirm::confirm(&store, &user, ActionKind::Delete, &plan, seen_hash(&plan), &shown).await?;
    human_actions::delete(consent, id).await?;
    store.close().await;
    Ok(Report::new(format!("Deleted plan {id}."), &json!({ "plan_id": id, "deleted": true })))
}

async fn find(store: &Store, user: &User, id: PlanId) -> Result<Plan> {
    store.find_plan(user.id, id).await?.ok_or_else(|| {
        Failure::new(format!("there is no plan {id}"), "`fitness plan list` shows your plans").into()
    })
}

/// The plan that is meant: the named one, or the active one.
async fn chosen(store: &Store, user: &User, plan: Option<PlanId>) -> Result<Plan> {
    if let Some(id) = plan {
        return find(store, user, id).await;
    }
    if let Some(active) = store.find_active_plan(user.id).await? {
        return Ok(active);
    }
    Err(no_active_plan(store, user).await?.into())
}

/// There is nothing to follow yet; what helps depends on whether there is a draft.
async fn no_active_plan(store: &Store, user: &User) -> Result<Failure> {
    let plans = store.list_plans(user.id).await?;
    let draft = plans.iter().find(|plan| plan.status == PlanStatus::Draft && plan.superseded_by.is_none());
    let help = match draft.map(|draft| draft.id) {
        Some(id) => format!(
            "`fitness plan show {id}` shows your newest draft, `fitness plan activate {id}` commits it; `fitness plan \
             list` shows all"
        ),
        None => format!("draft one, such as `{}`", draft_example()),
    };
    Ok(Failure::new("you have no active plan", help))
}

const fn status(status: PlanStatus) -> &'static str {
    match status {
        PlanStatus::Draft => "a draft",
        PlanStatus::Active => "active already",
        PlanStatus::Archived => "archived already",
    }
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

/// A plan's status in a list. What was activated all the same is the plan, whatever it was drafted anew as.
fn listed_as(status: PlanStatus, superseded_by: Option<PlanId>) -> String {
    match superseded_by {
        Some(newer) if status == PlanStatus::Draft => format!("{status} (see {newer})"),
        _ => status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_draft_is_told_to_have_been_drafted_anew() {
        assert_eq!(listed_as(PlanStatus::Draft, Some(PlanId::new(22))), "draft (see 22)");
        assert_eq!(listed_as(PlanStatus::Active, Some(PlanId::new(22))), "active");
        assert_eq!(listed_as(PlanStatus::Draft, None), "draft");
    }
}
