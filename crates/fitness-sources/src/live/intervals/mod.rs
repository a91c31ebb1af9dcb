//! intervals.icu: activities, wellness, and planned workouts on the calendar.
//!
//! Activities that reached intervals.icu through Strava are stubs with only a start time, because
//! of Strava's terms. They are passed on as such and counted in [`FetchOutcome::missing`].
//!
//! Start at `fetch`. Only `calendar.rs` writes to the service.

mod calendar;
mod mapping;

pub use calendar::{CalendarChanges, CalendarEvent, EventContent, OwnEvent};

use super::error::{DatasetError, DatasetInterruption, FetchError, UnexpectedContent};
use super::fetch_state::FetchContext;
use super::http::{HttpClient, HttpRequest, HttpResponse, authorization, join_path, parse_base_url};
use super::json;
use super::{DayRange, FetchListener, FetchOutcome, FetchedItem, Source};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono_tz::Tz;
use fitness_core::domain::source_record::{ImportedRecord, RecordKey, SourceKind};
use fitness_http::HttpEnv;
use mapping::ActivityEntry;
use reqwest::header::HeaderValue;
use reqwest::{Method, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::collections::BTreeSet;

pub const BASE_URL: &str = "https://intervals.icu/api/v1";
/// Athlete id that stands for the owner of the key.
pub const KEY_OWNER: &str = "0";

const KEY_REFUSED: FetchError = FetchError::KeyRefused {
    service: "intervals.icu",
    advice: "create a new one at https://intervals.icu/settings under Developer Settings, and check \
             the athlete id",
};
/// Days per request. No maximum is documented; this keeps responses small.
const MAX_DAYS: i64 = 90;

mod paths {
    pub(super) const ACTIVITIES: &str =
        "/athlete/{athlete}/activities?oldest={from}T00:00:00&newest={through}T23:59:59";
    pub(super) const WELLNESS: &str = "/athlete/{athlete}/wellness?oldest={from}&newest={through}";
    pub(super) const FILE: &str = "/activity/{id}/file";
    pub(super) const EVENTS: &str = "/athlete/{athlete}/events?oldest={from}&newest={through}";
    pub(super) const ADD_EVENTS: &str = "/athlete/{athlete}/events/bulk";
    pub(super) const EVENT: &str = "/athlete/{athlete}/events/{event}";
    pub(super) const DELETE_EVENTS: &str = "/athlete/{athlete}/events/bulk-delete";
}

#[derive(Debug)]
pub struct Intervals {
    http: HttpClient,
    base: Url,
    key: SecretString,
    athlete: String,
    zone: Tz,
}

impl Source for Intervals {
    fn kind(&self) -> SourceKind {
        SourceKind::Intervals
    }

    async fn fetch<L: FetchListener>(
        &mut self,
        span: DayRange,
        listener: &mut L,
    ) -> Result<FetchOutcome, FetchError> {
        let polled_at = self.http.env.now();
        let mut telling = FetchContext::start(self.kind(), self.zone, span, polled_at, listener);
        let went = self.fetch_wellness(&mut telling).await;
        telling.record_outcome("wellness", went)?;
        self.fetch_activities(&mut telling).await?;
        telling.finish()
    }
}

impl Intervals {
    /// `address` is for example [`BASE_URL`]; `athlete` is an id such as `i12345`, or
    /// [`KEY_OWNER`].
    ///
    /// # Errors
    /// If the address is not https (except on loopback), or key or athlete is malformed.
    pub fn new(
        address: &str,
        athlete: &str,
        key: SecretString,
        zone: Tz,
        http_env: HttpEnv,
    ) -> Result<Self, FetchError> {
        let athlete =
            json::id(&serde_json::json!({ "id": athlete.trim() }), "id").ok_or(FetchError::KeyUnusable)?;
        let account =
            Self { http: HttpClient::new(http_env), base: parse_base_url(address)?, key, athlete, zone };
        account.authorization()?;
        Ok(account)
    }

    fn authorization(&self) -> Result<HeaderValue, FetchError> {
        let key = self.key.expose_secret().trim();
        let sound = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        let pair = STANDARD.encode(format!("API_KEY:{key}"));
        authorization("Basic", &pair).filter(|_| sound).ok_or(FetchError::KeyUnusable)
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<HttpRequest, DatasetInterruption> {
        let url = join_path(&self.base, &path.replace("{athlete}", &self.athlete))?;
        Ok(HttpRequest {
            method,
            url,
            authorization: self.authorization().map_err(DatasetInterruption::Fetch)?,
            body,
        })
    }

    /// Requests JSON. A rejected key aborts the fetch.
    async fn send_json(
        &mut self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Option<Value>, DatasetInterruption> {
        let ask = self.request(method, path, body)?;
        match self.http.fetch_json(&ask).await? {
            HttpResponse::Body(value) => Ok(Some(value)),
            HttpResponse::Empty => Ok(None),
            HttpResponse::Refused(401 | 403) => Err(DatasetInterruption::Fetch(KEY_REFUSED)),
            HttpResponse::Refused(status) => Err(DatasetError::Status(status).into()),
        }
    }

    async fn fetch_list(&mut self, path: &str, span: DayRange) -> Result<Vec<Value>, DatasetInterruption> {
        let path =
            path.replace("{from}", &span.from.to_string()).replace("{through}", &span.through.to_string());
        match self.send_json(Method::GET, &path, None).await? {
            Some(Value::Array(entries)) => Ok(entries),
            None => Ok(Vec::new()),
            Some(_) => Err(DatasetError::UnexpectedShape.into()),
        }
    }

    async fn fetch_wellness<L: FetchListener>(
        &mut self,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), DatasetInterruption> {
        let all = telling.days.chunks(MAX_DAYS).count();
        for (done, piece) in telling.days.chunks(MAX_DAYS).enumerate() {
            for entry in self.fetch_list(paths::WELLNESS, piece).await?.iter().filter_map(mapping::wellness) {
                telling.emit_day("wellness", entry).await?;
            }
            telling.progress("wellness", done + 1, Some(all));
        }
        Ok(())
    }

    async fn fetch_activities<L: FetchListener>(
        &mut self,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), FetchError> {
        let name = "activities";
        if let Some(reason) = telling.reason_to_skip() {
            telling.add_missing(name, reason);
            return Ok(());
        }
        let (mut files, mut stubs, mut unreadable) = (Vec::new(), 0, 0);
        let went = self.emit_activities(&mut files, &mut stubs, &mut unreadable, telling).await;
        telling.activities_complete = went.is_ok() && unreadable == 0;
        if stubs > 0 {
            telling.add_missing(name, DatasetError::ThroughStrava { count: stubs });
        }
        if unreadable > 0 {
            telling.add_missing(name, DatasetError::Unreadable { count: unreadable });
        }
        telling.record_outcome(name, went)?;
        if files.is_empty() {
            return Ok(());
        }
        let went = match telling.reason_to_skip() {
            Some(reason) => Err(reason.into()),
            None => self.fetch_files(files, telling).await,
        };
        telling.record_outcome("files", went)
    }

    async fn emit_activities<L: FetchListener>(
        &mut self,
        files: &mut Vec<RecordKey>,
        stubs: &mut usize,
        unreadable: &mut usize,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), DatasetInterruption> {
        let mut seen = BTreeSet::new();
        for piece in telling.days.chunks(MAX_DAYS) {
            for entry in self.fetch_list(paths::ACTIVITIES, piece).await? {
                let Some(listed) = ActivityEntry::parse(&entry, self.zone) else {
                    *unreadable += 1;
                    continue;
                };
                let key = listed.report.key.clone();
                if !seen.insert(key.clone()) {
                    continue;
                }
                *stubs += usize::from(listed.is_stub);
                if listed.has_file && telling.wants_file(&key) {
                    files.push(key);
                }
                telling
                    .emit(
                        FetchedItem::Record(ImportedRecord::Activity(Box::new(listed.report))),
                        listed.recorded_at,
                    )
                    .await?;
                telling.progress("activities", seen.len(), None);
            }
        }
        Ok(())
    }

    async fn fetch_files<L: FetchListener>(
        &mut self,
        keys: Vec<RecordKey>,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), DatasetInterruption> {
        let (all, mut to_tell, mut unanswered) = (keys.len(), None, 0);
        for (done, key) in keys.into_iter().enumerate() {
            let ask = self.request(Method::GET, &paths::FILE.replace("{id}", &key.id), None)?;
            let problem = match self.http.fetch_bytes(&ask).await {
                Ok(HttpResponse::Body(bytes))
                    if UnexpectedContent::detect(&bytes) == UnexpectedContent::Html =>
                {
                    DatasetError::NotAFile(UnexpectedContent::Html)
                }
                Ok(HttpResponse::Body(bytes)) => {
                    telling.emit(FetchedItem::file(key, bytes), None).await?;
                    telling.progress("files", done + 1, Some(all));
                    unanswered = 0;
                    continue;
                }
                Ok(HttpResponse::Refused(401)) => return Err(DatasetInterruption::Fetch(KEY_REFUSED)),
                Ok(HttpResponse::Refused(status)) => DatasetError::Status(status),
                Ok(HttpResponse::Empty) => DatasetError::Status(204),
                Err(problem) => problem,
            };
            unanswered += usize::from(problem.is_transient());
            to_tell = Some(DatasetError::prefer_transient(to_tell.take(), problem));
            if unanswered >= 2 {
                break;
            }
        }
        to_tell.map_or(Ok(()), |problem| Err(DatasetInterruption::Dataset(problem)))
    }
}
