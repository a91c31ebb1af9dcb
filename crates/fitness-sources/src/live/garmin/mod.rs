//! Garmin Connect's Personal API: read-only, with a personal key. Not affiliated with Garmin.
//!
//! Datasets are requested in ranges no longer than Garmin allows; single days only for the last
//! three days, and where there is no range endpoint. Datasets that we do not use (food, cycle,
//! goals) are not requested, except by [`Garmin::probe`].
//!
//! Start at `fetch`; `paths.rs` has the table of paths.

mod activity_list;
mod days;
mod nights;
mod parse_activities;
mod paths;
mod probe;
mod token;

pub use probe::ProbeResult;

use super::error::{DatasetError, DatasetInterruption, FetchError};
use super::fetch_state::FetchContext;
use super::http::{HttpClient, HttpRequest, HttpResponse, authorization, join_path, parse_base_url};
use super::{DayRange, FetchListener, FetchOutcome, FetchedItem, Source};
use chrono_tz::Tz;
use days::MapFn;
use fitness_core::domain::source_record::SourceKind;
use fitness_http::HttpEnv;
use paths::{GarminEndpoint, GarminPathValues};
use reqwest::header::HeaderValue;
use reqwest::{Method, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::collections::BTreeMap;
use token::Token;

/// For all accounts outside China.
pub const BASE_URL: &str = "https://personal.connectapi.garmin.com";
/// For accounts in China. A key works with one of the two.
pub const BASE_URL_CHINA: &str = "https://personal.connectapi.garmin.cn";

const KEY_REFUSED: FetchError = FetchError::KeyRefused {
    service: "Garmin",
    advice: "it has expired or was revoked; create a new one at \
             https://connect.garmin.com/app/settings/personalApiToken",
};
/// The last days of a range are requested one by one.
const RECENT_DAYS: i64 = 3;
/// Chunk size that every range endpoint accepts, as a fallback.
const SAFE_RANGE_DAYS: i64 = 28;

#[derive(Debug)]
pub struct Garmin {
    http: HttpClient,
    base: Url,
    key: SecretString,
    zone: Tz,
    token: Option<Token>,
    /// Whether a rejected token was already renewed during this fetch.
    token_renewed: bool,
    /// Index of the path that works, by dataset.
    known_paths: BTreeMap<&'static str, usize>,
}

impl Source for Garmin {
    fn kind(&self) -> SourceKind {
        SourceKind::Garmin
    }

    async fn fetch<L: FetchListener>(
        &mut self,
        span: DayRange,
        listener: &mut L,
    ) -> Result<FetchOutcome, FetchError> {
        let polled_at = self.http.env.now();
        self.token_renewed = false;
        self.sign_in().await?;
        let mut telling = FetchContext::start(self.kind(), self.zone, span, polled_at, listener);
        let ranges: [(&GarminEndpoint, MapFn); 5] = [
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
        // Last, so that the list contains everything recorded before the newest daily value.
        self.fetch_activities(&mut telling).await?;
        telling.finish()
    }
}

impl Garmin {
    /// `address` is for example [`BASE_URL`]. `zone` defines the athlete's days.
    ///
    /// # Errors
    /// If the address is not https (except on loopback) or the key is malformed.
    pub fn new(address: &str, key: SecretString, zone: Tz, http_env: HttpEnv) -> Result<Self, FetchError> {
        authorization("ApiKey", key.expose_secret()).ok_or(FetchError::KeyUnusable)?;
        let (web, base) = (HttpClient::new(http_env), parse_base_url(address)?);
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

    /// Exchanges the key for a token if there is none or it expires soon.
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

    /// The token during a fetch. A transient failure affects the dataset, not the whole fetch.
    async fn bearer(&mut self) -> Result<HeaderValue, DatasetInterruption> {
        self.sign_in().await.map_err(|fault| match fault {
            FetchError::Failed { problem, .. } => DatasetInterruption::Dataset(problem),
            fault => DatasetInterruption::Fetch(fault),
        })
    }

    /// Discards a rejected token, once per fetch. Returns whether to retry.
    fn discard_refused_token(&mut self, status: u16) -> bool {
        let worth = status == 401 && !self.token_renewed;
        if worth {
            self.token_renewed = true;
            self.token = None;
        }
        worth
    }

    async fn get_json(&mut self, path: &str) -> Result<HttpResponse<Value>, DatasetInterruption> {
        loop {
            let ask = HttpRequest::get(join_path(&self.base, path)?, self.bearer().await?);
            match self.http.fetch_json(&ask).await? {
                HttpResponse::Refused(status) if self.discard_refused_token(status) => {}
                answer => return Ok(answer),
            }
        }
    }

    async fn get_bytes(&mut self, path: &str) -> Result<HttpResponse<Vec<u8>>, DatasetInterruption> {
        loop {
            let ask = HttpRequest::get(join_path(&self.base, path)?, self.bearer().await?);
            match self.http.fetch_bytes(&ask).await? {
                HttpResponse::Refused(status) if self.discard_refused_token(status) => {}
                answer => return Ok(answer),
            }
        }
    }

    /// The path that worked before, or all.
    fn candidate_paths(&self, set: &GarminEndpoint) -> std::ops::Range<usize> {
        self.known_paths.get(set.name).map_or(0..set.paths.len(), |found| *found..found + 1)
    }

    /// Reads a dataset; `None` if it is empty.
    async fn read_dataset(
        &mut self,
        set: &GarminEndpoint,
        fill: &GarminPathValues<'_>,
    ) -> Result<Option<Value>, DatasetInterruption> {
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

    /// Fetches a dataset with a range endpoint.
    async fn fetch_range<L: FetchListener>(
        &mut self,
        set: &GarminEndpoint,
        map: MapFn,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), DatasetInterruption> {
        let mut most = set.max_days;
        let mut left = Some(telling.days);
        let mut done = 0;
        while let Some(piece) = left.and_then(|left| left.chunks(most).next()) {
            let answer = match self
                .read_dataset(set, &GarminPathValues::for_days(piece.from, piece.through))
                .await
            {
                Err(DatasetInterruption::Dataset(DatasetError::Status(400))) if most > SAFE_RANGE_DAYS => {
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

    /// Fetches a dataset day by day.
    async fn fetch_days<L: FetchListener>(
        &mut self,
        set: &GarminEndpoint,
        map: MapFn,
        span: DayRange,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), DatasetInterruption> {
        let all = span.chunks(1).count();
        for (done, piece) in span.chunks(1).enumerate() {
            if let Some(value) =
                self.read_dataset(set, &GarminPathValues::for_days(piece.from, piece.through)).await?
            {
                for entry in map(&value).ok_or(DatasetError::UnexpectedShape)? {
                    telling.emit_day(set.name, entry).await?;
                }
            }
            telling.progress(set.name, done + 1, Some(all));
        }
        Ok(())
    }

    /// Fetches a range, or day by day if there is no range endpoint or its format is unknown.
    async fn fetch_range_or_days<L: FetchListener>(
        &mut self,
        (range, range_map): (&GarminEndpoint, MapFn),
        (single, single_map): (&GarminEndpoint, MapFn),
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), FetchError> {
        if let Some(reason) = telling.reason_to_skip() {
            telling.add_missing(range.name, reason);
            return Ok(());
        }
        match self.fetch_range(range, range_map, telling).await {
            Err(DatasetInterruption::Dataset(
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

    async fn fetch_zones<L: FetchListener>(
        &mut self,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), DatasetInterruption> {
        let today = telling.days.through;
        let Some(value) =
            self.read_dataset(&paths::HEART_RATE_ZONES, &GarminPathValues::for_days(today, today)).await?
        else {
            return Ok(());
        };
        for told in parse_activities::zones(&value).ok_or(DatasetError::UnexpectedShape)? {
            telling.emit(FetchedItem::Record(told), None).await?;
        }
        Ok(())
    }
}

fn activity_ids(list: &Value) -> Vec<String> {
    let entries = super::json::entries(list).unwrap_or_default();
    entries.iter().filter_map(|entry| super::json::id(entry, "activityId")).collect()
}
