//! `GET /`: what to do today, and why.
//!
//! One card leads: the brief's first sentence, the session, what waits for a decision, and why. Then what the body says
//! against what is normal for it, the athlete's own word about today, the week, and what was done last.

mod brief;
mod check_in;
mod day;
mod recovery;

pub(crate) use brief::rewrite;
pub(crate) use check_in::{feel, mark, note, unmark};
pub(crate) use day::show as show_day;

use crate::charts::steps;
use crate::components::{author_label, chip, time, workout};
use crate::http::error::Problem;
use crate::page::{Place, View};
use crate::pages::plan::export;
use crate::worker::BACKUP;
use axum::response::Response;
use fitness_core::adherence::NoteKind;
use fitness_core::adherence::grade::{Graded, Verdict};
use fitness_core::domain::activity::Activity;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::{Distance, Speed};
use fitness_core::domain::untrusted_text::visible;
use fitness_core::plan::export::steps as step_lines;
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout};
use fitness_store::training::activity_search::{Onward, Wanted};
use fitness_store::{JobState, Progress, StoredActivity, Waiting};
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
    let author = match active {
        Some(plan) => store.find_words_author(user, plan).await?,
        None => None,
    };
    let latest = latest(&view).await?;
    let facts = store.facts(user, view.today).await?;
    let body = html! {
        h1 { time datetime=(view.today) { (view.today.date().format("%A %-d %B")) } }
        (lead_line(&view, progress.as_ref()))
        (backup_notice(&view).await?)
        (leading(&view, &brief::find(&view, &facts).await?, (progress.as_ref(), author), &waits(&waiting, &drafts)))
        div.grid.bodily {
            (recovery::card(&view, &facts).await?)
            (check_in::card(&view).await?)
        }
        @if let Some(progress) = &progress { (week(&view, progress)) }
        (listed(&view, &latest, progress.as_ref()))
    };
    Ok(view.page(Place::Today, "Today", &body))
}

/// That the night's backup failed, for whoever runs this server.
async fn backup_notice(view: &View) -> Result<Markup, Problem> {
    if !view.seat.owner {
        return Ok(Markup::default());
    }
    let newest = view.store().newest_job(view.user(), BACKUP).await?;
    let Some(job) = newest.filter(|job| job.problem.is_some() && job.state != JobState::Done) else {
        return Ok(Markup::default());
    };
    let problem = job.problem.as_deref().unwrap_or_default();
    Ok(html! {
        section.card role="status" {
            h2 { "The nightly backup failed" }
            p { (visible(problem)) }
            p.soft {
                @if job.is_open() { "The server tries again by itself. " } @else { "The server tried several times and tries again tomorrow night. " }
                "Your data is where it was; the newest backup is older than it should be. On the machine that runs this server, "
                code { "fitness doctor" } " says more."
            }
        }
    })
}

/// The one card that leads: what to do, the session, the decision that waits, and why.
fn leading(
    view: &View,
    brief: &brief::Brief,
    (progress, author): (Option<&Progress>, Option<Author>),
    waits: &Markup,
) -> Markup {
    html! {
        section.card.leading aria-label="What to do today" {
            @if let Some(headline) = &brief.headline { h2.headline { (headline) } }
            div.now {
                div.session { (session(view, progress, author, brief.names_session)) }
                (waits)
            }
            div.why { (brief.why) }
        }
    }
}

/// What was done last, newest first.
async fn latest(view: &View) -> Result<Vec<StoredActivity>, Problem> {
    let page = view.store().browse_activities(view.user(), &Wanted::default(), Onward::Start, LATEST).await?;
    Ok(page.activities)
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

/// What only the athlete can decide. Several drafts are one line: they are not about today.
fn waits(waiting: &Waiting, drafts: &[&Plan]) -> Markup {
    let line = |chip: &str, what: &Markup, soft: &str, to: &str| {
        html! {
            div.waits {
                span.chip.draft { i aria-hidden="true" { "◇" } " " (chip) }
                p { b { (what) } " " span.soft { (soft) } }
                a.btn href=(to) { "Review" }
            }
        }
    };
    html! {
        @for proposal in &waiting.proposals {
            (line("Waits for you", &html! { (visible(&proposal.message)) " " (author_label::label(Some(proposal.origin.author()))) }, "Nothing changes before you say so.", &format!("/proposals/{}", proposal.id)))
        }
        @if let Some(said) = &waiting.said { p.waits { (said) } }
        @match drafts {
            [] => {}
            [draft] => (line("Draft", &html! { (visible(&draft.name)) " " (author_label::label(Some(draft.author))) }, "Not tracked until you commit it.", &format!("/plans/{}", draft.id))),
            several => (line("Drafts", &html! { (several.len()) " drafts" }, "None is tracked until you commit it.", "/plans")),
        }
    }
}

/// What is asked today. Its name is left to the headline where that says it.
fn session(view: &View, progress: Option<&Progress>, author: Option<Author>, is_named: bool) -> Markup {
    let today = of_day(progress, view.today);
    let units = view.units();
    html! {
        h3.label { "Today's session" @if !today.is_empty() { " " (author_label::label(author)) } }
        @if progress.is_none() {
            p { "There is no plan, so today is yours." }
            // Without data there is something better to do first.
            @let first = if view.fresh.complete().is_some() { "btn primary" } else { "btn" };
            p.actions { a class=(first) href="/plan/new" { "Make a plan" } a.btn href="/coach" { "Ask the coach" } }
        } @else if today.is_empty() {
            p { "Nothing is planned for today." }
            p.actions { a.btn href="/plan" { "Open the plan" } }
        }
        @for (planned, graded) in &today {
            @let workout = &planned.workout;
            @if !is_named || today.len() > 1 {
                p.big { (visible(workout.name_beside_size(units))) @if let Some(size) = workout.size(units) { " " (size) } }
            }
            p { @if let Some(chip) = today_chip(graded, view.today) { (chip) " " } span.soft { (about(planned)) } }
            // A single step says no more than the line above it.
            @if workout.steps.len() > 1 {
                @let told: Vec<String> = step_lines(&workout.steps, units).iter().map(|step| visible(step).to_string()).collect();
                (steps::draw(workout, &told.join("; ")))
                p.meta { @for told in &told { span { (told) } } }
            } @else if workout.steps.is_empty() && let Some(words) = &workout.description { p { (visible(words)) } }
            p.actions {
                // Whoever is ill or away has nothing to open first.
                a class=(if graded.excused.is_none() && !workout.is_rest() { "btn primary" } else { "btn" }) href={ "/plan/workouts/" (planned.id) } { "Open" }
                a.btn href={ "/coach?about=workout:" (planned.id) } { "Ask the coach" }
                (export::to_watch(view, planned, true))
            }
        }
    }
}

/// What became of it, once there is something to say: nothing waits before the day is over.
fn today_chip(graded: &Graded, today: Day) -> Option<Markup> {
    let is_open = graded.verdict == Verdict::Pending && graded.excused.is_none();
    (!is_open).then(|| chip::verdict(graded, today))
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
    // Nothing done is a number only where something of the week is known.
    let known = view.fresh.complete().is_some_and(|day| day >= monday);
    let done = this.map(|week| week.running.done.distance);
    let done = done.map(|done| match known || done > Distance::ZERO {
        true => html! { (units.distance(done)) },
        false => html! { span title="The data of this week has not arrived." { "—" } },
    });
    let since = (progress.plan.start_date > monday).then(|| progress.plan.start_date.date().format("%A"));
    let planned = this.map(|week| week.running.planned.written().spoken(units));
    html! {
        section.card {
            h2 { "This week" @if let Some((done, planned)) = done.zip(planned) { " · " (done) " of " (planned) @if let Some(since) = since { " since " (since) } } }
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
                p { "Nothing is recorded yet. " a href="/sources" { "Where data comes from" } }
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
