//! The rules by name: what each measures, and whose finding it is.

use crate::string_enum::string_enum;

string_enum! {
    /// A rule of the linter. `docs/plans.md` has them in a table with their limits.
    pub enum Rule("rule") {
        /// A run against the longest of the 30 days before.
        LongestRunJump = "R1",
        /// A week against the fullest of the four before.
        WeeklyVolumeJump = "R2",
        /// The first week against the usual one.
        FirstWeekVolume = "R3",
        /// Lighter weeks in between.
        MissingCutbackWeek = "R5",
        /// The longest run's share of its week.
        LongRunShare = "R6",
        /// How long the longest run takes.
        LongRunDuration = "R7",
        /// A longest run that is long enough.
        LongRunTooShort = "R8",
        /// A longest run that is not too long.
        LongRunTooLong = "R9",
        /// Days from the last long run to the race.
        LastLongRunTiming = "R10",
        /// Quality sessions in a week.
        QualityPerWeek = "R11",
        /// Time between quality sessions.
        QualitySpacing = "R12",
        /// Quality beside the long run.
        QualityNearLongRun = "R13",
        /// The share of hard running.
        HardRunningShare = "R14",
        /// Hard running in one session.
        HardRunningPerWorkout = "R15",
        /// Running at marathon pace.
        MarathonPaceVolume = "R16",
        /// Rest days.
        RestDays = "R17",
        /// Runs in a week.
        RunsPerWeek = "R18",
        /// Length of the taper.
        TaperLength = "R19",
        /// The last weeks against the peak.
        TaperVolume = "R20",
        /// A taper that falls.
        TaperDecrease = "R21",
        /// A taper that keeps runs and pace.
        TaperFrequency = "R22",
        /// The last days.
        FinalDays = "R23",
        /// Weeks from the peak to the race.
        PeakWeekTiming = "R24",
        /// Weeks there are.
        PlanTooShort = "R25",
        /// Running there was before.
        BaseTooLow = "R26",
        /// A peak week as others have it.
        UnusualPeakVolume = "R27",
        /// The peak against the best own weeks.
        PeakAboveOwnBest = "R28",
        /// How fast fitness rises.
        FitnessRampRate = "R29",
        /// More recovery from 50 years on.
        MastersRecovery = "R30",
        /// Paces from a result.
        UnsupportedPace = "R31",
        /// Race pace within the prediction.
        RacePaceTooFast = "R32",
        /// Days that hold together.
        DayConflict = "R33",
        /// Days of a possible length.
        ImplausibleDayLength = "R34",
        /// Running with an injury.
        RunningInjured = "R35",
        /// What cross-training counts for.
        CrossTrainingCredit = "R36",
    }
}

impl Rule {
    /// What it measures, in plain words.
    #[must_use]
    pub const fn metric(self) -> &'static str {
        self.metric_and_source().0
    }

    /// Whose finding it is. `[H]` is a coaching heuristic; `sec.2` is what 30 published plans do.
    #[must_use]
    pub const fn source(self) -> &'static str {
        self.metric_and_source().1
    }

    /// The same for whoever reads a page: what the marks stand for, in words.
    #[must_use]
    pub fn source_label(self) -> String {
        match self {
            Self::FirstWeekVolume => Self::WeeklyVolumeJump.source_label(),
            Self::LongRunShare => "Daniels (25 to 30 %) and 30 published plans (21 to 57 %)".to_owned(),
            Self::LongRunDuration => "Daniels (2.5 hours) and Hansons (3 hours)".to_owned(),
            Self::PlanTooShort => "coaching practice and Feely 2023 (12 to 16 weeks)".to_owned(),
            Self::UnsupportedPace => "our own rule: no pace without a result behind it".to_owned(),
            Self::RacePaceTooFast => "the range of your predicted finish".to_owned(),
            Self::DayConflict | Self::ImplausibleDayLength => "what any plan must be".to_owned(),
            _ => self.source().replace("sec.2", "30 published plans").replace("[H]", "coaching practice"),
        }
    }

    const fn metric_and_source(self) -> (&'static str, &'static str) {
        match self {
            Self::LongestRunJump => {
                ("a run against the longest run of the 30 days before it", "Frandsen 2025")
            }
            Self::WeeklyVolumeJump => (
                "a week against the fullest of the four weeks before it",
                "Nielsen 2014, Damsted 2019, sec.2",
            ),
            Self::FirstWeekVolume => ("the first full week against the athlete's usual week", "as R2"),
            Self::MissingCutbackWeek => {
                ("the lightest of four build weeks in a row against the fullest", "sec.2, Pfitzinger")
            }
            Self::LongRunShare => {
                ("the share of a week that its longest run is", "Daniels .25-.30; sec.2 .21-.57")
            }
            Self::LongRunDuration => {
                ("hours the longest run takes at the athlete's easy pace", "Daniels 2.5, Hansons 3")
            }
            Self::LongRunTooShort => ("the longest run is long enough for the race", "Fokkema 2020, sec.2"),
            Self::LongRunTooLong => ("the longest run is not longer than the race asks for", "sec.2"),
            Self::LastLongRunTiming => ("days from the last long run to the race", "sec.2"),
            Self::QualityPerWeek => ("quality sessions in a week", "Daniels, Pfitzinger"),
            Self::QualitySpacing => ("hours between quality sessions", "[H]"),
            Self::QualityNearLongRun => ("quality on the day before or after the long run", "[H]"),
            Self::HardRunningShare => (
                "the share of hard running in the time of four weeks",
                "Seiler, Knopp 2024, Muniz-Pumares 2025",
            ),
            Self::HardRunningPerWorkout => ("hard running in one session", "Daniels"),
            Self::MarathonPaceVolume => {
                ("running at marathon pace in the last ten weeks", "Pfitzinger, Hansons, Canova")
            }
            Self::RestDays => ("rest days in a week", "Higdon, sec.2"),
            Self::RunsPerWeek => ("runs in a week", "sec.2"),
            Self::TaperLength => ("days of the taper", "Bosquet 2007, Wang 2023, Smyth 2021"),
            Self::TaperVolume => ("the last weeks against the peak week", "Bosquet 2007, sec.2"),
            Self::TaperDecrease => (
                "the weeks of the taper get lighter, and light enough",
                "Wang 2023, Smyth 2021 (strict taper)",
            ),
            Self::TaperFrequency => ("the taper keeps the number of runs and some race pace", "Bosquet 2007"),
            Self::FinalDays => {
                ("the last two days without quality, the last three without a run of over an hour", "[H]")
            }
            Self::PeakWeekTiming => ("weeks from the last peak week to race week", "sec.2"),
            Self::PlanTooShort => ("full weeks from the start to the race", "[H]; Feely 2023 (12-16 wk)"),
            Self::BaseTooLow => ("the athlete's usual week before the plan", "sec.2"),
            Self::UnusualPeakVolume => {
                ("the peak week against those of published plans", "sec.2, Knopp 2024")
            }
            Self::PeakAboveOwnBest => ("the peak week against the best own four weeks of a year", "[H]"),
            Self::FitnessRampRate => ("points by which fitness rises in seven days", "[H]"),
            Self::MastersRecovery => (
                "from 50 years on: a lighter week in three, 72 hours between at most two quality sessions",
                "[H]",
            ),
            Self::UnsupportedPace => (
                "a pace follows from a result of the last 120 days and is no quicker than that supports",
                "never-fabricate",
            ),
            Self::RacePaceTooFast => ("race pace is not faster than one in four would run", "FORMULAS 16"),
            Self::DayConflict => {
                ("one run a day, rest days that rest, no week without a day, one race on race day", "schema")
            }
            Self::ImplausibleDayLength => ("every day's running has a length, and a possible one", "schema"),
            Self::RunningInjured => {
                ("with an injury: no intervals, and no run beyond the longest of the 30 days before", "[H]")
            }
            Self::CrossTrainingCredit => {
                ("cross-training counts for fitness, never for R1, R2 and R6", "[H]")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn source_label_has_no_abbreviations() {
        for rule in Rule::ALL {
            let words = rule.source_label();
            for mark in ["sec.", "[H]", "schema", "FORMULAS", "as R", "fabricate"] {
                assert!(!words.contains(mark), "{rule}: {words}");
            }
        }
    }
}
