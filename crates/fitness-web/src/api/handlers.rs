//! Handlers of `/api/v1`. All of them only read.

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

pub(super) const DEFAULT_LIMIT: usize = 50;
pub(super) const MAX_LIMIT: usize = 200;
pub(super) const DEFAULT_DAYS: i64 = 90;
pub(super) const MAX_DAYS: i64 = 3660;

type ApiResult<T> = Result<Json<T>, ApiError>;

/// Query parameters, each at most once.
struct QueryParams(BTreeMap<String, String>);

impl QueryParams {
    /// Unknown parameters are an error: they are probably typos.
    fn parse(uri: &Uri, known: &[&str]) -> Result<Self, ApiError> {
        let mut asked = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
            if !known.contains(&name.as_ref()) {
                return Err(ApiError::bad_request(if known.is_empty() {
                    "Unknown parameter. This endpoint takes none.".to_owned()
                } else {
                    format!("Unknown parameter. Valid parameters: {}.", known.join(", "))
                }));
            }
            if asked.insert(name.to_string(), value.into_owned()).is_some() {
                return Err(ApiError::bad_request(format!("`{name}` was sent twice.")));
            }
        }
        Ok(Self(asked))
    }

    fn get<T: FromStr>(&self, name: &str, wants: &str) -> Result<Option<T>, ApiError> {
        let read = |text: &String| {
            text.parse().map_err(|_| ApiError::bad_request(format!("`{name}` must be {wants}.")))
        };
        self.0.get(name).map(read).transpose()
    }

    fn get_day(&self, name: &str) -> Result<Option<Day>, ApiError> {
        self.get(name, "a date such as 2026-06-14")
    }
}

pub(crate) async fn show_today(
    State(app): State<App>,
    current_user: CurrentUser,
    uri: Uri,
) -> ApiResult<Today> {
    QueryParams::parse(&uri, &[])?;
    let today = Day::at((app.clock)(), current_user.zone);
    let units = app.store.profile(current_user.user).await?.units;
    let facts = app.store.facts(current_user.user, today).await?;
    let complete = app.store.frontier(current_user.user).await?.complete_through();
    Ok(Json(Today::new(today, complete, &facts, units)))
}

pub(crate) async fn show_plan(
    State(app): State<App>,
    current_user: CurrentUser,
    uri: Uri,
) -> ApiResult<PlanAnswer> {
    QueryParams::parse(&uri, &[])?;
    let Some(plan) = app.store.find_active_plan(current_user.user).await? else {
        return Ok(Json(PlanAnswer::none(app.store.frontier(current_user.user).await?.complete_through())));
    };
    Ok(Json(PlanAnswer::from_progress(&app.store.plan_adherence(current_user.user, plan.id).await?)))
}

pub(crate) async fn list_activities(
    State(app): State<App>,
    current_user: CurrentUser,
    uri: Uri,
) -> ApiResult<Activities> {
    let asked = QueryParams::parse(&uri, &["limit", "before", "sport", "from", "through"])?;
    let wants = format!("a number from 1 to {MAX_LIMIT}");
    let limit = asked.get("limit", &wants)?.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(ApiError::bad_request(format!("`limit` must be {wants}.")));
    }
    let sports: Vec<&str> = Sport::ALL.iter().map(|sport| sport.as_str()).collect();
    let sport = asked.get::<Sport>("sport", &format!("one of {}", sports.join(", ")))?;
    let (from, through) = (asked.get_day("from")?, asked.get_day("through")?);
    // An invalid cursor is a 404, like a cursor to nothing.
    let before =
        asked.0.get("before").map(|text| text.parse::<ActivityCursor>().map_err(|_| ApiError::not_found()));
    let before = before.transpose()?;
    let wanted = ActivityFilter { sport, from, through, ..ActivityFilter::default() };
    let start = before.map_or(PagePosition::Start, PagePosition::OlderThan);
    let page = app.store.search_activities(current_user.user, &wanted, start, limit).await?;
    let next = page
        .activities
        .last()
        .filter(|_| page.has_older)
        .map(|last| ActivityCursor::from_activity(last).to_string());
    Ok(Json(Activities { activities: page.activities.iter().map(ActivityAnswer::summary).collect(), next }))
}

pub(crate) async fn show_activity(
    State(app): State<App>,
    current_user: CurrentUser,
    uri: Uri,
) -> ApiResult<ActivityAnswer> {
    QueryParams::parse(&uri, &[])?;
    let last = uri.path().rsplit('/').next().unwrap_or_default();
    let id: ActivityId = last.parse().map_err(|_| ApiError::not_found())?;
    let found = app.store.find_activity(current_user.user, id).await?.ok_or_else(ApiError::not_found)?;
    Ok(Json(ActivityAnswer::with_laps(&found)))
}

pub(crate) async fn show_trends(
    State(app): State<App>,
    current_user: CurrentUser,
    uri: Uri,
) -> ApiResult<Trends> {
    let asked = QueryParams::parse(&uri, &["from", "through"])?;
    let (from, through) = (asked.get_day("from")?, asked.get_day("through")?);
    let today = Day::at((app.clock)(), current_user.zone);
    let farthest = |from: Day| today.max(from).min(from.plus_days(MAX_DAYS - 1));
    let through = through.unwrap_or_else(|| from.map_or(today, farthest));
    let from = from.unwrap_or_else(|| through.plus_days(1 - DEFAULT_DAYS));
    if !(0..MAX_DAYS).contains(&from.days_until(through)) {
        let said = format!("`from` must not be after `through`, nor more than {MAX_DAYS} days before it.");
        return Err(ApiError::bad_request(said));
    }
    let lines = app.store.list_fitness_points(current_user.user, from, through).await?;
    let nights = app.store.list_night_metrics(current_user.user, from, through).await?;
    Ok(Json(Trends::new(from, through, &lines, &nights)))
}

pub(crate) async fn show_brief(
    State(app): State<App>,
    current_user: CurrentUser,
    uri: Uri,
) -> ApiResult<BriefAnswer> {
    QueryParams::parse(&uri, &[])?;
    Ok(Json(BriefAnswer::from_stored(app.store.latest_brief(current_user.user).await?)))
}
