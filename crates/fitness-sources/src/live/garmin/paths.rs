//! Table of the paths of Garmin's Personal API.
//!
//! Garmin's documentation may change, and reports by users differ. So each dataset lists every
//! reported path; the first that does not return 404 is remembered. All paths must be requested
//! with GET, and `generate-defaults` never: it makes Garmin write zones.

use fitness_core::domain::calendar::Day;

/// A dataset and its possible paths.
#[derive(Debug)]
pub(super) struct GarminEndpoint {
    /// Name in records and errors. If two datasets have the same value, the alphabetically first
    /// name wins.
    pub(super) name: &'static str,
    /// In the order they are tried.
    pub(super) paths: &'static [&'static str],
    /// Longest range it accepts, in days.
    pub(super) max_days: i64,
}

pub(super) const TOKEN_PATH: &str = "/personalapitoken-service/personal-api/personal-api-key/token";

pub(super) const PAGE_SIZE: usize = 45;

macro_rules! datasets {
    ($( $(#[$meta:meta])* $constant:ident = $name:literal, $max_days:literal, [$($path:literal),+ $(,)?]; )+) => {
        $( $(#[$meta])* pub(super) const $constant: GarminEndpoint =
            GarminEndpoint { name: $name, paths: &[$($path),+], max_days: $max_days }; )+
        pub(super) const ALL: &[&GarminEndpoint] = &[ $( &$constant ),+ ];
    };
}

datasets! {
    ACTIVITIES = "activities", 365, [
        "/activitylist-service/activities/search/activities?start={start}&limit={limit}&startDate={from}&endDate={through}",
    ];
    ACTIVITY = "activity", 1, ["/activity-service/activity/{id}"];
    ACTIVITY_WORKOUTS = "activity_workouts", 1, ["/activity-service/activity/{id}/workouts"];
    /// The original file. The paths are not confirmed for the personal host.
    FILES = "files", 1, [
        "/download-service/files/activity/{id}",
        "/activity-service/files/activity/{id}",
        "/activity-service/activity/{id}/file",
    ];
    DAILY_HEART_RATE = "daily_heart_rate", 1, ["/wellness-service/wellness/dailyHeartRate?date={day}"];
    DAILY_SUMMARY = "daily_summary", 1, ["/usersummary-service/usersummary/daily?calendarDate={day}"];
    SUMMARIES = "summaries", 365, [
        "/usersummary-service/usersummary/v2/dailysummaries?startDate={from}&endDate={through}",
        "/usersummary-service/v2/dailysummaries?startDate={from}&endDate={through}",
    ];
    SLEEP = "sleep", 1, [
        "/sleep-service/sleep/dailySleepData?date={day}",
        "/sleep-service/sleep/dailySleep?date={day}",
    ];
    SLEEP_SUMMARIES = "sleep_summaries", 31, [
        "/sleep-service/sleep/dailySleepSummariesByDate?startDate={from}&endDate={through}",
        "/sleep-service/dailySleepSummariesByDate?startDate={from}&endDate={through}",
    ];
    HRV_NIGHT = "hrv_night", 1, ["/hrv-service/hrv/{day}"];
    /// No maximum is documented; 35 days worked.
    HRV = "hrv", 31, ["/hrv-service/hrv/daily/{from}/{through}"];
    STRESS = "stress", 28, ["/usersummary-service/stats/stress/daily/{from}/{through}"];
    STEPS = "steps", 28, ["/usersummary-service/stats/steps/daily/{from}/{through}"];
    HYDRATION = "hydration", 31, ["/usersummary-service/stats/hydration/daily/{from}/{through}"];
    BODY_BATTERY = "body_battery", 31, [
        "/wellness-service/wellness/bodyBattery/reports/daily?startDate={from}&endDate={through}",
    ];
    SPO2 = "spo2", 1, ["/wellness-service/wellness/daily/spo2acclimation/{day}"];
    FITNESS_AGE = "fitness_age", 1, ["/fitnessage-service/fitnessage/v2/{day}"];
    WEIGHT = "weight", 365, ["/weight-service/weight/range/{from}/{through}?includeAll=true"];
    WEIGHT_GOAL = "weight_goal", 31, ["/goal-service/goal/user/effective/weightgoal/{from}/{through}"];
    HEART_RATE_ZONES = "heart_rate_zones", 1, [
        "/biometric-service/heartRateZones",
        "/biometric-service/heartRateZones/v2",
    ];
    SETTINGS = "settings", 1, ["/userprofile-service/userprofile/settings"];
    WELLNESS_ACTIVITIES = "wellness_activities", 31, [
        "/wellnessactivity-service/activity/summary/range/{from}/{through}",
    ];
    MENSTRUAL_CYCLE = "menstrual_cycle", 1, ["/periodichealth-service/menstrualcycle/dayview/{day}"];
    FOOD_LOG = "food_log", 1, ["/nutrition-service/food/logs/{day}"];
}

/// Values for the placeholders of a path.
#[derive(Debug, Clone, Copy)]
pub(super) struct GarminPathValues<'a> {
    /// First or only day.
    pub(super) from: Day,
    pub(super) through: Day,
    pub(super) start: usize,
    pub(super) limit: usize,
    /// Letters and digits only.
    pub(super) id: &'a str,
}

impl<'a> GarminPathValues<'a> {
    pub(super) const fn for_days(from: Day, through: Day) -> Self {
        Self { from, through, start: 0, limit: PAGE_SIZE, id: "" }
    }

    pub(super) const fn for_activity(id: &'a str, day: Day) -> Self {
        Self { id, ..Self::for_days(day, day) }
    }

    /// Fills in the placeholders.
    pub(super) fn render(&self, template: &str) -> String {
        template
            .replace("{from}", &self.from.to_string())
            .replace("{day}", &self.from.to_string())
            .replace("{through}", &self.through.to_string())
            .replace("{start}", &self.start.to_string())
            .replace("{limit}", &self.limit.to_string())
            .replace("{id}", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_placeholder_is_rendered() {
        let day = "2026-06-14".parse().unwrap();
        let fill = GarminPathValues { id: "21", ..GarminPathValues::for_days(day, day) };
        for path in ALL.iter().flat_map(|set| set.paths) {
            let filled = fill.render(path);
            assert!(filled.starts_with('/') && !filled.contains(['{', '}']), "{filled}");
            assert!(!filled.contains("generate-defaults"));
        }
    }

    #[test]
    fn preferred_dataset_sorts_first() {
        for (better, other) in [
            (&DAILY_HEART_RATE, &SUMMARIES),
            (&DAILY_SUMMARY, &SUMMARIES),
            (&STRESS, &SUMMARIES),
            (&STEPS, &SUMMARIES),
            (&BODY_BATTERY, &SUMMARIES),
            (&SLEEP, &SLEEP_SUMMARIES),
        ] {
            assert!(better.name < other.name);
        }
    }
}
