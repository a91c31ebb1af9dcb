//! `GET /`: what to do today, and why.
//!
//! One card leads: the brief, or what is known without one. Then the session, the athlete's own word about today, what
//! the body says against what is normal for it, the week, and what was done last.

mod answers;
mod brief;
mod contributors;
mod day;

pub(crate) use answers::{feel, mark, note, unmark};
pub(crate) use brief::rewrite;
pub(crate) use day::show as show_day;

use crate::charts::steps;
use crate::pages::plan_files;
use crate::parts::{chip, time, workout};
use crate::problem::Problem;
use crate::view::{Place, View};
use axum::response::Response;
use fitness_core::activity::Activity;
use fitness_core::adherence::NoteKind;
use fitness_core::calendar::Day;
use fitness_core::export;
use fitness_core::grading::Graded;
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout};
use fitness_core::text::visible;
use fitness_core::units::Speed;
use fitness_store::{Progress, StoredActivity, Waiting};
use maud::{Markup, html};

/// As many activities are listed.
const LATEST: usize = 4;

pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let (store, user) = (view.store(), view.user());
    let waiting = store.what_waits(user, view.today, view.now).await?;
    let plans = store.list_plans(user).await?;
    let active = plans.iter().find(|plan| plan.status == PlanStatus::Active);
    let progress = match active {
        Some(plan) => Some(store.progress(user, plan.id).await?),
        None => None,
    };
    let draft = |plan: &&Plan| {
        plan.status == PlanStatus::Draft && plan.superseded_by.is_none() && plan.race_date >= view.today
    };
    let drafts: Vec<&Plan> = plans.iter().filter(draft).collect();
    let latest = latest(&view).await?;
    let body = html! {
        h1 { time datetime=(view.today) { (view.today.date().format("%A %-d %B")) } }
        (lead_line(&view, progress.as_ref()))
        (brief::card(&view).await?)
        (waits(&waiting, &drafts))
        div.grid {
            (session(&view, progress.as_ref()))
            (contributors::card(&view).await?)
        }
        (answers::card(&view).await?)
        @if let Some(progress) = &progress { (week(&view, progress)) }
        (listed(&view, &latest, progress.as_ref()))
    };
    Ok(view.page(Place::Today, "Today", &body))
}

/// What was done last, newest first.
async fn latest(view: &View) -> Result<Vec<StoredActivity>, Problem> {
    let mut all = view.store().list_activities(view.user(), view.today.plus(-30), view.today).await?;
    all.reverse();
    all.truncate(LATEST);
    Ok(all)
}

/// `Half marathon in 70 days · week 5 of 14`.
fn lead_line(view: &View, progress: Option<&Progress>) -> Markup {
    let Some(progress) = progress else {
        return html! { p.lead { "No active plan. " a href="/plan/new" { "Make one" } " when there is something to train for." } };
    };
    let plan = &progress.plan;
    let days = view.today.until(plan.race_date);
    let weeks = &progress.followed.weeks;
    let number = weeks.iter().position(|week| (0..7).contains(&week.monday.until(view.today)));
    html! {
        p.lead {
            a href="/plan" { (visible(&plan.name)) } " "
            @match days {
                1 => "is tomorrow",
                0 => "is today",
                ..0 => "is over",
                _ => { "in " (days) " days" }
            }
            @if let Some(number) = number { " · week " (number + 1) " of " (weeks.len()) }
        }
    }
}

fn waits(waiting: &Waiting, drafts: &[&Plan]) -> Markup {
    html! {
        @for proposal in &waiting.proposals {
            section.card.waits {
                div.row {
                    span.chip.draft { i aria-hidden="true" { "◇" } " Waits for you" }
                    div { b { (visible(&proposal.message)) } br; span.soft { "Nothing changes before you say so." } }
                    a.btn.push href={ "/proposals/" (proposal.id) } { "Review" }
                }
            }
        }
        @if let Some(said) = &waiting.said { section.card { p { (said) } } }
        @for draft in drafts {
            section.card.waits {
                div.row {
                    span.chip.draft { i aria-hidden="true" { "◇" } " Draft" }
                    div { b { (visible(&draft.name)) } br; span.soft { "Not tracked until you commit it." } }
                    a.btn.push href={ "/plans/" (draft.id) } { "Review" }
                }
            }
        }
    }
}

/// What is asked today.
fn session(view: &View, progress: Option<&Progress>) -> Markup {
    let today = of_day(progress, view.today);
    let units = view.units();
    html! {
        section.card {
            h2 { "Today's session" }
            @if progress.is_none() {
                p { "There is no plan, so today is yours." }
                p.actions { a.btn.primary href="/plan/new" { "Make a plan" } a.btn href="/coach" { "Ask the coach" } }
            } @else if today.is_empty() {
                p { "Nothing is planned for today." }
                p.actions { a.btn href="/plan" { "Open the plan" } }
            }
            @for (planned, graded) in &today {
                @let workout = &planned.workout;
                div.row {
                    div {
                        b.big { (visible(workout.name_beside_size(units))) @if let Some(size) = workout.size(units) { " " (size) } }
                        br; span.soft { (about(planned)) }
                    }
                    span.push { (today_chip(graded, view.today)) }
                }
                @if !workout.steps.is_empty() {
                    @let told: Vec<String> = export::steps(&workout.steps, units).iter().map(|step| visible(step).to_string()).collect();
                    (steps::draw(workout, &told.join("; ")))
                    p.meta { @for told in &told { span { (told) } } }
                } @else if let Some(words) = &workout.description { p { (visible(words)) } }
                p.actions {
                    a.btn.primary href={ "/plan/workouts/" (planned.id) } { "Open" }
                    a.btn href={ "/coach?about=workout:" (planned.id) } { "Ask the coach" }
                    (plan_files::to_watch(view, planned, true))
                }
            }
        }
    }
}

/// What a verdict of today is called: there is nothing to wait for before the day is over.
fn today_chip(graded: &Graded, today: Day) -> Markup {
    use fitness_core::grading::Verdict;
    if graded.verdict == Verdict::Pending && graded.excused.is_none() {
        return html! { span.chip.pending title="Judged when the data of the day has arrived" { i aria-hidden="true" { "◌" } " Today" } };
    }
    chip::verdict(graded, today)
}

/// How long, how hard, and what for.
fn about(planned: &PlannedWorkout) -> String {
    let workout = &planned.workout;
    let time = workout
        .duration
        .filter(|_| workout.distance.is_some())
        .map(|time| format!("about {}", time.hours_minutes()));
    let load = workout.load.map(|load| format!("load {load:.0}"));
    let how = workout.intensity.as_deref().map(|how| visible(how).to_string());
    [how, time, load].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn of_day(progress: Option<&Progress>, day: Day) -> Vec<(&PlannedWorkout, &Graded)> {
    let Some(progress) = progress else { return Vec::new() };
    let all = progress.workouts.iter().zip(&progress.followed.graded);
    all.filter(|(planned, _)| planned.workout.date == day).collect()
}

/// The seven days of this week.
fn week(view: &View, progress: &Progress) -> Markup {
    let monday = view.today.iso_week().monday();
    let units = view.units();
    let this = progress.followed.weeks.iter().find(|week| week.monday == monday);
    let done = this.map(|week| units.distance(week.running.done.distance));
    let planned = this.map(|week| week.running.planned.written().spoken(units));
    html! {
        section.card {
            h2 { "This week" @if let Some((done, planned)) = done.zip(planned) { " · " (done) " of " (planned) } }
            div.week {
                @for day in monday.through(monday.plus(6)) {
                    div.day data-today[day == view.today] {
                        p.head { (day.date().format("%a")) " " span { (day.date().format("%-d")) } }
                        @for (planned, graded) in of_day(Some(progress), day) {
                            @let over = progress.followed.notes.iter().any(|note| note.workout == planned.id && note.kind == NoteKind::Over);
                            (workout::cell(planned, Some(graded), units, view.today, over))
                        }
                    }
                }
            }
        }
    }
}

/// What was done last.
fn listed(view: &View, latest: &[StoredActivity], progress: Option<&Progress>) -> Markup {
    let units = view.units();
    let verdict = |id| {
        let progress = progress?;
        let at = progress.followed.behind.iter().position(|behind| behind.activities.contains(&id))?;
        progress.followed.graded.get(at)
    };
    let pace = |activity: &Activity| {
        let speed = Speed::over(activity.distance?, activity.moving.or(activity.elapsed)?)?;
        units.speed_of(activity.sport, speed)
    };
    html! {
        section.card {
            h2 { "Latest" }
            @if latest.is_empty() {
                p { "Nothing is recorded yet." }
                p.actions { a.btn.primary href="/sources" { "Bring your data in" } }
            } @else {
                table.rows {
                    @for stored in latest {
                        @let activity = &stored.activity;
                        tr data-row {
                            td { (time::element(stored.day, view.today)) }
                            td { a href={ "/activities/" (stored.id) } { (activity.name.as_deref().map_or_else(|| activity.sport.to_string(), |name| visible(name).to_string())) } }
                            td.n { @if let Some(distance) = activity.distance { (units.distance_of(activity.sport, distance)) } @else { "—" } }
                            td.n.wide { @if let Some(time) = activity.moving.or(activity.elapsed) { (time.clock()) } @else { "—" } }
                            td.n.wide { @if let Some(pace) = pace(activity) { (pace) } @else { "—" } }
                            td.n.wide { @if let Some(load) = stored.load { "load " (format!("{load:.0}")) } @else { "—" } }
                            td.n { @if let Some(graded) = verdict(stored.id) { (chip::verdict(graded, view.today)) } }
                        }
                    }
                }
                p.actions { a href="/activities" { "All activities" } }
            }
        }
    }
}
