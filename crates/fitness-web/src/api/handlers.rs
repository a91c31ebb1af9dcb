//! The answers, each read from the store for whoever asks.

use super::error::Refused;
use super::types::{Activities, ActivityAnswer, BriefAnswer, PlanAnswer, Today, Trends};
use crate::app::App;
use crate::auth::session::Seat;
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::ActivityId;
use fitness_core::domain::sport::Sport;
use fitness_store::training::activity_search::{Onward, Place, Wanted};
use std::collections::BTreeMap;
use std::str::FromStr;

/// As many activities are on a page unless it is said.
pub(super) const LIMIT: usize = 50;
/// As many at most.
pub(super) const MAX_LIMIT: usize = 200;
/// As many days are told unless it is said.
pub(super) const DAYS: i64 = 90;
/// As many at most.
pub(super) const MAX_DAYS: i64 = 3660;

type Answer<T> = Result<Json<T>, Refused>;

/// What is asked for after the `?`, each name at most once.
struct Asked(BTreeMap<String, String>);

impl Asked {
    /// Reads the names that are known; any other is a mistake that is better told than passed over.
    fn read(uri: &Uri, known: &[&str]) -> Result<Self, Refused> {
        let mut asked = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
            if !known.contains(&name.as_ref()) {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(Refused::bad(format!("There is no such parameter here; known: {known}.")));
            }
            if asked.insert(name.to_string(), value.into_owned()).is_some() {
                return Err(Refused::bad(format!("`{name}` is there twice.")));
            }
        }
        Ok(Self(asked))
    }

    fn one<T: FromStr>(&self, name: &str, wants: &str) -> Result<Option<T>, Refused> {
        let read = |text: &String| text.parse().map_err(|_| Refused::bad(format!("`{name}` is {wants}.")));
        self.0.get(name).map(read).transpose()
    }

    fn day(&self, name: &str) -> Result<Option<Day>, Refused> {
        self.one(name, "a day such as 2026-06-14")
    }
}

async fn settled(app: &App, seat: &Seat) -> Result<Day, Refused> {
    fitness_ingest::recompute(&app.store, seat.user, &mut |_| {}, &fitness_ingest::Stop::default()).await?;
    Ok(Day::at((app.clock)(), seat.zone))
}

/// `GET /api/v1/today`
pub(crate) async fn today(State(app): State<App>, seat: Seat, uri: Uri) -> Answer<Today> {
    Asked::read(&uri, &[])?;
    let today = settled(&app, &seat).await?;
    let units = app.store.profile(seat.user).await?.units;
    let facts = app.store.facts(seat.user, today).await?;
    let complete = app.store.frontier(seat.user).await?.complete();
    Ok(Json(Today::of(today, complete, &facts, units)))
}

/// `GET /api/v1/plan`
pub(crate) async fn plan(State(app): State<App>, seat: Seat, uri: Uri) -> Answer<PlanAnswer> {
    Asked::read(&uri, &[])?;
    let Some(plan) = app.store.find_active_plan(seat.user).await? else {
        return Ok(Json(PlanAnswer::none(app.store.frontier(seat.user).await?.complete())));
    };
    settled(&app, &seat).await?;
    Ok(Json(PlanAnswer::of(&app.store.progress(seat.user, plan.id).await?)))
}

/// `GET /api/v1/activities`
pub(crate) async fn activities(State(app): State<App>, seat: Seat, uri: Uri) -> Answer<Activities> {
    let asked = Asked::read(&uri, &["limit", "before", "sport", "from", "through"])?;
    let wants = format!("a number from 1 to {MAX_LIMIT}");
    let limit = asked.one("limit", &wants)?.unwrap_or(LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(Refused::bad(format!("`limit` is {wants}.")));
    }
    let sports: Vec<&str> = Sport::ALL.iter().map(|sport| sport.as_str()).collect();
    let sport = asked.one::<Sport>("sport", &format!("one of {}", sports.join(", ")))?;
    let (from, through) = (asked.day("from")?, asked.day("through")?);
    // A place that never was is like one that is no longer: there is nothing at it.
    let before = asked.0.get("before").map(|text| text.parse::<Place>().map_err(|_| Refused::not_found()));
    let before = before.transpose()?;
    settled(&app, &seat).await?;
    let wanted = Wanted { sport, from, through, ..Wanted::default() };
    let start = before.map_or(Onward::Start, Onward::OlderThan);
    let page = app.store.browse_activities(seat.user, &wanted, start, limit).await?;
    let next = page.activities.last().filter(|_| page.older).map(|last| Place::of(last).to_string());
    Ok(Json(Activities { activities: page.activities.iter().map(ActivityAnswer::listed).collect(), next }))
}

/// `GET /api/v1/activities/{id}`
pub(crate) async fn activity(State(app): State<App>, seat: Seat, uri: Uri) -> Answer<ActivityAnswer> {
    Asked::read(&uri, &[])?;
    let last = uri.path().rsplit('/').next().unwrap_or_default();
    let id: ActivityId = last.parse().map_err(|_| Refused::not_found())?;
    settled(&app, &seat).await?;
    let found = app.store.find_activity(seat.user, id).await?.ok_or_else(Refused::not_found)?;
    Ok(Json(ActivityAnswer::whole(&found)))
}

/// `GET /api/v1/trends`
pub(crate) async fn trends(State(app): State<App>, seat: Seat, uri: Uri) -> Answer<Trends> {
    let asked = Asked::read(&uri, &["from", "through"])?;
    let (from, through) = (asked.day("from")?, asked.day("through")?);
    let today = settled(&app, &seat).await?;
    let farthest = |from: Day| today.max(from).min(from.plus(MAX_DAYS - 1));
    let through = through.unwrap_or_else(|| from.map_or(today, farthest));
    let from = from.unwrap_or_else(|| through.plus(1 - DAYS));
    if !(0..MAX_DAYS).contains(&from.until(through)) {
        let said = format!("`from` is at most {MAX_DAYS} days before `through`, and not after it.");
        return Err(Refused::bad(said));
    }
    let lines = app.store.list_day_lines(seat.user, from, through).await?;
    let nights = app.store.list_nights(seat.user, from, through).await?;
    Ok(Json(Trends::of(from, through, &lines, &nights)))
}

/// `GET /api/v1/brief`
pub(crate) async fn brief(State(app): State<App>, seat: Seat, uri: Uri) -> Answer<BriefAnswer> {
    Asked::read(&uri, &[])?;
    Ok(Json(BriefAnswer::of(app.store.latest_brief(seat.user).await?)))
}
