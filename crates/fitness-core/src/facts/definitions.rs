//! The table of facts: id, unit, method and label of each.
//!
//! The meaning of an id never changes, because stored briefs refer to it. A new meaning gets a new
//! id.

use super::value::FactUnit;
use crate::string_enum::string_enum;

macro_rules! facts {
    ( $( $name:ident = $id:literal, $unit:ident, $method:literal, $meaning:literal; )+ ) => {
        string_enum! {
            pub enum FactName("fact") {
                $( #[doc = $meaning] $name = $id, )+
            }
        }

        impl FactName {
            /// Unit of the value.
            #[must_use]
            pub const fn unit(self) -> FactUnit {
                match self { $( Self::$name => FactUnit::$unit, )+ }
            }

            /// Method, unless the fact has a more specific one.
            #[must_use]
            pub const fn method(self) -> &'static str {
                match self { $( Self::$name => $method, )+ }
            }

            /// Label for the facts table, the model's prompt and tool results.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $( Self::$name => $meaning, )+ }
            }
        }
    };
}

impl FactName {
    pub(super) const fn is_threshold(self) -> bool {
        matches!(
            self,
            Self::ThresholdHeartRate
                | Self::ThresholdMaxHeartRate
                | Self::ThresholdRestingHeartRate
                | Self::ThresholdPace
                | Self::ThresholdPower
                | Self::ThresholdSwimPace
        )
    }

    /// Whether it is computed from training loads, which depend on thresholds.
    pub(super) const fn uses_load(self) -> bool {
        matches!(
            self,
            Self::Fitness
                | Self::FitnessSettled
                | Self::Fatigue
                | Self::Form
                | Self::FormBand
                | Self::Ramp
                | Self::RampBand
                | Self::Monotony
                | Self::LoadYesterday
                | Self::Load7Days
                | Self::Load7DaysBefore
                | Self::Load7To28Days
                | Self::Recovery
                | Self::RecoveryBand
                | Self::RecoveryFromForm
        )
    }
}

// Sums end with yesterday, so that they stay the same all day.
facts! {
    Fitness = "fitness", FitnessPoints, "weighted average of daily load, about 42 days",
        "Fitness at the end of the last complete day before this one.";
    FitnessSettled = "fitness_settled", Percent, "grows with the days of data: 63% after 42 days",
        "How reliable the fitness value is so far.";
    Fatigue = "fatigue", FitnessPoints, "weighted average of daily load, about 7 days",
        "Fatigue at the end of the last complete day before this one.";
    Form = "form", FormPoints, "fitness minus fatigue of the evening before",
        "Form the morning after: fitness minus fatigue.";
    FormBand = "form_band", Word, "coaching convention", "Form category.";
    Ramp = "ramp", FitnessPointsAWeek, "fitness minus fitness 7 days earlier", "Change in fitness over the last 7 days.";
    RampBand = "ramp_band", Word, "coaching convention", "Rate of the change in fitness.";
    Monotony = "monotony", Ratio, "average of 7 daily loads divided by their standard deviation", "Training monotony (last 7 days).";
    LoadYesterday = "load_yesterday", LoadPoints, "sum", "Training load of the day before, all sports.";
    Load7Days = "load_7_days", LoadPoints, "sum", "Training load of the 7 days before this one, all sports.";
    Load7DaysBefore = "load_7_days_before", LoadPoints, "sum", "Training load 8 to 14 days before this one, all sports.";
    Load7To28Days = "load_7_to_28_days", Ratio, "average of 7 days divided by the average of 28 days",
        "Load of the last 7 days compared with the last 28 (ratio of daily averages).";

    Distance7Days = "distance_7_days", Distance, "sum", "Running distance of the 7 days before this one.";
    Distance7DaysBefore = "distance_7_days_before", Distance, "sum", "Running distance 8 to 14 days before this one.";
    Runs7Days = "runs_7_days", Runs, "count", "Number of runs in the 7 days before this one.";
    TrainingTime7Days = "training_time_7_days", HoursAndMinutes, "sum",
        "Training time of the 7 days before this one, all sports.";
    LongestRun30Days = "longest_run_30_days", Distance, "maximum",
        "Longest run of the 30 days before this one.";
    LastRunDay = "last_run_day", CalendarDay, "latest", "Day of your last run, up to and including this day.";
    LastRunDistance = "last_run_distance", Distance, "recorded", "Distance of your last run.";
    LastRunTime = "last_run_time", Clock, "moving time", "Time of your last run.";
    LastRunPace = "last_run_pace", Pace, "time divided by distance", "Average pace of your last run.";
    LastRunHeartRate = "last_run_heart_rate", BeatsPerMinute, "average while moving, without sensor errors",
        "Average heart rate of your last run.";
    LastRunLoad = "last_run_load", LoadPoints, "best available method", "Load of your last run.";
    LastRunJump = "last_run_jump", Ratio, "distance divided by the longest run of the 30 days before",
        "Your last run compared with your longest in the 30 days before.";
    LastRunJumpBand = "last_run_jump_band", Word, "compared with your longest run in the 30 days before",
        "Jump in distance of your last run.";

    HrvLastNight = "hrv_last_night", Milliseconds, "measured", "HRV of the night before.";
    HrvWeek = "hrv_week", Milliseconds, "average of 7 nights (geometric mean)", "HRV (7-day average).";
    HrvNormalLow = "hrv_normal_low", Milliseconds, "average of 60 nights minus half a standard deviation, on a log scale",
        "Lower end of your normal HRV range.";
    HrvNormalHigh = "hrv_normal_high", Milliseconds, "average of 60 nights plus half a standard deviation, on a log scale",
        "Upper end of your normal HRV range.";
    HrvState = "hrv_state", Word, "7-day average compared with the normal range",
        "HRV (7-day average) compared with your normal range.";
    RestingHeartRate = "resting_heart_rate", BeatsPerMinute, "measured", "Resting heart rate in the morning.";
    RestingHeartRateUsual = "resting_heart_rate_usual", BeatsPerMinute, "median, 60 days",
        "Your usual resting heart rate.";
    RestingHeartRateFromUsual = "resting_heart_rate_from_usual", BeatsDifference, "difference",
        "Resting heart rate in the morning minus your usual.";
    SleepLastNight = "sleep_last_night", HoursAndMinutes, "measured", "Sleep in the night before.";
    SleepUsual = "sleep_usual", HoursAndMinutes, "median, 28 nights", "Your usual sleep.";
    SleepFromUsual = "sleep_from_usual", MinutesDifference, "difference", "Sleep in the night before minus your usual.";
    SleepNeed = "sleep_need", HoursAndMinutes, "set in the profile", "Your sleep goal.";
    SleepDebt14Days = "sleep_debt_14_days", HoursAndMinutes, "sleep goal minus sleep, 14 nights",
        "Sleep debt (last 14 nights).";
    RespirationLastNight = "respiration_last_night", BreathsPerMinute, "measured", "Breathing rate in the night before.";
    StressYesterday = "stress_yesterday", Score, "average of the day", "Stress on the day before, as measured by your device.";
    BodyBatteryHigh = "body_battery_high", Score, "maximum of the day", "Highest Body Battery on the day before.";
    SignsOfIllness = "signs_of_illness", Word, "resting heart rate up, HRV down, breathing rate up",
        "Possible signs of illness (not a diagnosis).";
    Weight = "weight", Kilograms, "measured", "Latest body weight.";

    Recovery = "recovery", Score, "HRV, resting heart rate, sleep, check-in and form, weighted", "Recovery in the morning (50 is normal).";
    RecoveryBand = "recovery_band", Word, "low below 34, high from 67", "Recovery category.";
    RecoveryFromHrv = "recovery_from_hrv", StandardDeviations, "difference from your normal, weighted",
        "Effect of HRV on recovery.";
    RecoveryFromRestingHeartRate = "recovery_from_resting_heart_rate", StandardDeviations,
        "difference from your normal, weighted", "Effect of resting heart rate on recovery.";
    RecoveryFromSleep = "recovery_from_sleep", StandardDeviations, "difference from your sleep goal, weighted",
        "Effect of the night's sleep on recovery.";
    RecoveryFromFeel = "recovery_from_feel", StandardDeviations, "difference from the middle of the scale, weighted",
        "Effect of how you feel on recovery.";
    RecoveryFromForm = "recovery_from_form", StandardDeviations, "form, weighted", "Effect of form on recovery.";

    ThresholdHeartRate = "threshold_heart_rate", BeatsPerMinute, "current value", "Threshold heart rate.";
    ThresholdMaxHeartRate = "threshold_max_heart_rate", BeatsPerMinute, "current value", "Max heart rate.";
    ThresholdRestingHeartRate = "threshold_resting_heart_rate", BeatsPerMinute, "current value",
        "Resting heart rate used for training load.";
    ThresholdPace = "threshold_pace", Pace, "current value", "Threshold pace.";
    ThresholdPower = "threshold_power", Watts, "current value", "Threshold power (FTP).";
    ThresholdSwimPace = "threshold_swim_pace", SwimPace, "current value", "Threshold swim pace (CSS).";

    Predicted5Km = "predicted_5_km", Clock, "combined", "Predicted 5 km time if raced on this day.";
    Predicted5KmLow = "predicted_5_km_low", Clock, "one in ten is faster", "Predicted 5 km time, fast end.";
    Predicted5KmHigh = "predicted_5_km_high", Clock, "one in ten is slower", "Predicted 5 km time, slow end.";
    Predicted10Km = "predicted_10_km", Clock, "combined", "Predicted 10 km time if raced on this day.";
    Predicted10KmLow = "predicted_10_km_low", Clock, "one in ten is faster", "Predicted 10 km time, fast end.";
    Predicted10KmHigh = "predicted_10_km_high", Clock, "one in ten is slower", "Predicted 10 km time, slow end.";
    PredictedHalf = "predicted_half_marathon", Clock, "combined", "Predicted half marathon time if raced on this day.";
    PredictedHalfLow = "predicted_half_marathon_low", Clock, "one in ten is faster",
        "Predicted half marathon time, fast end.";
    PredictedHalfHigh = "predicted_half_marathon_high", Clock, "one in ten is slower",
        "Predicted half marathon time, slow end.";
    PredictedMarathon = "predicted_marathon", Clock, "combined", "Predicted marathon time if raced on this day.";
    PredictedMarathonLow = "predicted_marathon_low", Clock, "one in ten is faster",
        "Predicted marathon time, fast end.";
    PredictedMarathonHigh = "predicted_marathon_high", Clock, "one in ten is slower",
        "Predicted marathon time, slow end.";
    PredictedRace = "predicted_race", Clock, "combined", "Predicted time for your race if raced on this day.";
    PredictedRaceLow = "predicted_race_low", Clock, "one in ten is faster", "Predicted time for your race, fast end.";
    PredictedRaceHigh = "predicted_race_high", Clock, "one in ten is slower", "Predicted time for your race, slow end.";

    DaysToRace = "days_to_race", Days, "calendar", "Days to your race.";
    RaceDay = "race_day", CalendarDay, "planned", "Race day.";
    RaceDistance = "race_distance", Distance, "planned", "Race distance.";
    RaceGoalTime = "race_goal_time", Clock, "planned", "Goal time for the race.";
    PlanName = "plan_name", Name, "as you named it", "Name of the active plan.";
    GoalName = "goal_name", Name, "planned", "Goal of the active plan.";
    TodayWorkout = "today_session", Name, "planned", "Workout of the day in the active plan.";
    TodayWorkoutKind = "today_session_kind", Word, "planned", "Kind of the workout of the day.";
    TodayWorkoutDistance = "today_session_distance", Distance, "planned", "Planned distance of the workout of the day.";
    TodayWorkoutTime = "today_session_time", HoursAndMinutes, "planned", "Planned duration of the workout of the day.";
    TodayWorkoutIntensity = "today_session_intensity", Name, "planned", "Intensity of the workout of the day.";
    TodayWorkoutVerdict = "today_session_state", Word, "graded",
        "Result of the workout of the day; pending until its data is synced.";
    LastGradedDay = "last_judged_day", CalendarDay, "latest", "Last graded day before this one.";
    LastGradedWorkout = "last_judged_session", Name, "planned", "Workout of the last graded day.";
    LastVerdict = "last_verdict", Word, "graded", "Result of the last graded day: hit, short or missed.";
    LastAbsence = "last_excuse", Word, "reported", "Why the last graded workout does not count toward adherence: ill, injured or away.";
    AbsenceToday = "marked_today", Word, "reported", "Absence reported for this day: ill, injured or away.";
    PendingProposals = "proposal_waiting", Name, "latest", "Proposals waiting for your decision.";

    LastRaceDay = "last_race_day", CalendarDay, "latest", "Day of your last race.";
    LastRaceDistance = "last_race_distance", Distance, "recorded", "Distance of your last race.";
    LastRaceTime = "last_race_time", Clock, "recorded", "Time of your last race.";
}
