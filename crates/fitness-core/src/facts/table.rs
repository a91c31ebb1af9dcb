//! The table of facts: every id that [`gather`](super::build()) knows or lists as missing.
//!
//! An id keeps its meaning for ever, because briefs are stored with it. What means something else gets another id.

use super::value::FactUnit;
use crate::string_enum::string_enum;

macro_rules! facts {
    ( $( $name:ident = $id:literal, $unit:ident, $method:literal, $meaning:literal; )+ ) => {
        string_enum! {
            /// Every fact there is.
            pub enum FactName("fact") {
                $( #[doc = $meaning] $name = $id, )+
            }
        }

        impl FactName {
            /// What its value counts.
            #[must_use]
            pub const fn unit(self) -> FactUnit {
                match self { $( Self::$name => FactUnit::$unit, )+ }
            }

            /// How it is found, unless the fact itself says it more closely.
            #[must_use]
            pub const fn method(self) -> &'static str {
                match self { $( Self::$name => $method, )+ }
            }

            /// What it means, in a sentence for whoever writes with it.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $( Self::$name => $meaning, )+ }
            }
        }
    };
}

// Yesterday is the day before the day of asking. Sums end with it, so that they are the same all day long.
facts! {
    Fitness = "fitness", FitnessPoints, "impulse response, 42 days",
        "Fitness on the evening of the last complete day before today.";
    FitnessSettled = "fitness_settled", Percent, "1 - e^(-days/42)",
        "How much of its final value fitness has reached, with the days there are.";
    Fatigue = "fatigue", FitnessPoints, "impulse response, 7 days",
        "Fatigue on the same evening.";
    Form = "form", FormPoints, "fitness minus fatigue of the evening before",
        "Form on the morning after that evening.";
    FormBand = "form_band", Word, "coaching convention", "Form in a word.";
    Ramp = "ramp", FitnessPointsAWeek, "change of fitness over 7 days",
        "How fast fitness moved over the seven days to that evening.";
    RampBand = "ramp_band", Word, "coaching convention", "The change of fitness in a word.";
    Monotony = "monotony", Ratio, "mean over standard deviation of 7 loads",
        "How alike the seven days to that evening were.";
    LoadYesterday = "load_yesterday", LoadPoints, "sum", "Load of yesterday, all sports.";
    Load7Days = "load_7_days", LoadPoints, "sum", "Load of the seven days through yesterday, all sports.";
    Load7DaysBefore = "load_7_days_before", LoadPoints, "sum", "Load of the seven days before those.";
    Load7To28Days = "load_7_to_28_days", Ratio, "mean of 7 days over the mean of 28; a description",
        "The load of the seven days to that evening over a mean week of the twenty-eight.";

    Distance7Days = "distance_7_days", Distance, "sum", "Distance run in the seven days through yesterday.";
    Distance7DaysBefore = "distance_7_days_before", Distance, "sum", "Distance run in the seven days before those.";
    Runs7Days = "runs_7_days", Runs, "count", "Runs in the seven days through yesterday.";
    TrainingTime7Days = "training_time_7_days", HoursAndMinutes, "sum",
        "Training time of the seven days through yesterday, all sports.";
    LongestRun30Days = "longest_run_30_days", Distance, "longest",
        "The longest run of the thirty days through yesterday.";
    LastRunDay = "last_run_day", CalendarDay, "latest", "The day of the latest run, which may be today.";
    LastRunDistance = "last_run_distance", Distance, "recorded", "How far the latest run was.";
    LastRunTime = "last_run_time", Clock, "time in motion", "How long the latest run took.";
    LastRunPace = "last_run_pace", Pace, "time over distance", "The mean pace of the latest run.";
    LastRunHeartRate = "last_run_heart_rate", BeatsPerMinute, "mean in motion, artefacts taken out",
        "The mean heart rate of the latest run.";
    LastRunLoad = "last_run_load", LoadPoints, "best method there is", "What the latest run cost.";
    LastRunJump = "last_run_jump", Ratio, "over the longest run of the 30 days before",
        "The longest run on the day of the latest, over the longest of the thirty days before.";
    LastRunJumpBand = "last_run_jump_band", Word, "classes of Frandsen 2025", "That jump in a word.";

    HrvLastNight = "hrv_last_night", Milliseconds, "measured", "Heart rate variability of last night.";
    HrvWeek = "hrv_week", Milliseconds, "geometric mean of 7 nights",
        "Heart rate variability of the last seven nights.";
    HrvNormalLow = "hrv_normal_low", Milliseconds, "mean less half a standard deviation of ln rMSSD, 60 nights",
        "The lower end of the athlete's normal range.";
    HrvNormalHigh = "hrv_normal_high", Milliseconds, "mean plus half a standard deviation of ln rMSSD, 60 nights",
        "The upper end of the athlete's normal range.";
    HrvState = "hrv_state", Word, "week against the normal range", "Where the week stands to the normal range.";
    RestingHeartRate = "resting_heart_rate", BeatsPerMinute, "measured", "This morning's resting heart rate.";
    RestingHeartRateUsual = "resting_heart_rate_usual", BeatsPerMinute, "median, 60 days",
        "The athlete's usual resting heart rate.";
    RestingHeartRateFromUsual = "resting_heart_rate_from_usual", BeatsDifference, "difference",
        "How far this morning's resting heart rate is above the usual.";
    SleepLastNight = "sleep_last_night", HoursAndMinutes, "measured", "Time asleep last night.";
    SleepUsual = "sleep_usual", HoursAndMinutes, "median, 28 nights", "How long the athlete usually sleeps.";
    SleepFromUsual = "sleep_from_usual", MinutesDifference, "difference", "How much longer than usual last night was.";
    SleepNeed = "sleep_need", HoursAndMinutes, "set", "How long the athlete wants to sleep.";
    SleepDebt14Days = "sleep_debt_14_days", HoursAndMinutes, "need less sleep, 14 nights",
        "What the last fourteen nights fell short of that by.";
    RespirationLastNight = "respiration_last_night", BreathsPerMinute, "measured", "Breathing rate of last night.";
    StressYesterday = "stress_yesterday", Score, "mean of the day", "The device's stress level of yesterday.";
    BodyBatteryHigh = "body_battery_high", Score, "highest of the day",
        "The highest body battery the device showed yesterday.";
    SignsOfIllness = "signs_of_illness", Word, "resting heart rate up, heart rate variability down, breathing up",
        "Whether signs of illness stand together, and for how long: a question to ask, not a diagnosis.";
    Weight = "weight", Kilograms, "measured", "The latest body weight.";

    Recovery = "recovery", Score, "weighted parts", "This morning's recovery; fifty is usual.";
    RecoveryBand = "recovery_band", Word, "bounds at 34 and 67", "Recovery in a word.";
    RecoveryFromHrv = "recovery_from_hrv", StandardDeviations, "weight times distance from the usual",
        "What heart rate variability adds to recovery.";
    RecoveryFromRestingHeartRate = "recovery_from_resting_heart_rate", StandardDeviations,
        "weight times distance from the usual", "What resting heart rate adds to recovery.";
    RecoveryFromSleep = "recovery_from_sleep", StandardDeviations, "weight times distance from the need",
        "What last night's sleep adds to recovery.";
    RecoveryFromFeel = "recovery_from_feel", StandardDeviations, "weight times distance from the middle",
        "What the athlete's own word adds to recovery.";
    RecoveryFromForm = "recovery_from_form", StandardDeviations, "weight times form", "What form adds to recovery.";

    ThresholdHeartRate = "threshold_heart_rate", BeatsPerMinute, "in force", "Heart rate at threshold.";
    ThresholdMaxHeartRate = "threshold_max_heart_rate", BeatsPerMinute, "in force", "Highest heart rate.";
    ThresholdRestingHeartRate = "threshold_resting_heart_rate", BeatsPerMinute, "in force",
        "The resting heart rate that loads are measured by.";
    ThresholdPace = "threshold_pace", Pace, "in force", "The pace the athlete can run for about an hour.";
    ThresholdPower = "threshold_power", Watts, "in force", "The power the athlete can ride for about an hour.";
    ThresholdSwimPace = "threshold_swim_pace", SwimPace, "in force", "Critical swim speed, as a pace.";

    Predicted5Km = "predicted_5_km", Clock, "combined", "The predicted finish over 5 km, if raced today.";
    Predicted5KmLow = "predicted_5_km_low", Clock, "one in ten is faster", "The fast end of its band.";
    Predicted5KmHigh = "predicted_5_km_high", Clock, "one in ten is slower", "The slow end of its band.";
    Predicted10Km = "predicted_10_km", Clock, "combined", "The predicted finish over 10 km, if raced today.";
    Predicted10KmLow = "predicted_10_km_low", Clock, "one in ten is faster", "The fast end of its band.";
    Predicted10KmHigh = "predicted_10_km_high", Clock, "one in ten is slower", "The slow end of its band.";
    PredictedHalf = "predicted_half_marathon", Clock, "combined",
        "The predicted finish over a half marathon, if raced today.";
    PredictedHalfLow = "predicted_half_marathon_low", Clock, "one in ten is faster", "The fast end of its band.";
    PredictedHalfHigh = "predicted_half_marathon_high", Clock, "one in ten is slower", "The slow end of its band.";
    PredictedMarathon = "predicted_marathon", Clock, "combined",
        "The predicted finish over a marathon, if raced today.";
    PredictedMarathonLow = "predicted_marathon_low", Clock, "one in ten is faster", "The fast end of its band.";
    PredictedMarathonHigh = "predicted_marathon_high", Clock, "one in ten is slower", "The slow end of its band.";
    PredictedRace = "predicted_race", Clock, "combined",
        "The predicted finish over the distance of the plan's race, if raced today.";
    PredictedRaceLow = "predicted_race_low", Clock, "one in ten is faster", "The fast end of its band.";
    PredictedRaceHigh = "predicted_race_high", Clock, "one in ten is slower", "The slow end of its band.";

    DaysToRace = "days_to_race", Days, "calendar", "Days from today to the race of the active plan.";
    RaceDay = "race_day", CalendarDay, "planned", "The day of that race.";
    RaceDistance = "race_distance", Distance, "planned", "How far that race is.";
    RaceGoalTime = "race_goal_time", Clock, "planned", "The time hoped for in that race.";
    PlanName = "plan_name", Name, "given", "What the athlete calls the active plan.";
    GoalName = "goal_name", Name, "planned", "What the active plan trains for.";
    TodayWorkout = "today_session", Name, "planned", "What today's session of the active plan is called.";
    TodayWorkoutKind = "today_session_kind", Word, "planned", "What today's session is for.";
    TodayWorkoutDistance = "today_session_distance", Distance, "planned", "How far today's session is.";
    TodayWorkoutTime = "today_session_time", HoursAndMinutes, "planned", "How long today's session is.";
    TodayWorkoutIntensity = "today_session_intensity", Name, "planned", "How hard today's session is, as the plan says it.";
    TodayWorkoutVerdict = "today_session_state", Word, "graded",
        "What became of today's session: pending until its data has arrived.";
    LastGradedDay = "last_judged_day", CalendarDay, "latest", "The last day before today whose training was judged.";
    LastGradedWorkout = "last_judged_session", Name, "planned", "What that day's session is called.";
    LastVerdict = "last_verdict", Word, "graded", "The verdict on that day: hit, short or missed.";
    LastAbsence = "last_excuse", Word, "marked", "Why that day is left out of adherence, though its verdict stands.";
    AbsenceToday = "marked_today", Word, "marked", "What the athlete marked for today: ill, injured or away.";
    PendingProposals = "proposal_waiting", Name, "latest",
        "What waits for the athlete to decide, every proposal by its number; nothing of it has happened.";

    LastRaceDay = "last_race_day", CalendarDay, "latest", "The day of the latest race.";
    LastRaceDistance = "last_race_distance", Distance, "told", "How far the latest race was.";
    LastRaceTime = "last_race_time", Clock, "told", "How long the latest race took.";
}
