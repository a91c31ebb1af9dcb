//! What the API looks like to this key: for every path the status and the names of the fields, never a value.
//!
//! For the owner of a real key who wants to help: the outcome can be shown to anybody.

use super::paths::{self, Dataset, PathParams};
use super::{Garmin, activity_ids};
use crate::live::error::{AbortError, DatasetError, FetchError};
use crate::live::http::HttpResponse;
use fitness_core::domain::calendar::Day;
use serde_json::Value;
use std::collections::BTreeSet;

/// What one path answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeResult {
    /// Which dataset was asked for.
    pub dataset: &'static str,
    /// Where, with its gaps left open.
    pub path: &'static str,
    /// What was answered.
    pub status: Option<u16>,
    /// Why there was no answer, or none that could be read.
    pub problem: Option<DatasetError>,
    /// The names of its fields, sorted: `a.b` within `a`, `a[]` for a list. What looks like a value is `*`.
    pub keys: Vec<String>,
}

/// Deeper than anything Garmin sends.
const MAX_DEPTH: usize = 12;

impl Garmin {
    /// Asks every path once, about yesterday and the newest activity.
    ///
    /// # Errors
    /// When the key is refused or the exchange fails.
    pub async fn probe(&mut self) -> Result<Vec<ProbeResult>, FetchError> {
        self.token_renewed = false;
        self.sign_in().await?;
        let day = Day::at(self.http.env.now(), self.zone).previous();
        let month = PathParams { limit: 1, ..PathParams::for_days(day.plus_days(-27), day) };
        let newest = self.read_dataset(&paths::ACTIVITIES, &month).await.ok().flatten();
        let id = newest.and_then(|list| activity_ids(&list).into_iter().next());
        let mut outcome = Vec::new();
        for set in paths::ALL {
            for path in set.paths {
                if path.contains("{id}") && id.is_none() {
                    let problem = Some(DatasetError::NotRequested);
                    outcome.push(ProbeResult {
                        dataset: set.name,
                        path,
                        status: None,
                        problem,
                        keys: Vec::new(),
                    });
                    continue;
                }
                let fill = PathParams {
                    limit: 1,
                    ..PathParams::for_activity(id.as_deref().unwrap_or_default(), day)
                };
                outcome.push(self.probe_path(set, path, &fill).await?);
            }
        }
        Ok(outcome)
    }

    async fn probe_path(
        &mut self,
        set: &Dataset,
        path: &'static str,
        fill: &PathParams<'_>,
    ) -> Result<ProbeResult, FetchError> {
        let filled = fill.render(path);
        let went = if set.name == paths::FILES.name {
            self.get_bytes(&filled).await.map(|answer| match answer {
                HttpResponse::Body(_) => HttpResponse::Body(Value::Null),
                HttpResponse::Empty => HttpResponse::Empty,
                HttpResponse::Refused(status) => HttpResponse::Refused(status),
            })
        } else {
            self.get_json(&filled).await
        };
        let mut probed =
            ProbeResult { dataset: set.name, path, status: None, problem: None, keys: Vec::new() };
        match went {
            Ok(HttpResponse::Body(value)) => {
                probed.status = Some(200);
                probed.keys = field_names(&value);
            }
            Ok(HttpResponse::Empty) => probed.status = Some(204),
            Ok(HttpResponse::Refused(status)) => probed.status = Some(status),
            Err(AbortError::Fetch(fault)) => return Err(fault),
            Err(AbortError::Dataset(DatasetError::Status(status))) => probed.status = Some(status),
            Err(AbortError::Dataset(problem)) => probed.problem = Some(problem),
            Err(AbortError::Stopped) => probed.problem = Some(DatasetError::Stopped),
        }
        Ok(probed)
    }
}

/// The names in a value, sorted and without repetition.
pub(super) fn field_names(value: &Value) -> Vec<String> {
    let mut found = BTreeSet::new();
    collect_names(value, "", 0, &mut found);
    found.into_iter().collect()
}

fn collect_names(value: &Value, path: &str, depth: usize, found: &mut BTreeSet<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = redact_name(name);
                let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                found.insert(path.clone());
                collect_names(value, &path, depth + 1, found);
            }
        }
        Value::Array(values) => {
            let path = format!("{path}[]");
            found.insert(path.clone());
            for value in values {
                collect_names(value, &path, depth + 1, found);
            }
        }
        _ => {}
    }
}

/// A name that Garmin chose; `*` for what looks like an id, a date or an address used as a name.
pub(super) fn redact_name(name: &str) -> String {
    let letters = name.bytes().filter(u8::is_ascii_alphabetic).count();
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && name.len() <= 64;
    let begins = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    // `hrTimeInZone_1` is a name; a serial number with a few letters in it is not.
    if plain && begins && letters * 2 > name.len() { name.to_owned() } else { "*".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_shown_and_values_never() {
        let value = json!({
            "data": [{"steps": {"value": 4711}}, {"steps": {"goal": 1}, "name": "Ann"}],
            "devices": {"3000000001": {"status": "OK"}, "ann@example.org": 1, "2026-06-14": 2, "c0ffee12-11": 3},
            "hrTimeInZone_1": 12.5,
        });
        let shown = field_names(&value);
        assert_eq!(
            shown,
            [
                "data",
                "data[]",
                "data[].name",
                "data[].steps",
                "data[].steps.goal",
                "data[].steps.value",
                "devices",
                "devices.*",
                "devices.*.status",
                "hrTimeInZone_1",
            ]
        );
        assert_eq!(field_names(&json!([{"a": 1}])), ["[]", "[].a"]);
        assert_eq!(field_names(&json!("text")), Vec::<String>::new());
    }
}
