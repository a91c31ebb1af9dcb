//! Responses of the fake Garmin API. Paths and limits are repeated here on purpose: sharing them
//! with the client would hide mistakes.

use super::garmin::GarminData;
use chrono::TimeDelta;
use fitness_core::domain::calendar::{Day, Instant};
use fitness_http::testkit::{ReceivedRequest, Response};
use serde_json::{Value, json};

#[derive(Debug, Clone, Default)]
pub struct GarminDay {
    pub steps: Option<u32>,
    pub resting: Option<u16>,
    pub lowest: Option<u16>,
    /// Heart rate by time.
    pub beats: Vec<(Instant, Option<u16>)>,
    /// Start and end of the night that ended on this day.
    pub night: Option<(Instant, Instant)>,
    pub hrv: Option<u16>,
    /// Mean; -1 and -2 mean not measured.
    pub stress: Option<i32>,
    /// Body battery by time.
    pub battery: Vec<(Instant, u16)>,
    pub weight: Option<f64>,
}

#[derive(Debug, Clone)]
pub struct GarminActivity {
    pub id: u64,
    pub kind: &'static str,
    pub started_at: Instant,
    /// Local time minus UTC in hours.
    pub offset_h: i64,
    pub seconds: u32,
    /// The original file; 404 without one.
    pub file: Option<Vec<u8>>,
    /// Id of the triathlon it is a leg of.
    pub leg_of: Option<u64>,
}

impl GarminActivity {
    fn json(&self) -> Value {
        let time = |at: Instant| at.format("%Y-%m-%d %H:%M:%S").to_string();
        let mut value = json!({
            "activityId": self.id,
            "activityName": format!("No. {}", self.id),
            "startTimeGMT": time(self.started_at),
            "startTimeLocal": time(self.started_at + TimeDelta::hours(self.offset_h)),
            "activityType": {"typeKey": self.kind, "typeId": 1},
            "eventType": {"typeKey": "uncategorized"},
            "distance": f64::from(self.seconds) * 2.8,
            "duration": f64::from(self.seconds),
            "elapsedDuration": f64::from(self.seconds),
            "movingDuration": f64::from(self.seconds),
            "averageHR": 141.0,
            "manualActivity": false,
            "parent": self.kind == "multi_sport",
        });
        if let Some(whole) = self.leg_of {
            value["parentId"] = whole.into();
        }
        value
    }

    fn day(&self) -> Day {
        Day::at(self.started_at + TimeDelta::hours(self.offset_h), chrono_tz::Tz::UTC)
    }
}

/// Responds to an authorised request.
pub(super) fn respond(data: &GarminData, request: &ReceivedRequest) -> Response {
    let parts: Vec<&str> = request.path.trim_matches('/').split('/').collect();
    let other = data.use_alternative_paths;
    match (parts.as_slice(), other) {
        (["activitylist-service", "activities", "search", "activities"], _) => list(data, request),
        (["activity-service", "activity", id], _) => {
            activity(data, id, |one| Response::json(200, &one.json()))
        }
        (["activity-service", "activity", id, "workouts"], _) => {
            activity(data, id, |_| Response::json(200, &json!([])))
        }
        (["download-service", "files", "activity", id], false)
        | (["activity-service", "files", "activity", id], true) => activity(data, id, |one| {
            let file = |bytes: &Vec<u8>| Response::bytes("application/zip", bytes.clone());
            one.file.as_ref().map_or_else(|| Response::status(404), file)
        }),
        (["usersummary-service", "usersummary", "daily"], _) => one_day(data, request, "calendarDate", flat),
        (["usersummary-service", "usersummary", "v2", "dailysummaries"], false)
        | (["usersummary-service", "v2", "dailysummaries"], true) => {
            in_query(data, request, 365, |days| json!({"data": map_all(days, nested)}))
        }
        (["sleep-service", "sleep", "dailySleepData"], _) => one_day(
            data,
            request,
            "date",
            |day, it| json!({"dailySleepDTO": night(day, it), "sleepLevels": []}),
        ),
        (["sleep-service", "sleep", "dailySleepSummariesByDate"], false)
        | (["sleep-service", "dailySleepSummariesByDate"], true) => in_query(data, request, 31, |days| {
            days.iter().map(|(day, it)| night(*day, it.unwrap_or(&GarminDay::default()))).collect()
        }),
        (["hrv-service", "hrv", "daily", from, to], _) => range(data, (from, to), 366, |days| {
            let summary = |day, it: &GarminDay| {
                Some(json!({"calendarDate": day, "lastNightAvg": it.hrv?, "status": "BALANCED"}))
            };
            let nights = map_present(days, summary);
            if nights.is_empty() { Value::Null } else { json!({"hrvSummaries": nights}) }
        }),
        (["hrv-service", "hrv", day], _) => day_response(data, day, |day, it| match it.hrv {
            Some(hrv) => json!({"hrvSummary": {"calendarDate": day, "lastNightAvg": hrv}, "hrvReadings": []}),
            None => Value::Null,
        }),
        (["usersummary-service", "stats", "stress", "daily", from, to], _) => {
            range(data, (from, to), 28, |days| {
                map_present(days, |day, it| {
                    Some(json!({"calendarDate": day, "values": {"overallStressLevel": it.stress?}}))
                })
                .into()
            })
        }
        (["usersummary-service", "stats", "steps", "daily", from, to], _) => {
            range(data, (from, to), 28, |days| {
                map_present(days, |day, it| {
                    Some(json!({"calendarDate": day, "totalSteps": it.steps?, "stepGoal": 9000}))
                })
                .into()
            })
        }
        (["usersummary-service", "stats", "hydration", "daily", from, to], _) => {
            range(data, (from, to), 31, |_| json!([]))
        }
        (["wellness-service", "wellness", "bodyBattery", "reports", "daily"], _) => {
            in_query(data, request, 31, |days| {
                let row = |(at, level): &(Instant, u16)| json!([at.timestamp_millis(), level]);
                let report = |day, it: &GarminDay| {
                    let rows: Vec<Value> = it.battery.iter().map(row).collect();
                    (!rows.is_empty()).then(|| json!({"date": day, "bodyBatteryValuesArray": rows}))
                };
                map_present(days, report).into()
            })
        }
        (["wellness-service", "wellness", "dailyHeartRate"], _) => one_day(data, request, "date", heart),
        (["wellness-service", "wellness", "daily", "spo2acclimation", day], _) => {
            day_response(data, day, |day, _| json!({"calendarDate": day, "averageSpO2": null}))
        }
        (["fitnessage-service", "fitnessage", "v2", day], _) => {
            day_response(data, day, |_, _| json!({"fitnessAge": 36.4}))
        }
        (["weight-service", "weight", "range", from, to], _) => range(data, (from, to), 100_000, |days| {
            let summary = |day, it: &GarminDay| {
                Some(json!({"summaryDate": day, "latestWeight": {"weight": it.weight?}}))
            };
            json!({"dailyWeightSummaries": map_present(days, summary), "totalAverage": {"weight": null}})
        }),
        (["biometric-service", "heartRateZones"], _) => Response::json(
            200,
            &json!([{
                "sport": "DEFAULT", "trainingMethod": "HR_MAX", "maxHeartRateUsed": 185,
                "zone1Floor": 93, "zone2Floor": 111, "zone3Floor": 130, "zone4Floor": 148, "zone5Floor": 167,
            }]),
        ),
        (["userprofile-service", "userprofile", "settings"], _) => Response::json(
            200,
            &json!({"measurementSystem": "metric", "devices": {"3000000001": {"alias": "x"}}}),
        ),
        _ => Response::status(404),
    }
}

type Days<'a> = Vec<(Day, Option<&'a GarminDay>)>;

fn list(data: &GarminData, request: &ReceivedRequest) -> Response {
    let number = |name: &str| request.query.get(name).and_then(|text| text.parse::<usize>().ok());
    let day = |name: &str| request.query.get(name).map(|text| text.parse::<Day>());
    let (Some(start), Some(limit @ 1..=100)) = (number("start"), number("limit")) else {
        return Response::status(400);
    };
    let (Some(Ok(from)), Some(Ok(to))) = (day("startDate"), day("endDate")) else {
        return Response::status(400);
    };
    let asked = data.activities.iter().filter(|one| (from..=to).contains(&one.day()));
    Response::json(200, &asked.skip(start).take(limit).map(GarminActivity::json).collect())
}

fn activity(data: &GarminData, id: &str, found: impl Fn(&GarminActivity) -> Response) -> Response {
    let one = data.activities.iter().find(|one| one.id.to_string() == id);
    one.map_or_else(|| Response::status(404), found)
}

fn json_response(value: &Value) -> Response {
    if value.is_null() { Response::status(204) } else { Response::json(200, value) }
}

fn day_response(data: &GarminData, day: &str, answer: impl Fn(Day, &GarminDay) -> Value) -> Response {
    let Ok(day) = day.parse::<Day>() else { return Response::status(400) };
    json_response(&answer(day, data.days.get(&day).unwrap_or(&GarminDay::default())))
}

fn one_day(
    data: &GarminData,
    request: &ReceivedRequest,
    name: &str,
    answer: impl Fn(Day, &GarminDay) -> Value,
) -> Response {
    request.query.get(name).map_or_else(|| Response::status(400), |day| day_response(data, day, answer))
}

fn in_query(
    data: &GarminData,
    request: &ReceivedRequest,
    most: i64,
    answer: impl Fn(Days<'_>) -> Value,
) -> Response {
    match (request.query.get("startDate"), request.query.get("endDate")) {
        (Some(from), Some(to)) => range(data, (from, to), most, answer),
        _ => Response::status(400),
    }
}

fn range(
    data: &GarminData,
    (from, to): (&str, &str),
    most: i64,
    answer: impl Fn(Days<'_>) -> Value,
) -> Response {
    let (Ok(from), Ok(to)) = (from.parse::<Day>(), to.parse::<Day>()) else { return Response::status(400) };
    if to < from || from.days_until(to) >= most {
        return Response::status(400);
    }
    json_response(&answer(from.through(to).map(|day| (day, data.days.get(&day))).collect()))
}

fn map_all(days: Days<'_>, map: impl Fn(Day, &GarminDay) -> Value) -> Vec<Value> {
    map_present(days, |day, it| Some(map(day, it)))
}

/// Days with data; Garmin omits the others.
fn map_present(days: Days<'_>, map: impl Fn(Day, &GarminDay) -> Option<Value>) -> Vec<Value> {
    days.into_iter().filter_map(|(day, it)| map(day, it?)).collect()
}

fn flat(day: Day, it: &GarminDay) -> Value {
    json!({"calendarDate": day, "totalSteps": it.steps, "restingHeartRate": it.resting, "minHeartRate": it.lowest,
        "averageStressLevel": it.stress, "averageSpo2": null})
}

fn nested(day: Day, it: &GarminDay) -> Value {
    // Without a resting heart rate Garmin returns the minimum.
    json!({"calendarDate": day, "movement": {"steps": {"value": it.steps, "goal": 9000}},
        "heartRate": {"minValue": it.lowest, "restingValue": it.resting.or(it.lowest)}, "jetLag": null})
}

fn night(day: Day, it: &GarminDay) -> Value {
    let ms = |at: Instant| at.timestamp_millis();
    let asleep = it.night.map(|(from, to)| (to - from).num_seconds());
    json!({"calendarDate": day, "sleepTimeSeconds": asleep, "deepSleepSeconds": asleep.map(|asleep| asleep / 4),
        "sleepStartTimestampGMT": it.night.map(|(from, _)| ms(from)),
        "sleepEndTimestampGMT": it.night.map(|(_, to)| ms(to)),
        "sleepScores": asleep.map(|_| json!({"overall": {"value": 84}}))})
}

fn heart(day: Day, it: &GarminDay) -> Value {
    let rows: Vec<Value> = it.beats.iter().map(|(at, bpm)| json!([at.timestamp_millis(), bpm])).collect();
    json!({"calendarDate": day, "restingHeartRate": it.resting, "minHeartRate": it.lowest, "heartRateValues": rows,
        "heartRateValueDescriptors": [{"key": "timestamp", "index": 0}, {"key": "heartrate", "index": 1}]})
}
