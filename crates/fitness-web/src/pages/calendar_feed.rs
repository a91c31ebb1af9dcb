//! `GET /calendar/{secret}.ics`: the planned workouts from today on. The secret is the only
//! protection.

use crate::app::App;
use crate::http::error::PageError;
use crate::http::extract::Path;
use crate::http::rate_limit::SecretKind;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use fitness_core::domain::calendar::Day;
use fitness_core::plan::export::{PlanExport, icalendar, owner_hash};

const EMPTY_CALENDAR: &str =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//local-fitness//EN\r\nEND:VCALENDAR\r\n";

pub(crate) async fn show(State(app): State<App>, Path(file): Path<String>) -> Result<Response, PageError> {
    let secret = file.strip_suffix(".ics").ok_or_else(PageError::not_found)?;
    // Looked up by its hash, so timing reveals nothing about the secret.
    let Some(user) = app.store.find_calendar_feed_user(secret).await? else {
        app.rate_limits.count_failed_secret(SecretKind::CalendarFeed)?;
        return Err(PageError::not_found());
    };
    let (account, profile) = (app.store.user(user).await?, app.store.profile(user).await?);
    let today = Day::at((app.clock)(), profile.zone);
    let text = match app.store.find_active_plan(user).await? {
        None => EMPTY_CALENDAR.to_owned(),
        Some(plan) => {
            let mut workouts = app.store.list_workouts(user, plan.id, plan.revision).await?;
            workouts.retain(|planned| planned.workout.date >= today);
            let revisions = app.store.list_revisions(user, plan.id).await?;
            let made = revisions.iter().find(|revision| revision.number == plan.revision);
            let made_at = made.map_or(plan.created_at, |revision| revision.made_at);
            let mark = owner_hash(user, account.created_at);
            let author = app.store.find_text_author(user, &plan).await?;
            icalendar(PlanExport { plan: &plan, workouts: &workouts, author }, &mark, made_at, profile.units)
        }
    };
    Ok(([(header::CONTENT_TYPE, "text/calendar; charset=utf-8")], text).into_response())
}
