//! The rules by name: what each measures, and whose finding it is.

use crate::string_enum::string_enum;

string_enum! {
    /// A rule of the linter. `docs/plans.md` has them in a table with their limits.
    pub enum Rule("rule") {
        /// A run against the longest of the 30 days before.
        R1 = "R1",
        /// A week against the fullest of the four before.
        R2 = "R2",
        /// The first week against the usual one.
        R3 = "R3",
        /// Lighter weeks in between.
        R5 = "R5",
        /// The longest run's share of its week.
        R6 = "R6",
        /// How long the longest run takes.
        R7 = "R7",
        /// A longest run that is long enough.
        R8 = "R8",
        /// A longest run that is not too long.
        R9 = "R9",
        /// Days from the last long run to the race.
        R10 = "R10",
        /// Quality sessions in a week.
        R11 = "R11",
        /// Time between quality sessions.
        R12 = "R12",
        /// Quality beside the long run.
        R13 = "R13",
        /// The share of hard running.
        R14 = "R14",
        /// Hard running in one session.
        R15 = "R15",
        /// Running at marathon pace.
        R16 = "R16",
        /// Rest days.
        R17 = "R17",
        /// Runs in a week.
        R18 = "R18",
        /// Length of the taper.
        R19 = "R19",
        /// The last weeks against the peak.
        R20 = "R20",
        /// A taper that falls.
        R21 = "R21",
        /// A taper that keeps runs and pace.
        R22 = "R22",
        /// The last days.
        R23 = "R23",
        /// Weeks from the peak to the race.
        R24 = "R24",
        /// Weeks there are.
        R25 = "R25",
        /// Running there was before.
        R26 = "R26",
        /// A peak week as others have it.
        R27 = "R27",
        /// The peak against the best own weeks.
        R28 = "R28",
        /// How fast fitness rises.
        R29 = "R29",
        /// More recovery from 50 years on.
        R30 = "R30",
        /// Paces from a result.
        R31 = "R31",
        /// Race pace within the prediction.
        R32 = "R32",
        /// Days that hold together.
        R33 = "R33",
        /// Days of a possible length.
        R34 = "R34",
        /// Running with an injury.
        R35 = "R35",
        /// What cross-training counts for.
        R36 = "R36",
    }
}

impl Rule {
    /// What it measures, in plain words.
    #[must_use]
    pub const fn metric(self) -> &'static str {
        self.both().0
    }

    /// Whose finding it is. `[H]` is a coaching heuristic; `sec.2` is what 30 published plans do.
    #[must_use]
    pub const fn source(self) -> &'static str {
        self.both().1
    }

    /// The same for whoever reads a page: what the marks stand for, in words.
    #[must_use]
    pub fn source_in_words(self) -> String {
        match self {
            Self::R3 => Self::R2.source_in_words(),
            Self::R6 => "Daniels (25 to 30 %) and 30 published plans (21 to 57 %)".to_owned(),
            Self::R7 => "Daniels (2.5 hours) and Hansons (3 hours)".to_owned(),
            Self::R25 => "coaching practice and Feely 2023 (12 to 16 weeks)".to_owned(),
            Self::R31 => "our own rule: no pace without a result behind it".to_owned(),
            Self::R32 => "the range of your predicted finish".to_owned(),
            Self::R33 | Self::R34 => "what any plan must be".to_owned(),
            _ => self.source().replace("sec.2", "30 published plans").replace("[H]", "coaching practice"),
        }
    }

    const fn both(self) -> (&'static str, &'static str) {
        match self {
            Self::R1 => ("a run against the longest run of the 30 days before it", "Frandsen 2025"),
            Self::R2 => (
                "a week against the fullest of the four weeks before it",
                "Nielsen 2014, Damsted 2019, sec.2",
            ),
            Self::R3 => ("the first full week against the athlete's usual week", "as R2"),
            Self::R5 => {
                ("the lightest of four build weeks in a row against the fullest", "sec.2, Pfitzinger")
            }
            Self::R6 => ("the share of a week that its longest run is", "Daniels .25-.30; sec.2 .21-.57"),
            Self::R7 => ("hours the longest run takes at the athlete's easy pace", "Daniels 2.5, Hansons 3"),
            Self::R8 => ("the longest run is long enough for the race", "Fokkema 2020, sec.2"),
            Self::R9 => ("the longest run is not longer than the race asks for", "sec.2"),
            Self::R10 => ("days from the last long run to the race", "sec.2"),
            Self::R11 => ("quality sessions in a week", "Daniels, Pfitzinger"),
            Self::R12 => ("hours between quality sessions", "[H]"),
            Self::R13 => ("quality on the day before or after the long run", "[H]"),
            Self::R14 => (
                "the share of hard running in the time of four weeks",
                "Seiler, Knopp 2024, Muniz-Pumares 2025",
            ),
            Self::R15 => ("hard running in one session", "Daniels"),
            Self::R16 => ("running at marathon pace in the last ten weeks", "Pfitzinger, Hansons, Canova"),
            Self::R17 => ("rest days in a week", "Higdon, sec.2"),
            Self::R18 => ("runs in a week", "sec.2"),
            Self::R19 => ("days of the taper", "Bosquet 2007, Wang 2023, Smyth 2021"),
            Self::R20 => ("the last weeks against the peak week", "Bosquet 2007, sec.2"),
            Self::R21 => (
                "the weeks of the taper get lighter, and light enough",
                "Wang 2023, Smyth 2021 (strict taper)",
            ),
            Self::R22 => ("the taper keeps the number of runs and some race pace", "Bosquet 2007"),
            Self::R23 => {
                ("the last two days without quality, the last three without a run of over an hour", "[H]")
            }
            Self::R24 => ("weeks from the last peak week to race week", "sec.2"),
            Self::R25 => ("full weeks from the start to the race", "[H]; Feely 2023 (12-16 wk)"),
            Self::R26 => ("the athlete's usual week before the plan", "sec.2"),
            Self::R27 => ("the peak week against those of published plans", "sec.2, Knopp 2024"),
            Self::R28 => ("the peak week against the best own four weeks of a year", "[H]"),
            Self::R29 => ("points by which fitness rises in seven days", "[H]"),
            Self::R30 => (
                "from 50 years on: a lighter week in three, 72 hours between at most two quality sessions",
                "[H]",
            ),
            Self::R31 => (
                "a pace follows from a result of the last 120 days and is no quicker than that supports",
                "never-fabricate",
            ),
            Self::R32 => ("race pace is not faster than one in four would run", "FORMULAS 16"),
            Self::R33 => {
                ("one run a day, rest days that rest, no week without a day, one race on race day", "schema")
            }
            Self::R34 => ("every day's running has a length, and a possible one", "schema"),
            Self::R35 => {
                ("with an injury: no intervals, and no run beyond the longest of the 30 days before", "[H]")
            }
            Self::R36 => ("cross-training counts for fitness, never for R1, R2 and R6", "[H]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn sources_in_words_hold_no_marks() {
        for rule in Rule::ALL {
            let words = rule.source_in_words();
            for mark in ["sec.", "[H]", "schema", "FORMULAS", "as R", "fabricate"] {
                assert!(!words.contains(mark), "{rule}: {words}");
            }
        }
    }
}
