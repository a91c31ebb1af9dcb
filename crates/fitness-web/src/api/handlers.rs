//! The answers, each read from the store for whoever asks.

use super::error::ApiError;
use super::types::{Activities, ActivityAnswer, BriefAnswer, PlanAnswer, Today, Trends};
use crate::app::App;
use crate::auth::session::CurrentUser;
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::sport::Sport;
use fitness_store::training::activity_search::{ActivityCursor, ActivityFilter, PagePosition};
use std::collections::BTreeMap;
use std::str::FromStr;

/// As many activities are on a page unless it is said.
pub(super) const DEFAULT_LIMIT: usize = 50;
/// As many at most.
pub(super) const MAX_LIMIT: usize = 200;
/// As many days are told unless it is said.
pub(super) const DEFAULT_DAYS: i64 = 90;
/// As many at most.
pub(super) const MAX_DAYS: i64 = 3660;

type ApiResult<T> = Result<Json<T>, ApiError>;

/// What is asked for after the `?`, each name at most once.
struct QueryParams(BTreeMap<String, String>);

impl QueryParams {
    /// Reads the names that are known; any other is a mistake that is better told than passed over.
    fn parse(uri: &Uri, known: &[&str]) -> Result<Self, ApiError> {
        let mut asked = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
            if !known.contains(&name.as_ref()) {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(ApiError::bad_request(format!(
                    "There is no such parameter here; known: {known}."
                )));
            }
            if asked.insert(name.to_string(), value.into_owned()).is_some() {
                return Err(ApiError::bad_request(format!("`{name}` is there twice.")));
            }
        }
        Ok(Self(asked))
    }

    fn get<T: FromStr>(&self, name: &str, wants: &str) -> Result<Option<T>, ApiError> {
        let read =
            |text: &String| text.parse().map_err(|_| ApiError::bad_request(format!("`{name}` is {wants}.")));
        self.0.get(name).map(read).transpose()
    }

    fn get_day(&self, name: &str) -> Result<Option<Day>, ApiError> {
        self.get(name, "a day such as 2026-06-14")
    }
}

async fn recompute_for_today(app: &App, seat: &CurrentUser) -> Result<Day, ApiError> {
    fitness_ingest::recompute(&app.store, seat.user, &mut |_| {}, &fitness_ingest::StopSignal::default())
        .await?;
    Ok(Day::at((app.clock)(), seat.zone))
}

/// `GET /api/v1/today`
pub(crate) async fn show_today(State(app): State<App>, seat: CurrentUser, uri: Uri) -> ApiResult<Today> {
    QueryParams::parse(&uri, &[])?;
    let today = recompute_for_today(&app, &seat).await?;
    let units = app.store.profile(seat.user).await?.units;
    let facts = app.store.facts(seat.user, today).await?;
    let complete = app.store.frontier(seat.user).await?.complete_through();
    Ok(Json(Today::new(today, complete, &facts, units)))
}

/// `GET /api/v1/plan`
pub(crate) async fn show_plan(State(app): State<App>, seat: CurrentUser, uri: Uri) -> ApiResult<PlanAnswer> {
    QueryParams::parse(&uri, &[])?;
    let Some(plan) = app.store.find_active_plan(seat.user).await? else {
        return Ok(Json(PlanAnswer::none(app.store.frontier(seat.user).await?.complete_through())));
    };
    recompute_for_today(&app, &seat).await?;
    Ok(Json(PlanAnswer::from_progress(&app.store.plan_adherence(seat.user, plan.id).await?)))
}

/// `GET /api/v1/activities`
pub(crate) async fn list_activities(
    State(app): State<App>,
    seat: CurrentUser,
    uri: Uri,
) -> ApiResult<Activities> {
    let asked = QueryParams::parse(&uri, &["limit", "before", "sport", "from", "through"])?;
    let wants = format!("a number from 1 to {MAX_LIMIT}");
    let limit = asked.get("limit", &wants)?.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(ApiError::bad_request(format!("`limit` is {wants}.")));
    }
    let sports: Vec<&str> = Sport::ALL.iter().map(|sport| sport.as_str()).collect();
    let sport = asked.get::<Sport>("sport", &format!("one of {}", sports.join(", ")))?;
    let (from, through) = (asked.get_day("from")?, asked.get_day("through")?);
    // A place that never was is like one that is no longer: there is nothing at it.
    let before =
        asked.0.get("before").map(|text| text.parse::<ActivityCursor>().map_err(|_| ApiError::not_found()));
    let before = before.transpose()?;
    recompute_for_today(&app, &seat).await?;
    let wanted = ActivityFilter { sport, from, through, ..ActivityFilter::default() };
    let start = before.map_or(PagePosition::Start, PagePosition::OlderThan);
    let page = app.store.search_activities(seat.user, &wanted, start, limit).await?;
    let next = page
        .activities
        .last()
        .filter(|_| page.has_older)
        .map(|last| ActivityCursor::from_activity(last).to_string());
    Ok(Json(Activities { activities: page.activities.iter().map(ActivityAnswer::summary).collect(), next }))
}

/// `GET /api/v1/activities/{id}`
pub(crate) async fn show_activity(
    State(app): State<App>,
    seat: CurrentUser,
    uri: Uri,
) -> ApiResult<ActivityAnswer> {
    QueryParams::parse(&uri, &[])?;
    let last = uri.path().rsplit('/').next().unwrap_or_default();
    let id: ActivityId = last.parse().map_err(|_| ApiError::not_found())?;
    recompute_for_today(&app, &seat).await?;
    let found = app.store.find_activity(seat.user, id).await?.ok_or_else(ApiError::not_found)?;
    Ok(Json(ActivityAnswer::with_laps(&found)))
}

/// `GET /api/v1/trends`
pub(crate) async fn show_trends(State(app): State<App>, seat: CurrentUser, uri: Uri) -> ApiResult<Trends> {
    let asked = QueryParams::parse(&uri, &["from", "through"])?;
    let (from, through) = (asked.get_day("from")?, asked.get_day("through")?);
    let today = recompute_for_today(&app, &seat).await?;
    let farthest = |from: Day| today.max(from).min(from.plus_days(MAX_DAYS - 1));
    let through = through.unwrap_or_else(|| from.map_or(today, farthest));
    let from = from.unwrap_or_else(|| through.plus_days(1 - DEFAULT_DAYS));
    if !(0..MAX_DAYS).contains(&from.days_until(through)) {
        let said = format!("`from` is at most {MAX_DAYS} days before `through`, and not after it.");
        return Err(ApiError::bad_request(said));
    }
    let lines = app.store.list_fitness_points(seat.user, from, through).await?;
    let nights = app.store.list_night_metrics(seat.user, from, through).await?;
    Ok(Json(Trends::new(from, through, &lines, &nights)))
}

/// `GET /api/v1/brief`
pub(crate) async fn show_brief(
    State(app): State<App>,
    seat: CurrentUser,
    uri: Uri,
) -> ApiResult<BriefAnswer> {
    QueryParams::parse(&uri, &[])?;
    Ok(Json(BriefAnswer::from_stored(app.store.latest_brief(seat.user).await?)))
}
