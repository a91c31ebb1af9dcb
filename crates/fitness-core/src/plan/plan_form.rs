//! What an athlete writes down to ask for a plan, at the terminal or into a form: read here, once, for both.

use super::{
    Availability, DraftError, GenerateError, Goal, Level, PlanRequest, SelfReported, TuneUp, Weekdays,
};
use crate::domain::calendar::{Day, Weekday};
use crate::domain::distance::{self, ParseDistanceError};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::string_enum::string_enum;
use std::collections::BTreeSet;

/// More days than a plan has.
const MAX_BLACKOUT_DAYS: i64 = 732;
/// More kilometres than anybody runs in a usual week, and at once.
pub const MAX_BASE_KM: f64 = 300.0;
const MAX_LONGEST_RUN_KM: f64 = 100.0;

/// A wish as it was written down.
#[derive(Debug, Clone, Default)]
pub struct PlanForm {
    /// The race.
    pub goal: Option<Goal>,
    /// How far a custom race is: `15km`.
    pub distance: Option<String>,
    /// The day of the race.
    pub race_date: Option<Day>,
    /// The first day that counts; today when not given.
    pub start: Option<Day>,
    /// The time hoped for: `1:45:00`.
    pub target: Option<String>,
    /// The weekdays to train on; all when not given.
    pub days: Option<Weekdays>,
    /// The weekday of the long run.
    pub long_day: Option<Weekday>,
    /// Days without training: `2026-07-01` or `2026-07-01..2026-07-14`.
    pub blackout: Vec<String>,
    /// A race along the way: `2026-08-02=10k`.
    pub b_race: Option<String>,
    /// How much running they are used to.
    pub level: Option<Level>,
    /// What they run in a usual week: `40km`.
    pub base: Option<String>,
    /// Their longest run of the last 30 days: `14km`.
    pub longest: Option<String>,
    /// Two short strength sessions a week.
    pub strength: bool,
    /// Another sport on a day without a run.
    pub cross: Option<Sport>,
    /// What to call the plan.
    pub name: Option<String>,
}

string_enum! {
    /// A field of the request.
    pub enum PlanFormField("field of a plan") {
        /// The race.
        Goal = "goal",
        /// How far a custom race is.
        Distance = "distance",
        /// Its day.
        RaceDate = "race_date",
        /// The first day that counts.
        Start = "start",
        /// The time hoped for.
        Target = "target",
        /// The weekdays to train on.
        Days = "days",
        /// The weekday of the long run.
        LongDay = "long_day",
        /// Days without training.
        Blackout = "blackout",
        /// A race along the way.
        BRace = "b_race",
        /// How much running they are used to.
        Level = "level",
        /// What they run in a usual week.
        Base = "base",
        /// Their longest run of the last 30 days.
        Longest = "longest",
        /// Another sport.
        Cross = "cross",
        /// What to call the plan.
        Name = "name",
    }
}

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanFormError {
    /// No race was named.
    #[error("the plan has no goal")]
    NoGoal,
    /// The race has no day.
    #[error("the race has no day")]
    NoRaceDate,
    /// The first day is the race's or later.
    #[error("a plan cannot start on {start} for a race on {race}")]
    StartAfterRace {
        /// The first day.
        start: Day,
        /// The race.
        race: Day,
    },
    /// The first day is over.
    #[error("a plan cannot start on {0}: that day is over")]
    StartInPast(Day),
    /// A custom race without a distance.
    #[error("how far is the race?")]
    NoDistance,
    /// A named race with another distance.
    #[error("a {0} has a distance of its own")]
    DistanceNotAllowed(Goal),
    /// No distance.
    #[error("{1}")]
    Distance(PlanFormField, ParseDistanceError),
    /// No time.
    #[error("`{0}` is not a time")]
    Target(String),
    /// A minute and 45 seconds for a half marathon.
    #[error("`{text}` is minutes and seconds, faster than anybody runs that far")]
    AmbiguousTarget {
        /// What was written.
        text: String,
        /// What was meant.
        meant: String,
    },
    /// No race along the way.
    #[error("`{0}` is no race")]
    BRace(String),
    /// No day, or a stretch that ends before it begins.
    #[error("`{0}` is no day")]
    Blackout(String),
    /// No running at all.
    #[error("{} is more than 0", .0.label())]
    ZeroDistance(PlanFormField),
    /// More than anybody runs.
    #[error("that is more than anybody runs")]
    TooFar(PlanFormField, f64),
    /// Another sport that is none.
    #[error("{0} is no other sport beside running")]
    Cross(Sport),
}

impl PlanFormField {
    /// What it is called in a sentence.
    const fn label(self) -> &'static str {
        match self {
            Self::Base => "a usual week",
            Self::Longest => "the longest run",
            _ => self.as_str(),
        }
    }
}

impl PlanFormError {
    /// Which field.
    #[must_use]
    pub const fn field(&self) -> PlanFormField {
        match self {
            Self::NoGoal => PlanFormField::Goal,
            Self::NoRaceDate => PlanFormField::RaceDate,
            Self::NoDistance | Self::DistanceNotAllowed(_) => PlanFormField::Distance,
            Self::StartAfterRace { .. } | Self::StartInPast(_) => PlanFormField::Start,
            Self::Distance(field, _) | Self::TooFar(field, _) | Self::ZeroDistance(field) => *field,
            Self::Target(_) | Self::AmbiguousTarget { .. } => PlanFormField::Target,
            Self::BRace(_) => PlanFormField::BRace,
            Self::Blackout(_) => PlanFormField::Blackout,
            Self::Cross(_) => PlanFormField::Cross,
        }
    }

    /// What to write instead.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::NoGoal => "choose a race".to_owned(),
            Self::NoRaceDate => "give the day of the race".to_owned(),
            Self::StartAfterRace { .. } => "give an earlier first day, or leave it out to begin today".to_owned(),
            Self::StartInPast(_) => "leave the first day out to begin today, or give a later one".to_owned(),
            Self::ZeroDistance(PlanFormField::Longest) => {
                "say your longest run of the last 30 days, or leave it out".to_owned()
            }
            Self::ZeroDistance(_) => {
                "say what you run in a usual week, or choose the level of a beginner alone to begin from nothing"
                    .to_owned()
            }
            Self::NoDistance => "write it such as 15km or 10mi".to_owned(),
            Self::DistanceNotAllowed(_) => {
                "leave the distance out, or choose another distance as the race".to_owned()
            }
            Self::Distance(_, bad) => bad.help().to_owned(),
            Self::Target(_) => "write it as hours:minutes:seconds, such as 1:45:00".to_owned(),
            Self::AmbiguousTarget { meant, .. } => format!("write the hours too: {meant}"),
            Self::BRace(_) => "write the day and the distance, such as 2026-08-02=10k".to_owned(),
            Self::Blackout(_) => {
                "write a day such as 2026-07-01, or a stretch such as 2026-07-01..2026-07-14".to_owned()
            }
            Self::TooFar(_, most) => format!("at most {most} km"),
            Self::Cross(_) => "choose cycling, swimming or rowing, or leave it out".to_owned(),
        }
    }
}

impl PlanForm {
    /// What is wished for and what the athlete says about themselves.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the fields.
    pub fn parse(
        &self,
        units: UnitSystem,
        today: Day,
    ) -> Result<(PlanRequest, SelfReported), Vec<PlanFormError>> {
        let mut faults = Vec::new();
        let goal = collect_error(&mut faults, self.goal.ok_or(PlanFormError::NoGoal));
        let distance =
            goal.and_then(|goal| collect_error(&mut faults, self.parse_distance(goal, units))).flatten();
        let race = goal.and_then(|goal| goal.distance().or(distance));
        let target = collect_error(&mut faults, self.parse_target(race)).flatten();
        let b_race = self.b_race.as_deref().map(|text| parse_tune_up(text, units)).transpose();
        let tune_up = collect_error(&mut faults, b_race).flatten();
        let race = collect_error(&mut faults, self.race_date.ok_or(PlanFormError::NoRaceDate));
        let start = collect_error(&mut faults, self.parse_start(today)).flatten();
        let blackouts = collect_error(&mut faults, parse_blackouts(&self.blackout));
        let base = collect_error(
            &mut faults,
            parse_run_distance(self.base.as_deref(), PlanFormField::Base, MAX_BASE_KM, units),
        );
        let longest = collect_error(
            &mut faults,
            parse_run_distance(self.longest.as_deref(), PlanFormField::Longest, MAX_LONGEST_RUN_KM, units),
        );
        let cross = collect_error(&mut faults, self.parse_cross_training()).flatten();
        let (Some(goal), Some(race), true) = (goal, race, faults.is_empty()) else { return Err(faults) };
        let wish = PlanRequest {
            name: self.name.clone(),
            goal,
            distance,
            start: start.unwrap_or(today),
            race,
            target,
            availability: Availability {
                days: self.days.unwrap_or(Weekdays::ALL),
                blackouts: blackouts.unwrap_or_default(),
            },
            long_day: self.long_day,
            tune_up,
            strength: self.strength,
            cross,
            units,
        };
        Ok((wish, SelfReported { level: self.level, base: base.flatten(), longest: longest.flatten() }))
    }

    /// A run on the day without one would be a run more, and a rest day is none.
    fn parse_cross_training(&self) -> Result<Option<Sport>, PlanFormError> {
        match self.cross {
            Some(sport @ (Sport::Running | Sport::Rest | Sport::Strength)) => {
                Err(PlanFormError::Cross(sport))
            }
            other => Ok(other),
        }
    }

    fn parse_distance(&self, goal: Goal, units: UnitSystem) -> Result<Option<Distance>, PlanFormError> {
        match (&self.distance, goal) {
            (Some(text), Goal::Custom) => distance::parse_race_distance(text, units)
                .map(Some)
                .map_err(|bad| PlanFormError::Distance(PlanFormField::Distance, bad)),
            (Some(_), _) => Err(PlanFormError::DistanceNotAllowed(goal)),
            (None, Goal::Custom) => Err(PlanFormError::NoDistance),
            (None, _) => Ok(None),
        }
    }

    /// The first day of a plan: today, or a later one.
    fn parse_start(&self, today: Day) -> Result<Option<Day>, PlanFormError> {
        match (self.start, self.race_date) {
            (Some(start), Some(race)) if start >= race => Err(PlanFormError::StartAfterRace { start, race }),
            (Some(start), _) if start < today => Err(PlanFormError::StartInPast(start)),
            (start, _) => Ok(start),
        }
    }

    fn parse_target(&self, race: Option<Distance>) -> Result<Option<TimeSpan>, PlanFormError> {
        let Some(text) = &self.target else { return Ok(None) };
        if let Some(meant) = race.and_then(|race| distance::suggest_hours_minutes(race, text)) {
            return Err(PlanFormError::AmbiguousTarget { text: truncate(text), meant });
        }
        text.trim().parse().map(Some).map_err(|_| PlanFormError::Target(truncate(text)))
    }
}

impl GenerateError {
    /// The field that would have to be another, where it is one.
    #[must_use]
    pub const fn field(&self) -> Option<PlanFormField> {
        Some(match self {
            Self::StartsTooLate { .. } => PlanFormField::Start,
            Self::RaceUnavailable { .. }
            | Self::Past(_)
            | Self::TooNear(_)
            | Self::TooFar(_)
            | Self::Base { .. } => PlanFormField::RaceDate,
            Self::Target(_) | Self::TargetBeyondEvidence => PlanFormField::Target,
            Self::TooFewDays { .. } => PlanFormField::Days,
            Self::LongDay(_) => PlanFormField::LongDay,
            Self::MissingLevel => PlanFormField::Level,
            Self::TuneUp | Self::TuneUpTooLong { .. } => PlanFormField::BRace,
            Self::RaceBlocked(_) | Self::TooFewTrainingDays(_) => PlanFormField::Blackout,
            Self::Draft(DraftError::Distance) => PlanFormField::Distance,
            Self::Draft(DraftError::Name | DraftError::HiddenCharacters(_)) => PlanFormField::Name,
            Self::Draft(DraftError::Target(_)) => PlanFormField::Target,
            Self::Draft(DraftError::Blackouts) => PlanFormField::Blackout,
            Self::Unsafe { .. } | Self::Draft(_) => return None,
        })
    }
}

fn collect_error<T>(faults: &mut Vec<PlanFormError>, read: Result<T, PlanFormError>) -> Option<T> {
    read.map_err(|bad| faults.push(bad)).ok()
}

/// What is repeated to the athlete; nobody reads a book back.
fn truncate(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

fn parse_run_distance(
    text: Option<&str>,
    field: PlanFormField,
    most: f64,
    units: UnitSystem,
) -> Result<Option<Distance>, PlanFormError> {
    let Some(text) = text else { return Ok(None) };
    let number = text.trim().trim_end_matches(|c: char| c.is_alphabetic() || c == ' ');
    if number.parse::<f64>().is_ok_and(|number| number == 0.0) {
        return Err(PlanFormError::ZeroDistance(field));
    }
    let far =
        distance::parse_activity_distance(text, units).map_err(|bad| PlanFormError::Distance(field, bad))?;
    if far.km() > most { Err(PlanFormError::TooFar(field, most)) } else { Ok(Some(far)) }
}

/// `2026-08-02=10k`.
fn parse_tune_up(text: &str, units: UnitSystem) -> Result<TuneUp, PlanFormError> {
    let bad = || PlanFormError::BRace(truncate(text));
    let (day, far) = text.split_once('=').ok_or_else(bad)?;
    let on = day.trim().parse().map_err(|_| bad())?;
    let distance = distance::parse_race_distance(far, units)
        .map_err(|bad| PlanFormError::Distance(PlanFormField::BRace, bad))?;
    Ok(TuneUp { on, distance })
}

/// `2026-07-01` and `2026-07-01..2026-07-14`.
fn parse_blackouts(texts: &[String]) -> Result<BTreeSet<Day>, PlanFormError> {
    let mut days = BTreeSet::new();
    for text in texts {
        let bad = || PlanFormError::Blackout(truncate(text));
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let first: Day = first.trim().parse().map_err(|_| bad())?;
        let last: Day = last.trim().parse().map_err(|_| bad())?;
        if !(0..MAX_BLACKOUT_DAYS).contains(&first.days_until(last)) || days.len() as i64 > MAX_BLACKOUT_DAYS
        {
            return Err(bad());
        }
        days.extend(first.through(last));
    }
    Ok(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    fn half() -> PlanForm {
        PlanForm { goal: Some(Goal::Half), race_date: Some(day("2026-09-20")), ..PlanForm::default() }
    }

    fn read(request: &PlanForm) -> Result<(PlanRequest, SelfReported), Vec<PlanFormError>> {
        request.parse(UnitSystem::Metric, day("2026-06-14"))
    }

    #[test]
    fn omitted_fields_get_their_defaults() {
        let (wish, stated) = read(&half()).unwrap();
        assert_eq!((wish.start, wish.availability.days), (day("2026-06-14"), Weekdays::ALL));
        assert_eq!((wish.target, wish.tune_up, stated), (None, None, SelfReported::default()));
    }

    #[test]
    fn every_field_is_parsed() {
        let request = PlanForm {
            target: Some("1:45:00".to_owned()),
            blackout: vec!["2026-07-01".to_owned(), "2026-07-10..2026-07-12".to_owned()],
            b_race: Some("2026-08-02=10k".to_owned()),
            base: Some("40".to_owned()),
            longest: Some("14km".to_owned()),
            ..half()
        };
        let (wish, stated) = read(&request).unwrap();
        assert_eq!(wish.target, Some(TimeSpan::from_secs(6300)));
        assert_eq!(wish.availability.blackouts.len(), 4);
        assert_eq!(wish.tune_up.unwrap().distance, Distance::from_mm(10_000_000));
        assert_eq!((stated.base, stated.longest), (Distance::from_km(40.0), Distance::from_km(14.0)));
    }

    #[test]
    fn cross_training_sport_must_not_be_running() {
        let with = |cross: Sport| read(&PlanForm { cross: Some(cross), ..half() });
        for no_other in [Sport::Running, Sport::Rest, Sport::Strength] {
            let bad = with(no_other).unwrap_err();
            assert_eq!(bad, [PlanFormError::Cross(no_other)]);
            assert_eq!(bad[0].field(), PlanFormField::Cross);
        }
        assert_eq!(with(Sport::Cycling).unwrap().0.cross, Some(Sport::Cycling));
    }

    #[test]
    fn all_errors_are_reported_with_their_field() {
        let fields = |request: &PlanForm| -> Vec<&'static str> {
            read(request).unwrap_err().iter().map(|bad| bad.field().as_str()).collect()
        };
        assert_eq!(fields(&PlanForm::default()), ["goal", "race_date"]);
        let wrong = PlanForm {
            goal: Some(Goal::Custom),
            target: Some("soon".to_owned()),
            b_race: Some("10k".to_owned()),
            blackout: vec!["2026-07-10..2026-07-01".to_owned()],
            base: Some("301".to_owned()),
            longest: Some("far".to_owned()),
            ..half()
        };
        assert_eq!(fields(&wrong), ["distance", "target", "b_race", "blackout", "base", "longest"]);
        let minutes = PlanForm { target: Some("1:45".to_owned()), ..half() };
        let faults = read(&minutes).unwrap_err();
        assert_eq!(faults[0].help(), "write the hours too: 1:45:00");
        assert_eq!(fields(&PlanForm { distance: Some("20km".to_owned()), ..half() }), ["distance"]);
        assert_eq!(fields(&PlanForm { b_race: Some("2026-08-02=x".to_owned()), ..half() }), ["b_race"]);
    }
}
