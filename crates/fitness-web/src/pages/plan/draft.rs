//! `GET /plans/{id}`: a draft before it is decided on, or a plan that is over.

use crate::components::calendar::{Cell, Weeks};
use crate::components::{author_label, chip, findings, time};
use crate::http::error::Problem;
use crate::http::extract::Path;
use crate::http::form::{Faults, Fields};
use crate::http::response::{number, see_other};
use crate::page::{Place, View};
use crate::pages::plan::list;
use axum::response::Response;
use fitness_core::domain::ids::PlanId;
use fitness_core::domain::units::Distance;
use fitness_core::domain::untrusted_text::{counted, visible};
use fitness_core::plan::{Asked, Background, Plan, PlanStatus, Terms, Weekdays, told_target};
use fitness_store::{Progress, Review};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// As many weeks are drawn.
const WEEKS: usize = 26;

pub(crate) async fn show(view: View, Path(id): Path<String>) -> Result<Response, Problem> {
    let plan = find(&view, &id).await?;
    match plan.status {
        PlanStatus::Active => Ok(see_other("/plan")),
        PlanStatus::Archived => archived(&view, &plan).await,
        PlanStatus::Draft => page(&view, &plan, &Fields::default(), &Faults::default()).await,
    }
}

/// A plan of theirs.
pub(crate) async fn find(view: &View, id: &str) -> Result<Plan, Problem> {
    let id: PlanId = number(id)?;
    view.store().find_plan(view.user(), id).await?.ok_or_else(Problem::not_found)
}

/// A draft with everything there is to know before committing it.
pub(crate) async fn page(
    view: &View,
    plan: &Plan,
    fields: &Fields,
    faults: &Faults,
) -> Result<Response, Problem> {
    let (store, user, today) = (view.store(), view.user(), view.today);
    let progress = store.progress(user, plan.id).await?;
    let review = store.review(user, plan.id, today).await?;
    let athlete = store.background_of(user, plan, today).await?;
    let active = store.find_active_plan(user).await?;
    let over = plan.race_date < today;
    let body = html! {
        (head(view, plan, &progress))
        @if let Some(newer) = plan.superseded_by {
            p.card { "Another draft took its place: " a href={ "/plans/" (newer) } { "plan " (newer) } "." }
        }
        section.card { h2 { "Checks" } (findings::all(review.findings())) }
        @if over {
            section.card.waits { p { "Its race was on " (time::element(plan.race_date, today)) ": there is nothing left to follow." } (away(plan)) }
        } @else {
            section.card.waits #commit { (commit_form(view, plan, &progress, &review, active.as_ref(), (fields, faults))) }
        }
        (terms(view, plan, &progress, &athlete))
        (schedule(view, plan, &progress))
    };
    Ok(view.page(Place::Plan, &visible(&plan.name).to_string(), &body))
}

fn head(view: &View, plan: &Plan, progress: &Progress) -> Markup {
    let training = progress.workouts.iter().filter(|planned| !planned.workout.is_rest()).count();
    let asked = Asked::of(progress.workouts.iter().map(|planned| &planned.workout), plan.race_date);
    html! {
        div.row { h1 { (visible(&plan.name)) } (chip::status(plan.status)) (author_label::label(Some(plan.author))) }
        p.lead {
            (list::aim(view, plan)) ". "
            (counted(training as u64, "workout", "workouts")) " from " (time::element(plan.start_date, view.today))
            @if let Some(asked) = asked.told(view.units()) { ": " (asked) } "."
            @if plan.status == PlanStatus::Draft { br; strong { "Nothing is tracked until you commit." } }
        }
        p.meta { span { "Draft " (plan.id) } span { "written by " (list::author(plan.author)) } span { (time::moment(plan.created_at, view.profile.zone, view.today)) } }
    }
}

/// What the athlete decides, as a form whose answer is a page that asks once more.
fn commit_form(
    view: &View,
    plan: &Plan,
    progress: &Progress,
    review: &Review,
    active: Option<&Plan>,
    (fields, faults): (&Fields, &Faults),
) -> Markup {
    let behind = plan.behind(&progress.workouts, view.today);
    let mut seen = BTreeSet::new();
    let errors: Vec<_> = review.blocking().into_iter().filter(|finding| seen.insert(finding.rule)).collect();
    html! {
        h2 { "Your decision" }
        @if faults.any() { div.faults role="alert" { ul { @for (field, sentence) in faults.all() { li { a href={ "#" (field) } { (sentence) } } } } } }
        form method="get" action={ "/plans/" (plan.id) "/commit" } {
            @if let Some(active) = active {
                fieldset.field #replaces {
                    legend { "You already have an active plan" }
                    label.tick { input type="checkbox" name="replaces" value=(active.id) checked[fields.has("replaces", &active.id.to_string())];
                        span { "Committing archives " b { (visible(&active.name)) }
                            @if let Some(at) = active.activated_at { ", active since " (time::moment(at, view.profile.zone, view.today)) } ". You keep it, with its verdicts." } }
                }
            }
            @if let Some(behind) = behind {
                @let planned = fields.one("begin") == Some("planned");
                fieldset.field #begin {
                    legend { "Its first day was " (time::element(plan.start_date, view.today)) }
                    label.tick { input type="radio" name="begin" value="today" checked[!planned]; span { "Begin today. " (plan.told_beginning(behind, Some(view.today))) } }
                    label.tick { input type="radio" name="begin" value="planned" checked[planned]; span { "As planned. " (plan.told_beginning(behind, None)) } }
                }
            }
            @if !errors.is_empty() {
                fieldset.field #override {
                    legend { "The checks call this unsafe" }
                    p.hint { "Draft another plan, or tick each error that you go ahead against." }
                    @for finding in &errors {
                        label.tick { input type="checkbox" name="override" value=(finding.rule) checked[fields.has("override", finding.rule.as_str())];
                            span { "Override " (finding.rule) ": " (finding.rule.metric()) ". " span.soft { (finding.text) } } }
                    }
                }
            }
            p.actions {
                button.primary type="submit" { "Commit this plan…" }
                a.btn href=(redraft(plan)) { "Ask for another" }
                a.btn.danger href={ "/plans/" (plan.id) "/delete" } { "Delete the draft…" }
            }
            p.small.soft { "The next page says once more what will happen." }
        }
    }
}

fn away(plan: &Plan) -> Markup {
    html! { p.actions { a.btn.primary href="/plan/new" { "New plan" } a.btn.danger href={ "/plans/" (plan.id) "/delete" } { "Delete it…" } } }
}

/// The same wish again, to be changed: all that was typed comes back.
fn redraft(plan: &Plan) -> String {
    let Terms { availability, stated, wished } = &plan.terms;
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
        query.append_pair("target", &target.clock());
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
    for (field, said) in [("base", stated.base), ("longest", stated.longest)] {
        if let Some(far) = said {
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

/// What it was made under, and how far the data stands behind its target.
fn terms(view: &View, plan: &Plan, progress: &Progress, athlete: &Background) -> Markup {
    let workouts = progress.workouts.iter().map(|planned| &planned.workout);
    let availability = &plan.terms.availability;
    html! {
        section.card {
            h2 { "What it was made from" }
            ul {
                li { (athlete.told(view.units())) " " (athlete.told_paces(workouts)) }
                @if let Some(said) = told_target(plan, athlete, view.units()) { li { (time::in_words(&said)) } }
                @if !availability.is_open() {
                    li { "Training days: " (availability.days.spoken())
                        @if !availability.blackouts.is_empty() { ", without " (counted(availability.blackouts.len() as u64, "blocked day", "blocked days")) } "." }
                }
            }
        }
    }
}

fn schedule(view: &View, plan: &Plan, progress: &Progress) -> Markup {
    let cells: Vec<Cell<'_>> = progress
        .workouts
        .iter()
        .enumerate()
        .map(|(at, planned)| Cell {
            workout: &planned.workout,
            id: Some(planned.id),
            graded: progress.followed.graded.get(at),
        })
        .collect();
    let rest = html! { a href={ "/plan/export?plan=" (plan.id) } { "All of it is in its files" } "." };
    let weeks =
        Weeks { race: plan.race_date, today: view.today, units: view.units(), most: WEEKS, rest: &rest };
    html! { section.card { h2 { "Day by day" } (weeks.draw(&cells)) } }
}

/// A plan that is over, to look back on.
async fn archived(view: &View, plan: &Plan) -> Result<Response, Problem> {
    let progress = view.store().progress(view.user(), plan.id).await?;
    let tally = progress.followed.tally;
    let zone = view.profile.zone;
    let body = html! {
        (head(view, plan, &progress))
        section.card {
            h2 { "How it went" }
            p {
                (tally.hit) " hit, " (tally.short) " short, " (tally.missed) " missed"
                @if tally.excused > 0 { ", " (tally.excused) " excused" } ". "
                @match progress.followed.adherence.current.percent {
                    Some(percent) => { "Adherence " (percent) " %." }
                    None => "Nothing of it was judged."
                }
            }
            p.meta {
                @if let Some(at) = plan.activated_at { span { "committed " (time::moment(at, zone, view.today)) } }
                @if let Some(at) = plan.archived_at { span { "archived " (time::moment(at, zone, view.today)) } }
                a href={ "/plan/revisions?plan=" (plan.id) } { (counted(plan.revision.unsigned_abs(), "revision", "revisions")) }
                a href={ "/plan/export?plan=" (plan.id) } { "Download" }
            }
            p.actions { a.btn.danger href={ "/plans/" (plan.id) "/delete" } { "Delete it…" } }
        }
        (schedule(view, plan, &progress))
    };
    Ok(view.page(Place::Plan, &visible(&plan.name).to_string(), &body))
}
