//! `GET /`: the Today page.
//!
//! The first card has the headline of the brief, today's workout, pending decisions and the rest of
//! the brief. Below it: recovery values, the check-in, this week, and the latest activities.

mod brief;
mod check_in;
mod recovery;

pub(crate) use crate::pages::day::show as show_day;
pub(crate) use brief::rewrite;
pub(crate) use check_in::{create_absence, create_note, remove_absence, save_feeling};

use crate::charts::steps;
use crate::components::core_message::for_page;
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
use fitness_core::plan::{Plan, PlanStatus, PlannedWorkout, Proposal};
use fitness_store::training::activity_search::{ActivityFilter, PagePosition};
use fitness_store::{JobState, PendingDecisions, PlanAdherence, StoredActivity};
use maud::{Markup, html};

/// Activities in the list of the latest ones.
const MAX_LATEST: usize = 4;

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let (store, user) = (view.store(), view.user());
    let waiting = store.pending_decisions(user, view.today).await?;
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
        (today_card(&view, &brief::load(&view, &facts).await?, (progress.as_ref(), author), &pending_decisions(&waiting, active.map(|plan| plan.revision), &drafts)))
        div.grid.bodily {
            (recovery::card(&view, &facts).await?)
            (check_in::absence_and_note_card(&view).await?)
        }
        @if let Some(progress) = &progress { (week(&view, progress)) }
        (latest_list(&view, &latest, progress.as_ref()))
    };
    Ok(view.page(NavItem::Today, "Today", &body))
}

/// Tells the owner of the server that the nightly backup failed.
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
                @if job.is_open() { "The server will retry automatically. " } @else { "All retries failed. The next backup runs tomorrow night. " }
                "Your data is safe, but the newest backup is out of date. For details, run "
                code { "fitness doctor" } " on the server."
            }
        }
    })
}

/// The first card: headline, today's workout, pending decisions, and the reasons.
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

/// The latest activities, newest first.
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
        return html! { p.lead { "No plan yet. " a href="/plan/new" { "Create one" } " when you have a race in mind." } };
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

/// Proposals and drafts that need a decision. Several drafts share one line.
fn pending_decisions(waiting: &PendingDecisions, revision: Option<i64>, drafts: &[&Plan]) -> Markup {
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
        @for (at, proposal) in waiting.proposals.iter().enumerate() {
            (line("Needs your decision", &html! { (escape_invisible(&for_page(&proposal.message))) " " (author_label::render(Some(proposal.origin.author()))) }, proposal_hint(proposal, revision, at == 0), &format!("/proposals/{}", proposal.id)))
        }
        @if let Some(said) = &waiting.said { p.waits { (for_page(said)) } }
        @match drafts {
            [] => {}
            [draft] => (line("Draft", &html! { (escape_invisible(&draft.name)) " " (author_label::render(Some(draft.author))) }, "Not your active plan yet.", &format!("/plans/{}", draft.id))),
            several => (line("Drafts", &html! { (several.len()) " drafts" }, "None of them is your active plan yet.", "/plans")),
        }
    }
}

/// The line below a proposal. The promise that nothing changes is made once.
fn proposal_hint(proposal: &Proposal, revision: Option<i64>, is_first: bool) -> &'static str {
    if revision.is_some_and(|revision| revision != proposal.base_revision) {
        "Your plan has changed since this was proposed."
    } else if is_first {
        "Your plan stays as it is until you accept this."
    } else {
        ""
    }
}

/// Today's workouts. The name is left out where the headline has it.
fn todays_workouts(
    view: &PageContext,
    progress: Option<&PlanAdherence>,
    author: Option<Author>,
    is_named: bool,
) -> Markup {
    let today = workouts_on(progress, view.today);
    let units = view.units();
    html! {
        h3.label { "Today's workout" @if let Some(progress) = progress.filter(|_| !today.is_empty()) { " " (author_label::render_for_plan(&progress.plan, author)) } }
        @if progress.is_none() {
            p { "Nothing is scheduled today." }
            // Without data, importing is the primary action.
            @let first = if view.freshness.complete_through().is_some() { "btn primary" } else { "btn" };
            p.actions { a class=(first) href="/plan/new" { "Create a plan" } a.btn href="/coach" { "Ask the coach" } }
        } @else if today.is_empty() {
            p { "Nothing planned for today." }
            p.actions { a.btn href="/plan" { "Open plan" } }
        }
        @for (planned, graded) in &today {
            @let workout = &planned.workout;
            @if !is_named || today.len() > 1 {
                p.big { (escape_invisible(workout.name_without_size(units))) @if let Some(size) = workout.size_label(units) { " " (size) } }
            }
            p { @if let Some(chip) = today_chip(graded, view.today) { (chip) " " } span.soft { (describe_workout(planned)) } }
            // A single step repeats the line above it.
            @if workout.steps.len() > 1 {
                @let steps_text: Vec<String> = step_lines(&workout.steps, units).iter().map(|step| escape_invisible(step).to_string()).collect();
                (steps::draw(workout, &steps_text.join("; ")))
                p.meta { @for step in &steps_text { span { (step) } } }
            } @else if workout.steps.is_empty() && let Some(words) = &workout.description { p { (escape_invisible(words)) } }
            p.actions {
                // No primary action on a rest day or while ill, injured or away.
                a class=(if graded.excused.is_none() && !workout.is_rest() { "btn primary" } else { "btn" }) href={ "/plan/workouts/" (planned.id) } { "Open" }
                a.btn href={ "/coach?about=workout:" (planned.id) } { "Ask the coach" }
                (export::send_to_watch(view, planned, true))
            }
        }
    }
}

/// The verdict chip; `None` before the day is over.
fn today_chip(graded: &GradedWorkout, today: Day) -> Option<Markup> {
    let is_open = graded.verdict == Verdict::Pending && graded.excused.is_none();
    (!is_open).then(|| chip::verdict(graded, today))
}

/// `easy · about 45 min · load 37`.
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
    // Without any data of this week, zero would be a guess.
    let known = view.freshness.complete_through().is_some_and(|day| day >= monday);
    let totals = this.map(|week| {
        let (done, planned) = (week.running.done.distance, week.running.planned.display().label(units));
        match known || done > Distance::ZERO {
            true => format!(": {} of {planned}", units.format_distance(done)),
            false => format!(": {planned} planned, no data yet"),
        }
    });
    let since = (progress.plan.start_date > monday).then(|| progress.plan.start_date.date().format("%A"));
    html! {
        section.card {
            h2 { "This week" @if let Some(totals) = totals { (totals) @if let Some(since) = since { " (from " (since) ")" } } }
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

fn latest_list(view: &PageContext, latest: &[StoredActivity], progress: Option<&PlanAdherence>) -> Markup {
    let units = view.units();
    let verdict = |id| {
        let progress = progress?;
        let at = progress.adherence.behind.iter().position(|behind| behind.activities.contains(&id))?;
        progress.adherence.graded.get(at)
    };
    let pace = |activity: &Activity| {
        let speed = Speed::from_distance_and_time(activity.distance?, activity.moving.or(activity.elapsed)?)?;
        units.format_speed_for(activity.sport, speed)
    };
    html! {
        section.card {
            h2 { "Latest" }
            @if latest.is_empty() {
                p { "No activities yet. " a href="/data" { "Import data" } }
            } @else {
                table.rows {
                    @for stored in latest {
                        @let activity = &stored.activity;
                        tr data-row {
                            td { (time::element(stored.day, view.today)) }
                            td { a href={ "/activities/" (stored.id) } { (activity.name.as_deref().map_or_else(|| activity.sport.title().to_owned(), |name| escape_invisible(name).to_string())) } }
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
