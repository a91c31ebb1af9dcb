//! Garmin Connect's Personal API: read-only, with a key that its owner makes.
//!
//! Ranges are asked for where there are any, in pieces no longer than Garmin allows; single days only for the last
//! three, and where a range is not offered. What Garmin offers and nothing here uses (food, cycle, goals) is not asked
//! for, except by [`Garmin::probe`]. Not affiliated with Garmin.
//!
//! Start reading at `fetch`; `paths.rs` has the table of paths.

mod activities;
mod activity_list;
mod days;
mod nights;
mod paths;
mod probe;
mod token;

pub use probe::ProbeResult;

use super::error::{AbortError, DatasetError, FetchError};
use super::fetch::FetchContext;
use super::http::{HttpClient, HttpRequest, HttpResponse, authorization, join_path, parse_base_url};
use super::http_env::HttpEnv;
use super::{DayRange, FetchOutcome, FetchedItem, Listener, Source};
use chrono_tz::Tz;
use days::MapFn;
use fitness_core::domain::source_record::SourceKind;
use paths::{Dataset, PathParams};
use reqwest::header::HeaderValue;
use reqwest::{Method, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::collections::BTreeMap;
use token::Token;

/// Where the API is for everybody but accounts in China.
pub const BASE_URL: &str = "https://personal.connectapi.garmin.com";
/// Where it is for accounts in China; a key is good for one of the two.
pub const BASE_URL_CHINA: &str = "https://personal.connectapi.garmin.cn";

const KEY_REFUSED: FetchError = FetchError::KeyRefused {
    service: "Garmin",
    advice: "the key has expired or was revoked: make a new one at \
             https://connect.garmin.com/app/settings/personalApiToken",
};
/// The last days of a span are asked for one by one.
const RECENT_DAYS: i64 = 3;
/// A span that every range answers, should one be refused that was said to be allowed.
const SAFE_RANGE_DAYS: i64 = 28;

/// An athlete's account.
#[derive(Debug)]
pub struct Garmin {
    http: HttpClient,
    base: Url,
    key: SecretString,
    zone: Tz,
    token: Option<Token>,
    /// Whether a refused token was exchanged during this visit already.
    token_renewed: bool,
    /// Which path of a dataset was answered.
    known_paths: BTreeMap<&'static str, usize>,
}

impl Source for Garmin {
    fn kind(&self) -> SourceKind {
        SourceKind::Garmin
    }

    async fn fetch<L: Listener>(
        &mut self,
        span: DayRange,
        listener: &mut L,
    ) -> Result<FetchOutcome, FetchError> {
        let polled_at = self.http.env.now();
        self.token_renewed = false;
        self.sign_in().await?;
        let mut telling = FetchContext::start(self.kind(), self.zone, span, polled_at, listener);
        let ranges: [(&Dataset, MapFn); 5] = [
            (&paths::STEPS, days::steps),
            (&paths::STRESS, days::stress),
            (&paths::HRV, days::hrv),
            (&paths::BODY_BATTERY, days::body_battery),
            (&paths::WEIGHT, days::weight),
        ];
        for (set, map) in ranges {
            let went = match telling.reason_to_skip() {
                Some(reason) => Err(reason.into()),
                None => self.fetch_range(set, map, &mut telling).await,
            };
            telling.record_outcome(set.name, went)?;
        }
        self.fetch_range_or_days(
            (&paths::SUMMARIES, days::summaries),
            (&paths::DAILY_SUMMARY, days::daily_summary),
            &mut telling,
        )
        .await?;
        self.fetch_range_or_days(
            (&paths::SLEEP_SUMMARIES, nights::sleep_summaries),
            (&paths::SLEEP, nights::sleep),
            &mut telling,
        )
        .await?;
        let recent = DayRange {
            from: telling.days.from.max(telling.days.through.plus_days(1 - RECENT_DAYS)),
            ..telling.days
        };
        let went = match telling.reason_to_skip() {
            Some(reason) => Err(reason.into()),
            None => self.fetch_days(&paths::DAILY_HEART_RATE, days::heart_rate, recent, &mut telling).await,
        };
        telling.record_outcome(paths::DAILY_HEART_RATE.name, went)?;
        let went = match telling.reason_to_skip() {
            Some(reason) => Err(reason.into()),
            None => self.fetch_zones(&mut telling).await,
        };
        telling.record_outcome(paths::HEART_RATE_ZONES.name, went)?;
        // Last, so that nothing recorded before the newest heartbeat can be missing from the list.
        self.fetch_activities(&mut telling).await?;
        telling.finish()
    }
}

impl Garmin {
    /// An account at an address, such as [`HOME`]. The zone is that of the athlete's days.
    ///
    /// # Errors
    /// When the address is not https (except on this machine), or the key cannot be one.
    pub fn new(address: &str, key: SecretString, zone: Tz, means: HttpEnv) -> Result<Self, FetchError> {
        authorization("ApiKey", key.expose_secret()).ok_or(FetchError::KeyUnusable)?;
        let (web, base) = (HttpClient::new(means), parse_base_url(address)?);
        Ok(Self {
            http: web,
            base,
            key,
            zone,
            token: None,
            token_renewed: false,
            known_paths: BTreeMap::new(),
        })
    }

    /// Makes sure that there is a token, exchanging the key for one when there is none or it ends soon.
    async fn sign_in(&mut self) -> Result<HeaderValue, FetchError> {
        let now = self.http.env.now();
        if let Some(token) = self.token.as_ref().filter(|token| now < token.renew_at) {
            return Ok(token.bearer.clone());
        }
        let failed = |problem| FetchError::Failed { dataset: "token", problem };
        let ask = HttpRequest {
            method: Method::POST,
            url: join_path(&self.base, paths::TOKEN_PATH).map_err(failed)?,
            authorization: authorization("ApiKey", self.key.expose_secret())
                .ok_or(FetchError::KeyUnusable)?,
            body: None,
        };
        let token = match self.http.fetch_bytes(&ask).await.map_err(failed)? {
            HttpResponse::Body(bytes) => Token::parse(&bytes, now).map_err(failed)?,
            HttpResponse::Empty => return Err(failed(DatasetError::NoToken { keys: "nothing".to_owned() })),
            HttpResponse::Refused(401 | 403) => return Err(KEY_REFUSED),
            HttpResponse::Refused(status) => return Err(failed(DatasetError::Status(status))),
        };
        Ok(self.token.insert(token).bearer.clone())
    }

    /// The token in the middle of a visit: when it cannot be had now, a dataset is lost, not the visit.
    async fn bearer(&mut self) -> Result<HeaderValue, AbortError> {
        self.sign_in().await.map_err(|fault| match fault {
            FetchError::Failed { problem, .. } => AbortError::Dataset(problem),
            fault => AbortError::Fetch(fault),
        })
    }

    /// Whether a refused token is worth exchanging: once in a visit.
    fn discard_refused_token(&mut self, status: u16) -> bool {
        let worth = status == 401 && !self.token_renewed;
        if worth {
            self.token_renewed = true;
            self.token = None;
        }
        worth
    }

    async fn get_json(&mut self, path: &str) -> Result<HttpResponse<Value>, AbortError> {
        loop {
            let ask = HttpRequest::get(join_path(&self.base, path)?, self.bearer().await?);
            match self.http.fetch_json(&ask).await? {
                HttpResponse::Refused(status) if self.discard_refused_token(status) => {}
                answer => return Ok(answer),
            }
        }
    }

    async fn get_bytes(&mut self, path: &str) -> Result<HttpResponse<Vec<u8>>, AbortError> {
        loop {
            let ask = HttpRequest::get(join_path(&self.base, path)?, self.bearer().await?);
            match self.http.fetch_bytes(&ask).await? {
                HttpResponse::Refused(status) if self.discard_refused_token(status) => {}
                answer => return Ok(answer),
            }
        }
    }

    /// The paths a dataset may be at: the one that was answered before, or all.
    fn candidate_paths(&self, set: &Dataset) -> std::ops::Range<usize> {
        self.known_paths.get(set.name).map_or(0..set.paths.len(), |found| *found..found + 1)
    }

    /// Reads a dataset; `None` when it says that there is nothing.
    async fn read_dataset(
        &mut self,
        set: &Dataset,
        fill: &PathParams<'_>,
    ) -> Result<Option<Value>, AbortError> {
        for index in self.candidate_paths(set) {
            let got = match self.get_json(&fill.render(set.paths[index])).await? {
                HttpResponse::Body(value) => Some(value),
                HttpResponse::Empty => None,
                HttpResponse::Refused(404) => continue,
                HttpResponse::Refused(status) => return Err(DatasetError::Status(status).into()),
            };
            self.known_paths.insert(set.name, index);
            return Ok(got.filter(|value| !value.is_null()));
        }
        Err(DatasetError::Status(404).into())
    }

    /// Tells a dataset that answers spans of days.
    async fn fetch_range<L: Listener>(
        &mut self,
        set: &Dataset,
        map: MapFn,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), AbortError> {
        let mut most = set.max_days;
        let mut left = Some(telling.days);
        let mut done = 0;
        while let Some(piece) = left.and_then(|left| left.chunks(most).next()) {
            let answer = match self.read_dataset(set, &PathParams::for_days(piece.from, piece.through)).await
            {
                Err(AbortError::Dataset(DatasetError::Status(400))) if most > SAFE_RANGE_DAYS => {
                    most = SAFE_RANGE_DAYS;
                    continue;
                }
                answer => answer?,
            };
            if let Some(value) = answer {
                for entry in map(&value).ok_or(DatasetError::UnexpectedShape)? {
                    telling.emit_day(set.name, entry).await?;
                }
            }
            done += 1;
            let rest = DayRange { from: piece.through.next(), ..telling.days };
            left = (rest.from <= rest.through).then_some(rest);
            let more = left.map_or(0, |left| left.chunks(most).count());
            telling.progress(set.name, done, Some(done + more));
        }
        Ok(())
    }

    /// Tells a dataset that answers single days.
    async fn fetch_days<L: Listener>(
        &mut self,
        set: &Dataset,
        map: MapFn,
        span: DayRange,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), AbortError> {
        let all = span.chunks(1).count();
        for (done, piece) in span.chunks(1).enumerate() {
            if let Some(value) =
                self.read_dataset(set, &PathParams::for_days(piece.from, piece.through)).await?
            {
                for entry in map(&value).ok_or(DatasetError::UnexpectedShape)? {
                    telling.emit_day(set.name, entry).await?;
                }
            }
            telling.progress(set.name, done + 1, Some(all));
        }
        Ok(())
    }

    /// Tells a span's days, one by one where Garmin does not offer the range or it looks like nothing known.
    async fn fetch_range_or_days<L: Listener>(
        &mut self,
        (range, range_map): (&Dataset, MapFn),
        (single, single_map): (&Dataset, MapFn),
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), FetchError> {
        if let Some(reason) = telling.reason_to_skip() {
            telling.add_missing(range.name, reason);
            return Ok(());
        }
        match self.fetch_range(range, range_map, telling).await {
            Err(AbortError::Dataset(
                DatasetError::Status(400 | 403 | 404)
                | DatasetError::UnexpectedShape
                | DatasetError::NotJson(_),
            )) => {
                let span = telling.days;
                let went = self.fetch_days(single, single_map, span, telling).await;
                telling.record_outcome(single.name, went)
            }
            went => telling.record_outcome(range.name, went),
        }
    }

    async fn fetch_zones<L: Listener>(
        &mut self,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), AbortError> {
        let today = telling.days.through;
        let Some(value) =
            self.read_dataset(&paths::HEART_RATE_ZONES, &PathParams::for_days(today, today)).await?
        else {
            return Ok(());
        };
        for told in activities::zones(&value).ok_or(DatasetError::UnexpectedShape)? {
            telling.emit(FetchedItem::Record(told), None).await?;
        }
        Ok(())
    }
}

/// The ids in a list of activities.
fn activity_ids(list: &Value) -> Vec<String> {
    let entries = super::json::entries(list).unwrap_or_default();
    entries.iter().filter_map(|entry| super::json::id(entry, "activityId")).collect()
}
