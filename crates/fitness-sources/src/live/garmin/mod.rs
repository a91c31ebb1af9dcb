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

pub use probe::Probed;

use super::error::{Fault, Halt, Problem};
use super::fetch::Telling;
use super::http::{Answer, Ask, Web, authorization, base, below};
use super::http_env::Means;
use super::{Heard, Listener, Source, Span, Visit};
use chrono_tz::Tz;
use days::Map;
use fitness_core::domain::source_record::SourceKind;
use paths::{Dataset, Fill};
use reqwest::header::HeaderValue;
use reqwest::{Method, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::collections::BTreeMap;
use token::Token;

/// Where the API is for everybody but accounts in China.
pub const HOME: &str = "https://personal.connectapi.garmin.com";
/// Where it is for accounts in China; a key is good for one of the two.
pub const HOME_IN_CHINA: &str = "https://personal.connectapi.garmin.cn";

const KEY_REFUSED: Fault = Fault::KeyRefused {
    service: "Garmin",
    advice: "the key has expired or was revoked: make a new one at \
             https://connect.garmin.com/app/settings/personalApiToken",
};
/// The last days of a span are asked for one by one.
const RECENT: i64 = 3;
/// A span that every range answers, should one be refused that was said to be allowed.
const SAFE_SPAN: i64 = 28;

/// An athlete's account.
#[derive(Debug)]
pub struct Garmin {
    web: Web,
    base: Url,
    key: SecretString,
    zone: Tz,
    token: Option<Token>,
    /// Whether a refused token was exchanged during this visit already.
    renewed: bool,
    /// Which path of a dataset was answered.
    found_at: BTreeMap<&'static str, usize>,
}

impl Source for Garmin {
    fn kind(&self) -> SourceKind {
        SourceKind::Garmin
    }

    async fn fetch<L: Listener>(&mut self, span: Span, listener: &mut L) -> Result<Visit, Fault> {
        let polled_at = self.web.means.now();
        self.renewed = false;
        self.sign_in().await?;
        let mut telling = Telling::begin(self.kind(), self.zone, span, polled_at, listener);
        let ranges: [(&Dataset, Map); 5] = [
            (&paths::STEPS, days::steps),
            (&paths::STRESS, days::stress),
            (&paths::HRV, days::hrv),
            (&paths::BODY_BATTERY, days::body_battery),
            (&paths::WEIGHT, days::weight),
        ];
        for (set, map) in ranges {
            let went = match telling.reason_to_skip() {
                Some(reason) => Err(reason.into()),
                None => self.range(set, map, &mut telling).await,
            };
            telling.note(set.name, went)?;
        }
        self.range_or_days(
            (&paths::SUMMARIES, days::summaries),
            (&paths::DAILY_SUMMARY, days::daily_summary),
            &mut telling,
        )
        .await?;
        self.range_or_days(
            (&paths::SLEEP_SUMMARIES, nights::sleep_summaries),
            (&paths::SLEEP, nights::sleep),
            &mut telling,
        )
        .await?;
        let recent =
            Span { from: telling.span.from.max(telling.span.through.plus(1 - RECENT)), ..telling.span };
        let went = match telling.reason_to_skip() {
            Some(reason) => Err(reason.into()),
            None => self.days(&paths::DAILY_HEART_RATE, days::heart_rate, recent, &mut telling).await,
        };
        telling.note(paths::DAILY_HEART_RATE.name, went)?;
        let went = match telling.reason_to_skip() {
            Some(reason) => Err(reason.into()),
            None => self.zones(&mut telling).await,
        };
        telling.note(paths::HEART_RATE_ZONES.name, went)?;
        // Last, so that nothing recorded before the newest heartbeat can be missing from the list.
        self.activities(&mut telling).await?;
        telling.end()
    }
}

impl Garmin {
    /// An account at an address, such as [`HOME`]. The zone is that of the athlete's days.
    ///
    /// # Errors
    /// When the address is not https (except on this machine), or the key cannot be one.
    pub fn new(address: &str, key: SecretString, zone: Tz, means: Means) -> Result<Self, Fault> {
        authorization("ApiKey", key.expose_secret()).ok_or(Fault::KeyUnusable)?;
        let (web, base) = (Web::new(means), base(address)?);
        Ok(Self { web, base, key, zone, token: None, renewed: false, found_at: BTreeMap::new() })
    }

    /// Makes sure that there is a token, exchanging the key for one when there is none or it ends soon.
    async fn sign_in(&mut self) -> Result<HeaderValue, Fault> {
        let now = self.web.means.now();
        if let Some(token) = self.token.as_ref().filter(|token| now < token.renew_at) {
            return Ok(token.bearer.clone());
        }
        let failed = |problem| Fault::Failed { dataset: "token", problem };
        let ask = Ask {
            method: Method::POST,
            url: below(&self.base, paths::TOKEN).map_err(failed)?,
            authorization: authorization("ApiKey", self.key.expose_secret()).ok_or(Fault::KeyUnusable)?,
            body: None,
        };
        let token = match self.web.bytes(&ask).await.map_err(failed)? {
            Answer::Got(bytes) => Token::read(&bytes, now).map_err(failed)?,
            Answer::Empty => return Err(failed(Problem::NoToken { keys: "nothing".to_owned() })),
            Answer::Refused(401 | 403) => return Err(KEY_REFUSED),
            Answer::Refused(status) => return Err(failed(Problem::Status(status))),
        };
        Ok(self.token.insert(token).bearer.clone())
    }

    /// The token in the middle of a visit: when it cannot be had now, a dataset is lost, not the visit.
    async fn bearer(&mut self) -> Result<HeaderValue, Halt> {
        self.sign_in().await.map_err(|fault| match fault {
            Fault::Failed { problem, .. } => Halt::Lost(problem),
            fault => Halt::Failed(fault),
        })
    }

    /// Whether a refused token is worth exchanging: once in a visit.
    fn renew(&mut self, status: u16) -> bool {
        let worth = status == 401 && !self.renewed;
        if worth {
            self.renewed = true;
            self.token = None;
        }
        worth
    }

    async fn get_json(&mut self, path: &str) -> Result<Answer<Value>, Halt> {
        loop {
            let ask = Ask::get(below(&self.base, path)?, self.bearer().await?);
            match self.web.json(&ask).await? {
                Answer::Refused(status) if self.renew(status) => {}
                answer => return Ok(answer),
            }
        }
    }

    async fn get_bytes(&mut self, path: &str) -> Result<Answer<Vec<u8>>, Halt> {
        loop {
            let ask = Ask::get(below(&self.base, path)?, self.bearer().await?);
            match self.web.bytes(&ask).await? {
                Answer::Refused(status) if self.renew(status) => {}
                answer => return Ok(answer),
            }
        }
    }

    /// The paths a dataset may be at: the one that was answered before, or all.
    fn candidates(&self, set: &Dataset) -> std::ops::Range<usize> {
        self.found_at.get(set.name).map_or(0..set.paths.len(), |found| *found..found + 1)
    }

    /// Reads a dataset; `None` when it says that there is nothing.
    async fn read(&mut self, set: &Dataset, fill: &Fill<'_>) -> Result<Option<Value>, Halt> {
        for index in self.candidates(set) {
            let got = match self.get_json(&fill.path(set.paths[index])).await? {
                Answer::Got(value) => Some(value),
                Answer::Empty => None,
                Answer::Refused(404) => continue,
                Answer::Refused(status) => return Err(Problem::Status(status).into()),
            };
            self.found_at.insert(set.name, index);
            return Ok(got.filter(|value| !value.is_null()));
        }
        Err(Problem::Status(404).into())
    }

    /// Tells a dataset that answers spans of days.
    async fn range<L: Listener>(
        &mut self,
        set: &Dataset,
        map: Map,
        telling: &mut Telling<'_, L>,
    ) -> Result<(), Halt> {
        let mut most = set.most_days;
        let mut left = Some(telling.span);
        let mut done = 0;
        while let Some(piece) = left.and_then(|left| left.pieces(most).next()) {
            let answer = match self.read(set, &Fill::days(piece.from, piece.through)).await {
                Err(Halt::Lost(Problem::Status(400))) if most > SAFE_SPAN => {
                    most = SAFE_SPAN;
                    continue;
                }
                answer => answer?,
            };
            if let Some(value) = answer {
                for entry in map(&value).ok_or(Problem::OtherShape)? {
                    telling.day(set.name, entry).await?;
                }
            }
            done += 1;
            let rest = Span { from: piece.through.next(), ..telling.span };
            left = (rest.from <= rest.through).then_some(rest);
            let more = left.map_or(0, |left| left.pieces(most).count());
            telling.progress(set.name, done, Some(done + more));
        }
        Ok(())
    }

    /// Tells a dataset that answers single days.
    async fn days<L: Listener>(
        &mut self,
        set: &Dataset,
        map: Map,
        span: Span,
        telling: &mut Telling<'_, L>,
    ) -> Result<(), Halt> {
        let all = span.pieces(1).count();
        for (done, piece) in span.pieces(1).enumerate() {
            if let Some(value) = self.read(set, &Fill::days(piece.from, piece.through)).await? {
                for entry in map(&value).ok_or(Problem::OtherShape)? {
                    telling.day(set.name, entry).await?;
                }
            }
            telling.progress(set.name, done + 1, Some(all));
        }
        Ok(())
    }

    /// Tells a span's days, one by one where Garmin does not offer the range or it looks like nothing known.
    async fn range_or_days<L: Listener>(
        &mut self,
        (range, range_map): (&Dataset, Map),
        (single, single_map): (&Dataset, Map),
        telling: &mut Telling<'_, L>,
    ) -> Result<(), Fault> {
        if let Some(reason) = telling.reason_to_skip() {
            telling.lost(range.name, reason);
            return Ok(());
        }
        match self.range(range, range_map, telling).await {
            Err(Halt::Lost(Problem::Status(400 | 403 | 404) | Problem::OtherShape | Problem::NotJson(_))) => {
                let span = telling.span;
                let went = self.days(single, single_map, span, telling).await;
                telling.note(single.name, went)
            }
            went => telling.note(range.name, went),
        }
    }

    async fn zones<L: Listener>(&mut self, telling: &mut Telling<'_, L>) -> Result<(), Halt> {
        let today = telling.span.through;
        let Some(value) = self.read(&paths::HEART_RATE_ZONES, &Fill::days(today, today)).await? else {
            return Ok(());
        };
        for told in activities::zones(&value).ok_or(Problem::OtherShape)? {
            telling.hear(Heard::Told(told), None).await?;
        }
        Ok(())
    }
}

/// The ids in a list of activities.
fn ids(list: &Value) -> Vec<String> {
    let entries = super::json::entries(list).unwrap_or_default();
    entries.iter().filter_map(|entry| super::json::id(entry, "activityId")).collect()
}
