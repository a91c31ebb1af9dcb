//! intervals.icu: activities and wellness of an athlete, and planned workouts on their calendar.
//!
//! What reached intervals.icu through Strava comes as an empty stub, since Strava's licence forbids more. It is told
//! as that, an activity of which only the start is known, and counted in [`Visit::missing`] with advice.
//!
//! Start reading at `fetch`; `calendar.rs` is the only place that writes.

mod calendar;
mod mapping;

pub use calendar::{Changes, EventContent, OurEvent, PlannedEvent};

use super::error::{Content, Fault, Halt, Problem};
use super::fetch::Telling;
use super::http::{Answer, Ask, Web, authorization, base, below};
use super::http_env::Means;
use super::json;
use super::{Heard, Listener, Source, Span, Visit};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono_tz::Tz;
use fitness_core::domain::source_record::{ReportKey, SourceKind, Told};
use mapping::Listed;
use reqwest::header::HeaderValue;
use reqwest::{Method, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::collections::BTreeSet;

/// Where the API is.
pub const HOME: &str = "https://intervals.icu/api/v1";
/// The athlete that a key belongs to.
pub const OWNER: &str = "0";

const KEY_REFUSED: Fault = Fault::KeyRefused {
    service: "intervals.icu",
    advice: "make a new one at https://intervals.icu/settings under Developer Settings, and check that the athlete \
             is yours",
};
/// The longest span that is asked for at once: no limit is published, but an answer should stay small.
const MOST_DAYS: i64 = 90;

/// The one table of paths.
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

/// An athlete's account.
#[derive(Debug)]
pub struct Intervals {
    web: Web,
    base: Url,
    key: SecretString,
    athlete: String,
    zone: Tz,
}

impl Source for Intervals {
    fn kind(&self) -> SourceKind {
        SourceKind::Intervals
    }

    async fn fetch<L: Listener>(&mut self, span: Span, listener: &mut L) -> Result<Visit, Fault> {
        let polled_at = self.web.means.now();
        let mut telling = Telling::begin(self.kind(), self.zone, span, polled_at, listener);
        let went = self.wellness(&mut telling).await;
        telling.note("wellness", went)?;
        self.activities(&mut telling).await?;
        telling.end()
    }
}

impl Intervals {
    /// An account at an address, such as [`HOME`]; of an athlete such as `i12345`, or of the key's [`OWNER`].
    ///
    /// # Errors
    /// When the address is not https (except on this machine), or key or athlete cannot be one.
    pub fn new(
        address: &str,
        athlete: &str,
        key: SecretString,
        zone: Tz,
        means: Means,
    ) -> Result<Self, Fault> {
        let athlete =
            json::id(&serde_json::json!({ "id": athlete.trim() }), "id").ok_or(Fault::KeyUnusable)?;
        let account = Self { web: Web::new(means), base: base(address)?, key, athlete, zone };
        account.basic()?;
        Ok(account)
    }

    fn basic(&self) -> Result<HeaderValue, Fault> {
        let key = self.key.expose_secret().trim();
        let sound = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        let pair = STANDARD.encode(format!("API_KEY:{key}"));
        authorization("Basic", &pair).filter(|_| sound).ok_or(Fault::KeyUnusable)
    }

    fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Result<Ask, Halt> {
        let url = below(&self.base, &path.replace("{athlete}", &self.athlete))?;
        Ok(Ask { method, url, authorization: self.basic().map_err(Halt::Failed)?, body })
    }

    /// Asks for JSON; a refused key ends everything.
    async fn json(&mut self, method: Method, path: &str, body: Option<Value>) -> Result<Option<Value>, Halt> {
        let ask = self.ask(method, path, body)?;
        match self.web.json(&ask).await? {
            Answer::Got(value) => Ok(Some(value)),
            Answer::Empty => Ok(None),
            Answer::Refused(401 | 403) => Err(Halt::Failed(KEY_REFUSED)),
            Answer::Refused(status) => Err(Problem::Status(status).into()),
        }
    }

    async fn list(&mut self, path: &str, span: Span) -> Result<Vec<Value>, Halt> {
        let path =
            path.replace("{from}", &span.from.to_string()).replace("{through}", &span.through.to_string());
        match self.json(Method::GET, &path, None).await? {
            Some(Value::Array(entries)) => Ok(entries),
            None => Ok(Vec::new()),
            Some(_) => Err(Problem::OtherShape.into()),
        }
    }

    async fn wellness<L: Listener>(&mut self, telling: &mut Telling<'_, L>) -> Result<(), Halt> {
        let all = telling.span.pieces(MOST_DAYS).count();
        for (done, piece) in telling.span.pieces(MOST_DAYS).enumerate() {
            for entry in self.list(paths::WELLNESS, piece).await?.iter().filter_map(mapping::wellness) {
                telling.day("wellness", entry).await?;
            }
            telling.progress("wellness", done + 1, Some(all));
        }
        Ok(())
    }

    async fn activities<L: Listener>(&mut self, telling: &mut Telling<'_, L>) -> Result<(), Fault> {
        let name = "activities";
        if let Some(reason) = telling.reason_to_skip() {
            telling.lost(name, reason);
            return Ok(());
        }
        let (mut files, mut stubs, mut unreadable) = (Vec::new(), 0, 0);
        let went = self.tell_list(&mut files, &mut stubs, &mut unreadable, telling).await;
        telling.activities_complete = went.is_ok() && unreadable == 0;
        if stubs > 0 {
            telling.lost(name, Problem::ThroughStrava { count: stubs });
        }
        if unreadable > 0 {
            telling.lost(name, Problem::Unreadable { count: unreadable });
        }
        telling.note(name, went)?;
        if files.is_empty() {
            return Ok(());
        }
        let went = match telling.reason_to_skip() {
            Some(reason) => Err(reason.into()),
            None => self.files(files, telling).await,
        };
        telling.note("files", went)
    }

    async fn tell_list<L: Listener>(
        &mut self,
        files: &mut Vec<ReportKey>,
        stubs: &mut usize,
        unreadable: &mut usize,
        telling: &mut Telling<'_, L>,
    ) -> Result<(), Halt> {
        let mut seen = BTreeSet::new();
        for piece in telling.span.pieces(MOST_DAYS) {
            for entry in self.list(paths::ACTIVITIES, piece).await? {
                let Some(listed) = Listed::read(&entry, self.zone) else {
                    *unreadable += 1;
                    continue;
                };
                let key = listed.report.key.clone();
                if !seen.insert(key.clone()) {
                    continue;
                }
                *stubs += usize::from(listed.stub);
                if listed.has_file && telling.wants_file(&key) {
                    files.push(key);
                }
                telling
                    .hear(Heard::Told(Told::Activity(Box::new(listed.report))), listed.recorded_at)
                    .await?;
                telling.progress("activities", seen.len(), None);
            }
        }
        Ok(())
    }

    async fn files<L: Listener>(
        &mut self,
        keys: Vec<ReportKey>,
        telling: &mut Telling<'_, L>,
    ) -> Result<(), Halt> {
        let (all, mut to_tell, mut unanswered) = (keys.len(), None, 0);
        for (done, key) in keys.into_iter().enumerate() {
            let ask = self.ask(Method::GET, &paths::FILE.replace("{id}", &key.id), None)?;
            let problem = match self.web.bytes(&ask).await {
                Ok(Answer::Got(bytes)) if Content::of(&bytes) == Content::Html => {
                    Problem::NotAFile(Content::Html)
                }
                Ok(Answer::Got(bytes)) => {
                    telling.hear(Heard::file(key, bytes), None).await?;
                    telling.progress("files", done + 1, Some(all));
                    unanswered = 0;
                    continue;
                }
                Ok(Answer::Refused(401)) => return Err(Halt::Failed(KEY_REFUSED)),
                Ok(Answer::Refused(status)) => Problem::Status(status),
                Ok(Answer::Empty) => Problem::Status(204),
                Err(problem) => problem,
            };
            unanswered += usize::from(problem.passes());
            to_tell = Some(Problem::or_passing(to_tell.take(), problem));
            if unanswered >= 2 {
                break;
            }
        }
        to_tell.map_or(Ok(()), |problem| Err(Halt::Lost(problem)))
    }
}
