//! Probes every path of the API and reports status and field names, never values, so that users can
//! share the result.

use super::paths::{self, GarminEndpoint, GarminPathValues};
use super::{Garmin, activity_ids};
use crate::live::error::{DatasetError, DatasetInterruption, FetchError};
use crate::live::http::HttpResponse;
use fitness_core::domain::calendar::Day;
use serde_json::Value;
use std::collections::BTreeSet;

/// Result for one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeResult {
    pub dataset: &'static str,
    pub path: &'static str,
    pub status: Option<u16>,
    /// Why there is no readable response.
    pub problem: Option<DatasetError>,
    /// Sorted field names: `a.b` within `a`, `a[]` for a list, `*` for names that look like values.
    pub keys: Vec<String>,
}

/// Deeper than Garmin's responses.
const MAX_DEPTH: usize = 12;

impl Garmin {
    /// Requests every path once, for yesterday and the newest activity.
    pub async fn probe(&mut self) -> Result<Vec<ProbeResult>, FetchError> {
        self.token_renewed = false;
        self.sign_in().await?;
        let day = Day::at(self.http.env.now(), self.zone).previous();
        let month = GarminPathValues { limit: 1, ..GarminPathValues::for_days(day.plus_days(-27), day) };
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
                let fill = GarminPathValues {
                    limit: 1,
                    ..GarminPathValues::for_activity(id.as_deref().unwrap_or_default(), day)
                };
                outcome.push(self.probe_path(set, path, &fill).await?);
            }
        }
        Ok(outcome)
    }

    async fn probe_path(
        &mut self,
        set: &GarminEndpoint,
        path: &'static str,
        fill: &GarminPathValues<'_>,
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
            Err(DatasetInterruption::Fetch(fault)) => return Err(fault),
            Err(DatasetInterruption::Dataset(DatasetError::Status(status))) => probed.status = Some(status),
            Err(DatasetInterruption::Dataset(problem)) => probed.problem = Some(problem),
            Err(DatasetInterruption::Stopped) => probed.problem = Some(DatasetError::Stopped),
        }
        Ok(probed)
    }
}

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

/// The name, or `*` if it looks like an id, a date or an email address.
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
    fn only_field_names_are_shown() {
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
