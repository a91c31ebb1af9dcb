//! `GET /plans/{id}`: a draft to review and commit to, or an archived plan.

use crate::components::calendar::{CalendarWorkout, PlanCalendar};
use crate::components::core_message::for_page;
use crate::components::{author_label, chip, findings, time};
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::{parse_id, see_other};
use crate::page::{NavItem, PageContext};
use crate::pages::plan::list;
use axum::response::Response;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::Distance;
use fitness_core::domain::untrusted_text::{escape_invisible, pluralize};
use fitness_core::plan::{
    Plan, PlanConstraints, PlanStatus, PlannedRunningTotals, TrainingBaseline, Weekdays, describe_target,
};
use fitness_store::{LintReview, PlanAdherence};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Weeks drawn in the calendar.
const MAX_WEEKS: usize = 26;

pub(crate) async fn show(view: PageContext, Path(id): Path<String>) -> Result<Response, PageError> {
    let plan = find_plan(&view, &id).await?;
    match plan.status {
        PlanStatus::Active => Ok(see_other("/plan")),
        PlanStatus::Archived => show_archived(&view, &plan).await,
        PlanStatus::Draft => page(&view, &plan, &FormFields::default(), &FieldErrors::default()).await,
    }
}

/// A plan of the current user; another user's is not found.
pub(crate) async fn find_plan(view: &PageContext, id: &str) -> Result<Plan, PageError> {
    let id: PlanId = parse_id(id)?;
    view.store().find_plan(view.user(), id).await?.ok_or_else(PageError::not_found)
}

/// A draft with its checks, the form to commit to it, and its calendar.
pub(crate) async fn page(
    view: &PageContext,
    plan: &Plan,
    fields: &FormFields,
    faults: &FieldErrors,
) -> Result<Response, PageError> {
    let (store, user, today) = (view.store(), view.user(), view.today);
    let progress = store.plan_adherence(user, plan.id).await?;
    let review = store.lint_plan(user, plan.id, today).await?;
    let athlete = store.training_baseline_for_plan(user, plan, today).await?;
    let active = store.find_active_plan(user).await?;
    let over = plan.race_date < today;
    let body = html! {
        (head(view, plan, &progress))
        @if let Some(newer) = plan.superseded_by {
            p.card { "Replaced by " a href={ "/plans/" (newer) } { "a newer draft" } "." }
        }
        section.card { h2 { "Checks" } (findings::render(review.findings())) }
        @if over {
            section.card.waits { p { "The race was on " (time::element(plan.race_date, today)) ", so this draft can't be used any more." } (delete_and_new_links(plan)) }
        } @else {
            section.card.waits #commit { (activate_form(view, plan, &progress, &review, active.as_ref(), (fields, faults))) }
        }
        (constraints_card(view, plan, &progress, &athlete))
        (schedule(view, plan, &progress))
    };
    Ok(view.page(NavItem::Plan, &escape_invisible(&plan.name).to_string(), &body))
}

fn head(view: &PageContext, plan: &Plan, progress: &PlanAdherence) -> Markup {
    let training = progress.workouts.iter().filter(|planned| !planned.workout.is_rest()).count();
    let planned = PlannedRunningTotals::from_workouts(
        progress.workouts.iter().map(|planned| &planned.workout),
        plan.race_date,
    );
    html! {
        div.row { h1 { (escape_invisible(&plan.name)) } (chip::status(plan.status)) (author_label::render(Some(plan.author))) }
        p.lead {
            (list::describe_goal(view, plan)) ". "
            (pluralize(training as u64, "workout", "workouts")) " from " (time::element(plan.start_date, view.today))
            @if let Some(planned) = planned.label(view.units()) { ", " (planned) } "."
        }
        p.meta { @if plan.author == Author::Athlete { span { "written by you" } } span { "Drafted " (time::on_clock_or_date(plan.created_at, view.profile.zone, view.today)) } }
    }
}

/// The form that leads to the confirmation page.
fn activate_form(
    view: &PageContext,
    plan: &Plan,
    progress: &PlanAdherence,
    review: &LintReview,
    active: Option<&Plan>,
    (fields, faults): (&FormFields, &FieldErrors),
) -> Markup {
    let behind = plan.workouts_before_today(&progress.workouts, view.today);
    let mut seen = BTreeSet::new();
    let errors: Vec<_> =
        review.blocking_findings().into_iter().filter(|finding| seen.insert(finding.rule)).collect();
    html! {
        h2 { "Your decision" }
        @if faults.has_any() { div.faults role="alert" { ul { @for (field, sentence) in faults.iter() { li { a href={ "#" (field) } { (sentence) } } } } } }
        form method="get" action={ "/plans/" (plan.id) "/commit" } {
            @if let Some(active) = active {
                fieldset.field #replaces {
                    legend { "You already have an active plan" }
                    label.tick { input type="checkbox" name="replaces" value=(active.id) checked[fields.has_value("replaces", &active.id.to_string())];
                        span { "Archive " b { (escape_invisible(&active.name)) }
                            @if let Some(at) = active.activated_at { ", active since " (time::clock_or_date(at, view.profile.zone, view.today)) "," } " when I commit to this plan. The plan and its results are kept." } }
                }
            }
            @if let Some(behind) = behind {
                @let planned = fields.get("begin") == Some("planned");
                fieldset.field #begin {
                    legend { "This plan was due to start on " (time::element(plan.start_date, view.today)) }
                    label.tick { input type="radio" name="begin" value="today" checked[!planned]; span { (for_page(&plan.describe_late_start(behind, Some(view.today)))) } }
                    label.tick { input type="radio" name="begin" value="planned" checked[planned]; span { (for_page(&plan.describe_late_start(behind, None))) } }
                }
            }
            @if !errors.is_empty() {
                fieldset.field #override {
                    legend { "The checks found errors" }
                    p.hint { "Draft a different plan, or override each error you accept." }
                    @for finding in &errors {
                        label.tick { input type="checkbox" name="override" value=(finding.rule) checked[fields.has_value("override", finding.rule.as_str())];
                            span { "Accept this error: " (for_page(&finding.text)) } }
                    }
                }
            }
            p.actions {
                button.primary type="submit" { "Commit to this plan…" }
                a.btn href=(redraft_url(plan)) { "Change the settings" }
                a.btn.danger href={ "/plans/" (plan.id) "/delete" } { "Delete draft…" }
            }
            p.small.soft { "The plan is not active until you confirm on the next page." }
        }
    }
}

fn delete_and_new_links(plan: &Plan) -> Markup {
    html! { p.actions { a.btn.primary href="/plan/new" { "New plan" } a.btn.danger href={ "/plans/" (plan.id) "/delete" } { "Delete…" } } }
}

/// The form for a new plan, filled in with the settings of this draft.
fn redraft_url(plan: &Plan) -> String {
    let PlanConstraints { availability, stated, wished } = &plan.terms;
    let km = |far: Distance| format!("{}km", far.km());
    let mut query = form_urlencoded::Serializer::new(String::new());
    if wished.named {
        query.append_pair("name", &plan.name);
    }
    query.append_pair("goal", plan.goal.as_str()).append_pair("race_date", &plan.race_date.to_string());
    if plan.goal.distance().is_none()
        && let Some(far) = plan.distance
    {
        query.append_pair("distance", &km(far));
    }
    if let Some(target) = plan.target_time {
        query.append_pair("target", &target.format_clock());
    }
    for day in availability.days.to_string().split(',') {
        query.append_pair("days", day);
    }
    let blocked: Vec<String> = availability.blackouts.iter().map(ToString::to_string).collect();
    if !blocked.is_empty() {
        query.append_pair("blackout", &blocked.join("\n"));
    }
    if let Some(day) = wished.long_day {
        query.append_pair("long_day", &Weekdays::NONE.with(day).to_string());
    }
    if let Some(race) = wished.tune_up {
        query.append_pair("b_race", &race.on.to_string()).append_pair("b_race_distance", &km(race.distance));
    }
    if wished.strength {
        query.append_pair("strength", "on");
    }
    if let Some(sport) = wished.cross {
        query.append_pair("cross", sport.as_str());
    }
    for (field, stated) in [("base", stated.base), ("longest", stated.longest)] {
        if let Some(far) = stated {
            query.append_pair(field, &km(far));
        }
    }
    if let Some(level) = stated.level {
        query.append_pair("level", level.as_str());
    }
    if plan.superseded_by.is_none() {
        query.append_pair("supersedes", &plan.id.to_string());
    }
    format!("/plan/new?{}", query.finish())
}

/// The training baseline, the target and the availability the draft is based on.
fn constraints_card(
    view: &PageContext,
    plan: &Plan,
    progress: &PlanAdherence,
    athlete: &TrainingBaseline,
) -> Markup {
    let workouts = progress.workouts.iter().map(|planned| &planned.workout);
    let availability = &plan.terms.availability;
    html! {
        section.card {
            h2 { "Based on" }
            ul {
                li { (for_page(&athlete.describe(view.units()))) " " (for_page(&athlete.describe_pace_basis(workouts))) }
                @if let Some(target) = describe_target(plan, athlete, view.units()) { li { (for_page(&target)) } }
                @if !availability.is_unrestricted() {
                    li { "Training days: " (availability.days.label())
                        @if !availability.blackouts.is_empty() { ", with " (pluralize(availability.blackouts.len() as u64, "blocked day", "blocked days")) } "." }
                }
            }
        }
    }
}

fn schedule(view: &PageContext, plan: &Plan, progress: &PlanAdherence) -> Markup {
    let cells: Vec<CalendarWorkout<'_>> = progress
        .workouts
        .iter()
        .enumerate()
        .map(|(at, planned)| CalendarWorkout {
            workout: &planned.workout,
            id: Some(planned.id),
            graded: progress.adherence.graded.get(at),
        })
        .collect();
    let rest = html! { a href={ "/plan/export?plan=" (plan.id) } { "Download the full plan" } "." };
    let weeks = PlanCalendar {
        race: plan.race_date,
        today: view.today,
        units: view.units(),
        max_weeks: MAX_WEEKS,
        more_link: &rest,
    };
    html! { section.card { h2 { "Day by day" } (weeks.render(&cells)) } }
}

async fn show_archived(view: &PageContext, plan: &Plan) -> Result<Response, PageError> {
    let progress = view.store().plan_adherence(view.user(), plan.id).await?;
    let tally = progress.adherence.tally;
    let zone = view.profile.zone;
    let body = html! {
        (head(view, plan, &progress))
        section.card {
            h2 { "How it went" }
            p {
                (tally.hit) " hit, " (tally.short) " short, " (tally.missed) " missed"
                @if tally.excused > 0 { ", " (tally.excused) " excused" } ". "
                @match progress.adherence.adherence.current.percent {
                    Some(percent) => { "Adherence " (percent) "%." }
                    None => "No workouts were graded."
                }
            }
            p.meta {
                @if let Some(at) = plan.activated_at { span { "active from " (time::clock_or_date(at, zone, view.today)) } }
                @if let Some(at) = plan.archived_at { span { "archived " (time::clock_or_date(at, zone, view.today)) } }
                a href={ "/plan/revisions?plan=" (plan.id) } { (pluralize(plan.revision.unsigned_abs(), "revision", "revisions")) }
                a href={ "/plan/export?plan=" (plan.id) } { "Download" }
            }
            p.actions { a.btn.danger href={ "/plans/" (plan.id) "/delete" } { "Delete…" } }
        }
        (schedule(view, plan, &progress))
    };
    Ok(view.page(NavItem::Plan, &escape_invisible(&plan.name).to_string(), &body))
}
