//! Lint rules: their codes, what each measures and its source.

use crate::string_enum::string_enum;

string_enum! {
    /// A lint rule. `docs/plans.md` lists them with their limits.
    pub enum LintRule("rule") {
        /// Each run compared with the longest of the 30 days before.
        LongestRunJump = "R1",
        /// Each week compared with the biggest of the four before.
        WeeklyVolumeJump = "R2",
        /// The first full week compared with a usual week.
        FirstWeekVolume = "R3",
        /// A cut-back week in every four.
        MissingCutbackWeek = "R5",
        /// The longest run's share of its week.
        LongRunShare = "R6",
        /// How long the longest run takes.
        LongRunDuration = "R7",
        LongRunTooShort = "R8",
        LongRunTooLong = "R9",
        /// Days from the last long run to the race.
        LastLongRunTiming = "R10",
        QualityPerWeek = "R11",
        QualitySpacing = "R12",
        QualityNearLongRun = "R13",
        HardRunningShare = "R14",
        HardRunningPerWorkout = "R15",
        MarathonPaceVolume = "R16",
        RestDays = "R17",
        RunsPerWeek = "R18",
        TaperLength = "R19",
        /// The last weeks compared with the peak week.
        TaperVolume = "R20",
        /// Whether taper weeks get lighter.
        TaperDecrease = "R21",
        /// Whether the taper keeps the number of runs and some race pace.
        TaperFrequency = "R22",
        FinalDays = "R23",
        /// Weeks from the peak to the race.
        PeakWeekTiming = "R24",
        PlanTooShort = "R25",
        /// The usual week before the plan.
        BaseTooLow = "R26",
        /// The peak week compared with published plans.
        UnusualPeakVolume = "R27",
        /// The peak week compared with the athlete's best four weeks.
        PeakAboveOwnBest = "R28",
        FitnessRampRate = "R29",
        /// More recovery from age 50.
        MastersRecovery = "R30",
        /// Paces without a recent result, or faster than it supports.
        UnsupportedPace = "R31",
        RacePaceTooFast = "R32",
        /// Two runs on a day, workouts on rest days, empty weeks, no race on race day.
        DayConflict = "R33",
        ImplausibleDayLength = "R34",
        RunningInjured = "R35",
        CrossTrainingCredit = "R36",
    }
}

impl LintRule {
    /// What it measures, as shown to the athlete.
    #[must_use]
    pub const fn metric(self) -> &'static str {
        self.metric_and_source().0
    }

    /// The paper, book or practice behind it.
    #[must_use]
    pub const fn source(self) -> &'static str {
        self.metric_and_source().1
    }

    /// The source as the app shows it: a paper by its authors, `Frandsen et al. 2025`.
    #[must_use]
    pub fn source_label(self) -> String {
        let parts: Vec<String> = self.source().split(", ").map(cite_paper).collect();
        parts.join(", ")
    }

    const fn metric_and_source(self) -> (&'static str, &'static str) {
        match self {
            Self::LongestRunJump => {
                ("each run compared with the longest run of the 30 days before it", "Frandsen 2025")
            }
            Self::WeeklyVolumeJump => (
                "each week compared with the biggest of the four weeks before it",
                "Nielsen 2014, Damsted 2019, 30 published plans",
            ),
            Self::FirstWeekVolume => (
                "the first full week compared with a usual week",
                "Nielsen 2014, Damsted 2019, 30 published plans",
            ),
            Self::MissingCutbackWeek => (
                "the lightest of four consecutive build weeks compared with the biggest",
                "30 published plans, Pfitzinger",
            ),
            Self::LongRunShare => {
                ("the longest run's share of its week", "Daniels (25 to 30%), 30 published plans (21 to 57%)")
            }
            Self::LongRunDuration => (
                "how many hours the longest run takes at easy pace",
                "Daniels (2.5 hours), Hansons (3 hours)",
            ),
            Self::LongRunTooShort => {
                ("whether the longest run is long enough for the race", "Fokkema 2020, 30 published plans")
            }
            Self::LongRunTooLong => {
                ("whether the longest run is longer than the race requires", "30 published plans")
            }
            Self::LastLongRunTiming => ("days from the last long run to the race", "30 published plans"),
            Self::QualityPerWeek => ("quality workouts per week", "Daniels, Pfitzinger"),
            Self::QualitySpacing => ("hours between quality workouts", "common coaching practice"),
            Self::QualityNearLongRun => {
                ("quality workouts on the day before or after the long run", "common coaching practice")
            }
            Self::HardRunningShare => {
                ("the share of hard running in four weeks", "Seiler, Knopp 2024, Muniz-Pumares 2025")
            }
            Self::HardRunningPerWorkout => ("hard running in one workout", "Daniels"),
            Self::MarathonPaceVolume => {
                ("running at marathon pace in the last ten weeks", "Pfitzinger, Hansons, Canova")
            }
            Self::RestDays => ("rest days per week", "Higdon, 30 published plans"),
            Self::RunsPerWeek => ("runs per week", "30 published plans"),
            Self::TaperLength => ("days of the taper", "Bosquet 2007, Wang 2023, Smyth 2021"),
            Self::TaperVolume => {
                ("the last weeks compared with the peak week", "Bosquet 2007, 30 published plans")
            }
            Self::TaperDecrease => (
                "whether the taper weeks get lighter, and light enough",
                "Wang 2023, Smyth 2021 (strict taper)",
            ),
            Self::TaperFrequency => {
                ("whether the taper keeps the number of runs and some race pace", "Bosquet 2007")
            }
            Self::FinalDays => (
                "quality workouts in the last two days, and runs of over an hour in the last three",
                "common coaching practice",
            ),
            Self::PeakWeekTiming => ("weeks from the last peak week to race week", "30 published plans"),
            Self::PlanTooShort => (
                "full weeks from the start to the race",
                "common coaching practice, Feely 2023 (12 to 16 weeks)",
            ),
            Self::BaseTooLow => ("your usual week before the plan", "30 published plans"),
            Self::UnusualPeakVolume => {
                ("the peak week compared with published plans", "30 published plans, Knopp 2024")
            }
            Self::PeakAboveOwnBest => (
                "the peak week compared with the best four weeks of the last year",
                "common coaching practice",
            ),
            Self::FitnessRampRate => ("fitness points gained in seven days", "common coaching practice"),
            Self::MastersRecovery => (
                "recovery from age 50: a cut-back week every third week, at most two quality workouts a \
                 week, 72 hours apart",
                "common coaching practice",
            ),
            Self::UnsupportedPace => (
                "whether a result from the last 120 days supports the paces",
                "our own rule: no pace without a result",
            ),
            Self::RacePaceTooFast => (
                "whether at least one runner in four would achieve the race pace",
                "range of the predicted finish",
            ),
            Self::DayConflict => (
                "conflicts in the schedule: two runs on a day, workouts on rest days, empty weeks, no race \
                 on race day",
                "",
            ),
            Self::ImplausibleDayLength => ("whether the distance of each day is known and realistic", ""),
            Self::RunningInjured => (
                "intervals and longer runs during an injury and for two weeks after it",
                "common coaching practice",
            ),
            Self::CrossTrainingCredit => (
                "cross-training, which counts for fitness but never for R1, R2 and R6",
                "common coaching practice",
            ),
        }
    }
}

/// `Frandsen 2025` becomes `Frandsen et al. 2025`; anything without a year stays as it is.
fn cite_paper(source: &str) -> String {
    let (author, rest) = source.split_once(' ').unwrap_or((source, ""));
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    match (author, rest.split(' ').next().is_some_and(is_year)) {
        ("Smyth", true) => format!("Smyth and Lawlor {rest}"),
        (author, true) => format!("{author} et al. {rest}"),
        _ => source.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::LintRule;

    #[test]
    fn source_label_has_no_abbreviations() {
        for rule in LintRule::ALL {
            let words = rule.source_label();
            for mark in ["sec.", "[H]", "schema", "FORMULAS", "as R", "fabricate"] {
                assert!(!words.contains(mark), "{rule}: {words}");
            }
        }
    }
}
