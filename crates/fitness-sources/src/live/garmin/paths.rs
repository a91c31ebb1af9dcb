//! Where everything is at Garmin's Personal API: the one table of its paths.
//!
//! Garmin publishes the paths on a page that may change, and the reports of those who use them differ. So a dataset
//! has every path it was reported at; the first that is not answered with 404 is remembered. Nothing here may ever be
//! sent with anything but GET, and `generate-defaults` never: it makes Garmin write zones.

use fitness_core::domain::calendar::Day;

/// A dataset and the paths it may be at.
#[derive(Debug)]
pub(super) struct Dataset {
    /// What it is called in reports and errors. Of two datasets that tell the same value, the one whose name comes
    /// first in the alphabet is believed.
    pub(super) name: &'static str,
    /// In the order in which they are tried.
    pub(super) paths: &'static [&'static str],
    /// The longest span it answers, in days.
    pub(super) max_days: i64,
}

pub(super) const TOKEN_PATH: &str = "/personalapitoken-service/personal-api/personal-api-key/token";

/// Activities on a page of the list.
pub(super) const PAGE_SIZE: usize = 45;

macro_rules! datasets {
    ($( $(#[$meta:meta])* $constant:ident = $name:literal, $max_days:literal, [$($path:literal),+ $(,)?]; )+) => {
        $( $(#[$meta])* pub(super) const $constant: Dataset =
            Dataset { name: $name, paths: &[$($path),+], max_days: $max_days }; )+
        /// All of them.
        pub(super) const ALL: &[&Dataset] = &[ $( &$constant ),+ ];
    };
}

datasets! {
    ACTIVITIES = "activities", 365, [
        "/activitylist-service/activities/search/activities?start={start}&limit={limit}&startDate={from}&endDate={through}",
    ];
    ACTIVITY = "activity", 1, ["/activity-service/activity/{id}"];
    ACTIVITY_WORKOUTS = "activity_workouts", 1, ["/activity-service/activity/{id}/workouts"];
    /// The original file. No source saw its path at the personal host.
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
    /// No longest span is published; 35 days were answered.
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

/// What is put into a path.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathParams<'a> {
    /// The first day, or the only one.
    pub(super) from: Day,
    pub(super) through: Day,
    pub(super) start: usize,
    pub(super) limit: usize,
    /// Letters and digits only.
    pub(super) id: &'a str,
}

impl<'a> PathParams<'a> {
    pub(super) const fn for_days(from: Day, through: Day) -> Self {
        Self { from, through, start: 0, limit: PAGE_SIZE, id: "" }
    }

    pub(super) const fn for_activity(id: &'a str, day: Day) -> Self {
        Self { id, ..Self::for_days(day, day) }
    }

    /// A path with its gaps filled.
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
        let fill = PathParams { id: "21", ..PathParams::for_days(day, day) };
        for path in ALL.iter().flat_map(|set| set.paths) {
            let filled = fill.render(path);
            assert!(filled.starts_with('/') && !filled.contains(['{', '}']), "{filled}");
            assert!(!filled.contains("generate-defaults"));
        }
    }

    #[test]
    fn the_better_of_two_datasets_comes_first_in_the_alphabet() {
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
