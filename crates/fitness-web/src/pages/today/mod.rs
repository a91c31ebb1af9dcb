//! `GET /`: what to do today, and why.
//!
//! One card leads: the brief's first sentence, the session, what waits for a decision, and why. Then what the body says
//! against what is normal for it, the athlete's own word about today, the week, and what was done last.

mod brief;
mod check_in;
mod day;
mod recovery;

pub(crate) use brief::rewrite;
pub(crate) use check_in::{create_absence, create_note, remove_absence, save_feeling};
pub(crate) use day::show as show_day;

use crate::charts::steps;
use crate::components::{author_label, chip, time, workout};
use crate::http::error::PageError;
use crate::page::{NavItem, PageContext};
use crate::pages::plan::export;
use crate::worker::BACKUP_JOB;
use axum::response::Response;
use fitness_core::adherence::WorkoutNoteKind;
use fitness_core::adherence::grade::{GradedWorkout, Verdict};
use fitness_core::domain::activity::Activity;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::Author;
use fitness_core::domain::units::{Distance, Speed};
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::plan::export::describe_steps as step_lines;
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout};
use fitness_store::training::activity_search::{ActivityFilter, PagePosition};
use fitness_store::{JobState, PendingDecisions, PlanAdherence, StoredActivity};
use maud::{Markup, html};

/// As many activities are listed.
const MAX_LATEST: usize = 4;

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let (store, user) = (view.store(), view.user());
    let waiting = store.pending_decisions(user, view.today, view.now).await?;
    let plans = store.list_plans(user).await?;
    let active = plans.iter().find(|plan| plan.status == PlanStatus::Active);
    let progress = match active {
        Some(plan) => Some(store.plan_adherence(user, plan.id).await?),
        None => None,
    };
    let draft = |plan: &&Plan| {
        plan.status == PlanStatus::Draft && plan.superseded_by.is_none() && plan.race_date >= view.today
    };
    let drafts: Vec<&Plan> = plans.iter().filter(draft).collect();
    let author = match active {
        Some(plan) => store.find_text_author(user, plan).await?,
        None => None,
    };
    let latest = latest_activities(&view).await?;
    let facts = store.facts(user, view.today).await?;
    let body = html! {
        h1 { time datetime=(view.today) { (view.today.date().format("%A %-d %B")) } }
        (countdown_line(&view, progress.as_ref()))
        (backup_notice(&view).await?)
        (today_card(&view, &brief::load(&view, &facts).await?, (progress.as_ref(), author), &pending_decisions(&waiting, &drafts)))
        div.grid.bodily {
            (recovery::card(&view, &facts).await?)
            (check_in::absence_and_note_card(&view).await?)
        }
        @if let Some(progress) = &progress { (week(&view, progress)) }
        (latest_list(&view, &latest, progress.as_ref()))
    };
    Ok(view.page(NavItem::Today, "Today", &body))
}

/// That the night's backup failed, for whoever runs this server.
async fn backup_notice(view: &PageContext) -> Result<Markup, PageError> {
    if !view.current_user.is_owner {
        return Ok(Markup::default());
    }
    let newest = view.store().newest_job(view.user(), BACKUP_JOB).await?;
    let Some(job) = newest.filter(|job| job.problem.is_some() && job.state != JobState::Done) else {
        return Ok(Markup::default());
    };
    let problem = job.problem.as_deref().unwrap_or_default();
    Ok(html! {
        section.card role="status" {
            h2 { "The nightly backup failed" }
            p { (escape_invisible(problem)) }
            p.soft {
                @if job.is_open() { "The server tries again by itself. " } @else { "The server tried several times and tries again tomorrow night. " }
                "Your data is where it was; the newest backup is older than it should be. On the machine that runs this server, "
                code { "fitness doctor" } " says more."
            }
        }
    })
}

/// The one card that leads: what to do, the session, the decision that waits, and why.
fn today_card(
    view: &PageContext,
    brief: &brief::Brief,
    (progress, author): (Option<&PlanAdherence>, Option<Author>),
    waits: &Markup,
) -> Markup {
    html! {
        section.card.leading aria-label="What to do today" {
            @if let Some(headline) = &brief.headline { h2.headline { (headline) } }
            div.now {
                div.session { (todays_workouts(view, progress, author, brief.names_workout)) }
                (waits)
            }
            div.why { (brief.rationale) }
        }
    }
}

/// What was done last, newest first.
async fn latest_activities(view: &PageContext) -> Result<Vec<StoredActivity>, PageError> {
    let page = view
        .store()
        .search_activities(view.user(), &ActivityFilter::default(), PagePosition::Start, MAX_LATEST)
        .await?;
    Ok(page.activities)
}

/// `Half marathon in 70 days · week 5 of 14`.
fn countdown_line(view: &PageContext, progress: Option<&PlanAdherence>) -> Markup {
    let Some(progress) = progress else {
        return html! { p.lead { "No active plan. " a href="/plan/new" { "Make one" } " when there is something to train for." } };
    };
    let plan = &progress.plan;
    let days = view.today.days_until(plan.race_date);
    let weeks = &progress.adherence.weeks;
    let number = weeks.iter().position(|week| (0..7).contains(&week.monday.days_until(view.today)));
    html! {
        p.lead {
            a href="/plan" { (escape_invisible(&plan.name)) } " "
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
fn pending_decisions(waiting: &PendingDecisions, drafts: &[&Plan]) -> Markup {
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
            (line("Waits for you", &html! { (escape_invisible(&proposal.message)) " " (author_label::render(Some(proposal.origin.author()))) }, "Nothing changes before you say so.", &format!("/proposals/{}", proposal.id)))
        }
        @if let Some(said) = &waiting.said { p.waits { (said) } }
        @match drafts {
            [] => {}
            [draft] => (line("Draft", &html! { (escape_invisible(&draft.name)) " " (author_label::render(Some(draft.author))) }, "Not tracked until you commit it.", &format!("/plans/{}", draft.id))),
            several => (line("Drafts", &html! { (several.len()) " drafts" }, "None is tracked until you commit it.", "/plans")),
        }
    }
}

/// What is asked today. Its name is left to the headline where that says it.
fn todays_workouts(
    view: &PageContext,
    progress: Option<&PlanAdherence>,
    author: Option<Author>,
    is_named: bool,
) -> Markup {
    let today = workouts_on(progress, view.today);
    let units = view.units();
    html! {
        h3.label { "Today's session" @if !today.is_empty() { " " (author_label::render(author)) } }
        @if progress.is_none() {
            p { "There is no plan, so today is yours." }
            // Without data there is something better to do first.
            @let first = if view.freshness.complete_through().is_some() { "btn primary" } else { "btn" };
            p.actions { a class=(first) href="/plan/new" { "Make a plan" } a.btn href="/coach" { "Ask the coach" } }
        } @else if today.is_empty() {
            p { "Nothing is planned for today." }
            p.actions { a.btn href="/plan" { "Open the plan" } }
        }
        @for (planned, graded) in &today {
            @let workout = &planned.workout;
            @if !is_named || today.len() > 1 {
                p.big { (escape_invisible(workout.name_without_size(units))) @if let Some(size) = workout.size_label(units) { " " (size) } }
            }
            p { @if let Some(chip) = today_chip(graded, view.today) { (chip) " " } span.soft { (describe_workout(planned)) } }
            // A single step says no more than the line above it.
            @if workout.steps.len() > 1 {
                @let told: Vec<String> = step_lines(&workout.steps, units).iter().map(|step| escape_invisible(step).to_string()).collect();
                (steps::draw(workout, &told.join("; ")))
                p.meta { @for told in &told { span { (told) } } }
            } @else if workout.steps.is_empty() && let Some(words) = &workout.description { p { (escape_invisible(words)) } }
            p.actions {
                // Whoever is ill or away has nothing to open first.
                a class=(if graded.excused.is_none() && !workout.is_rest() { "btn primary" } else { "btn" }) href={ "/plan/workouts/" (planned.id) } { "Open" }
                a.btn href={ "/coach?about=workout:" (planned.id) } { "Ask the coach" }
                (export::send_to_watch(view, planned, true))
            }
        }
    }
}

/// What became of it, once there is something to say: nothing waits before the day is over.
fn today_chip(graded: &GradedWorkout, today: Day) -> Option<Markup> {
    let is_open = graded.verdict == Verdict::Pending && graded.excused.is_none();
    (!is_open).then(|| chip::verdict(graded, today))
}

/// How long, how hard, and what for.
fn describe_workout(planned: &PlannedWorkout) -> String {
    let workout = &planned.workout;
    let time = workout
        .duration
        .filter(|_| workout.distance.is_some())
        .map(|time| format!("about {}", time.format_hours_minutes()));
    let load = workout.load.map(|load| format!("load {load:.0}"));
    let how = workout.intensity.as_deref().map(|how| escape_invisible(how).to_string());
    [how, time, load].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn workouts_on(progress: Option<&PlanAdherence>, day: Day) -> Vec<(&PlannedWorkout, &GradedWorkout)> {
    let Some(progress) = progress else { return Vec::new() };
    let all = progress.workouts.iter().zip(&progress.adherence.graded);
    all.filter(|(planned, _)| planned.workout.date == day).collect()
}

/// The seven days of this week.
fn week(view: &PageContext, progress: &PlanAdherence) -> Markup {
    let monday = view.today.iso_week().monday();
    let units = view.units();
    let this = progress.adherence.weeks.iter().find(|week| week.monday == monday);
    // Nothing done is a number only where something of the week is known.
    let known = view.freshness.complete_through().is_some_and(|day| day >= monday);
    let done = this.map(|week| week.running.done.distance);
    let done = done.map(|done| match known || done > Distance::ZERO {
        true => html! { (units.format_distance(done)) },
        false => html! { span title="The data of this week has not arrived." { "—" } },
    });
    let since = (progress.plan.start_date > monday).then(|| progress.plan.start_date.date().format("%A"));
    let planned = this.map(|week| week.running.planned.display().label(units));
    html! {
        section.card {
            h2 { "This week" @if let Some((done, planned)) = done.zip(planned) { " · " (done) " of " (planned) @if let Some(since) = since { " since " (since) } } }
            div.week {
                @for day in monday.through(monday.plus_days(6)) {
                    div.day data-today[day == view.today] {
                        p.head { (day.date().format("%a")) " " span { (day.date().format("%-d")) } }
                        @for (planned, graded) in workouts_on(Some(progress), day) {
                            @let over = progress.adherence.notes.iter().any(|note| note.workout == planned.id && note.kind == WorkoutNoteKind::Over);
                            (workout::render_day_cell(planned, Some(graded), units, view.today, over))
                        }
                    }
                }
            }
        }
    }
}

/// What was done last.
fn latest_list(view: &PageContext, latest: &[StoredActivity], progress: Option<&PlanAdherence>) -> Markup {
    let units = view.units();
    let verdict = |id| {
        let progress = progress?;
        let at = progress.adherence.behind.iter().position(|behind| behind.activities.contains(&id))?;
        progress.adherence.graded.get(at)
    };
    let pace = |activity: &Activity| {
        let speed = Speed::over(activity.distance?, activity.moving.or(activity.elapsed)?)?;
        units.format_speed_for(activity.sport, speed)
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
                            td { a href={ "/activities/" (stored.id) } { (activity.name.as_deref().map_or_else(|| activity.sport.to_string(), |name| escape_invisible(name).to_string())) } }
                            td.n { @if let Some(distance) = activity.distance { (units.format_distance_for(activity.sport, distance)) } @else { "—" } }
                            td.n.wide { @if let Some(time) = activity.moving.or(activity.elapsed) { (time.format_clock()) } @else { "—" } }
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
