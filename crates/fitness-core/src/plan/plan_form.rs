//! Plan request as text, from the command line or the web form, and its parsing.

use super::{
    Availability, DraftError, GenerateError, GoalDistance, Level, PlanRequest, SelfReportedTraining, TuneUp,
    Weekdays,
};
use crate::domain::calendar::{Day, Weekday};
use crate::domain::parse_distance::{self, ParseDistanceError};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::string_enum::string_enum;
use chrono::{Datelike, Month};
use std::collections::BTreeSet;

const MAX_BLACKOUT_DAYS: i64 = 732;
/// Upper limits for the typical week and the longest run, in kilometres.
pub const MAX_BASE_KM: f64 = 300.0;
const MAX_LONGEST_RUN_KM: f64 = 100.0;

#[derive(Debug, Clone, Default)]
pub struct PlanForm {
    pub goal: Option<GoalDistance>,
    /// Distance of a custom race: `15km`.
    pub distance: Option<String>,
    pub race_date: Option<Day>,
    pub start: Option<Day>,
    pub target: Option<String>,
    /// Weekdays to train on. Default: all.
    pub days: Option<Weekdays>,
    pub long_day: Option<Weekday>,
    /// Days without training: `2026-07-01` or `2026-07-01..2026-07-14`.
    pub blackout: Vec<String>,
    pub b_race: Option<String>,
    pub level: Option<Level>,
    /// Usual weekly distance: `40km`.
    pub base: Option<String>,
    /// Longest run of the last 30 days: `14km`.
    pub longest: Option<String>,
    /// Two short strength sessions a week.
    pub strength: bool,
    pub cross: Option<Sport>,
    pub name: Option<String>,
}

string_enum! {
    /// A field of the request.
    pub enum PlanFormField("plan field") {
        Goal = "goal",
        /// Distance of a custom race.
        Distance = "distance",
        RaceDate = "race_date",
        Start = "start",
        Target = "target",
        Days = "days",
        LongDay = "long_day",
        Blackout = "blackout",
        BRace = "b_race",
        Level = "level",
        Base = "base",
        /// Longest run of the last 30 days.
        Longest = "longest",
        Cross = "cross",
        Name = "name",
    }
}

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanFormError {
    #[error("the race distance is missing")]
    NoGoal,
    #[error("the race date is missing")]
    NoRaceDate,
    #[error("the start on {start} is not before the race on {race}")]
    StartAfterRace { start: Day, race: Day },
    #[error("the start on {0} is in the past")]
    StartInPast(Day),
    #[error("the distance of the race is missing")]
    NoDistance,
    #[error("the goal {0} has a fixed distance")]
    DistanceNotAllowed(GoalDistance),
    #[error("{1}")]
    Distance(PlanFormField, ParseDistanceError),
    #[error("`{0}` is not a time")]
    Target(String),
    #[error("`{0}` is not a valid tune-up race")]
    BRace(String),
    /// Not a date, or a period that ends before it begins.
    #[error("`{0}` is not a valid date or range of dates")]
    Blackout(String),
    #[error("{} must be more than 0", .0.label())]
    ZeroDistance(PlanFormField),
    #[error("that is more than anyone runs")]
    TooFar(PlanFormField, f64),
    /// Running, rest and strength are not cross-training.
    #[error("{0} is not a cross-training sport")]
    Cross(Sport),
}

impl PlanFormField {
    const fn label(self) -> &'static str {
        match self {
            Self::Base => "the typical week",
            Self::Longest => "the longest run",
            _ => self.as_str(),
        }
    }
}

impl PlanFormError {
    #[must_use]
    pub const fn field(&self) -> PlanFormField {
        match self {
            Self::NoGoal => PlanFormField::Goal,
            Self::NoRaceDate => PlanFormField::RaceDate,
            Self::NoDistance | Self::DistanceNotAllowed(_) => PlanFormField::Distance,
            Self::StartAfterRace { .. } | Self::StartInPast(_) => PlanFormField::Start,
            Self::Distance(field, _) | Self::TooFar(field, _) | Self::ZeroDistance(field) => *field,
            Self::Target(_) => PlanFormField::Target,
            Self::BRace(_) => PlanFormField::BRace,
            Self::Blackout(_) => PlanFormField::Blackout,
            Self::Cross(_) => PlanFormField::Cross,
        }
    }

    /// How to fix it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::NoGoal => "choose a race distance".to_owned(),
            Self::NoRaceDate => "enter the date of the race".to_owned(),
            Self::StartAfterRace { .. } => {
                "choose an earlier start, or leave it out to start today".to_owned()
            }
            Self::StartInPast(_) => "leave the start out to start today, or choose a later one".to_owned(),
            Self::ZeroDistance(PlanFormField::Longest) => {
                "enter your longest run of the last 30 days, or leave it out".to_owned()
            }
            Self::ZeroDistance(_) => {
                "enter your typical week; to start from zero, leave it out and choose the novice level"
                    .to_owned()
            }
            Self::NoDistance => "enter it as 15km or 10mi, for example".to_owned(),
            Self::DistanceNotAllowed(_) => "leave the distance out, or choose a custom race".to_owned(),
            Self::Distance(_, bad) => bad.help().to_owned(),
            Self::Target(_) => "enter it as hours:minutes:seconds, such as 1:45:00".to_owned(),
            Self::BRace(_) => "enter the date and the distance, such as 2026-08-02=10k".to_owned(),
            Self::Blackout(_) => {
                "enter a date such as 1 July, or a range such as 1 July to 14 July".to_owned()
            }
            Self::TooFar(_, most) => format!("enter at most {most} km"),
            Self::Cross(_) => "choose cycling, swimming or rowing, or leave it out".to_owned(),
        }
    }
}

impl PlanForm {
    /// Parses the request and what the athlete reports about themselves.
    ///
    /// # Errors
    /// All errors, in the order of the fields.
    pub fn parse(
        &self,
        units: UnitSystem,
        today: Day,
    ) -> Result<(PlanRequest, SelfReportedTraining), Vec<PlanFormError>> {
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
        let blackouts = collect_error(&mut faults, parse_blackouts(&self.blackout, today));
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
        Ok((
            wish,
            SelfReportedTraining { level: self.level, base: base.flatten(), longest: longest.flatten() },
        ))
    }

    /// Running would add a run, and rest is not a sport.
    fn parse_cross_training(&self) -> Result<Option<Sport>, PlanFormError> {
        match self.cross {
            Some(sport @ (Sport::Running | Sport::Rest | Sport::Strength)) => {
                Err(PlanFormError::Cross(sport))
            }
            other => Ok(other),
        }
    }

    fn parse_distance(
        &self,
        goal: GoalDistance,
        units: UnitSystem,
    ) -> Result<Option<Distance>, PlanFormError> {
        match (&self.distance, goal) {
            (Some(text), GoalDistance::Custom) => parse_distance::parse_race_distance(text, units)
                .map(Some)
                .map_err(|bad| PlanFormError::Distance(PlanFormField::Distance, bad)),
            (Some(_), _) => Err(PlanFormError::DistanceNotAllowed(goal)),
            (None, GoalDistance::Custom) => Err(PlanFormError::NoDistance),
            (None, _) => Ok(None),
        }
    }

    fn parse_start(&self, today: Day) -> Result<Option<Day>, PlanFormError> {
        match (self.start, self.race_date) {
            (Some(start), Some(race)) if start >= race => Err(PlanFormError::StartAfterRace { start, race }),
            (Some(start), _) if start < today => Err(PlanFormError::StartInPast(start)),
            (start, _) => Ok(start),
        }
    }

    /// Reads `1:45:00` and `45:30`. `1:45` is hours and minutes where minutes and seconds would be
    /// faster than anybody runs the race distance.
    fn parse_target(&self, race: Option<Distance>) -> Result<Option<TimeSpan>, PlanFormError> {
        let Some(text) = &self.target else { return Ok(None) };
        let text = text.trim();
        let hours_minutes = race.and_then(|race| parse_distance::suggest_hours_minutes(race, text));
        let time = hours_minutes.as_deref().unwrap_or(text).parse::<TimeSpan>();
        time.map(Some).map_err(|_| PlanFormError::Target(truncate(text)))
    }
}

impl GenerateError {
    /// The form field to change, if it is a single one.
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
            Self::LongestRunTooShort { .. } => PlanFormField::RaceDate,
        })
    }
}

fn collect_error<T>(faults: &mut Vec<PlanFormError>, read: Result<T, PlanFormError>) -> Option<T> {
    read.map_err(|bad| faults.push(bad)).ok()
}

/// `2026-07-01`, `1 July 2026`, or `1 Jul`, which is the first such day from `earliest` on.
fn parse_written_day(text: &str, earliest: Day) -> Option<Day> {
    if let Ok(day) = text.parse() {
        return Some(day);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let (day, month, year) = match words.as_slice() {
        [day, month] => (day, month, None),
        [day, month, year] => (day, month, Some(year.parse().ok()?)),
        _ => return None,
    };
    let (day, month) = (day.parse().ok()?, month.parse::<Month>().ok()?.number_from_month());
    let first = earliest.date().year();
    match year {
        Some(year) => Day::new(year, month, day),
        // Four years on, 29 February has come.
        None => {
            (first..=first + 4).filter_map(|year| Day::new(year, month, day)).find(|day| *day >= earliest)
        }
    }
}

/// The first 40 characters, for an error message.
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
    let far = parse_distance::parse_activity_distance(text, units)
        .map_err(|bad| PlanFormError::Distance(field, bad))?;
    if far.km() > most { Err(PlanFormError::TooFar(field, most)) } else { Ok(Some(far)) }
}

fn parse_tune_up(text: &str, units: UnitSystem) -> Result<TuneUp, PlanFormError> {
    let bad = || PlanFormError::BRace(truncate(text));
    let (day, far) = text.split_once('=').ok_or_else(bad)?;
    let on = day.trim().parse().map_err(|_| bad())?;
    let distance = parse_distance::parse_race_distance(far, units)
        .map_err(|bad| PlanFormError::Distance(PlanFormField::BRace, bad))?;
    Ok(TuneUp { on, distance })
}

/// Reads `2026-07-01`, `1 July` and `1 July 2026`, and ranges of them with `..` or ` to ` between.
/// A date without a year is the next one.
fn parse_blackouts(texts: &[String], today: Day) -> Result<BTreeSet<Day>, PlanFormError> {
    let mut days = BTreeSet::new();
    for text in texts {
        let bad = || PlanFormError::Blackout(truncate(text));
        let range = text.split_once("..").or_else(|| text.split_once(" to "));
        let (first, last) = range.unwrap_or((text, text));
        let first = parse_written_day(first.trim(), today).ok_or_else(bad)?;
        let last = parse_written_day(last.trim(), first).ok_or_else(bad)?;
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
        PlanForm { goal: Some(GoalDistance::Half), race_date: Some(day("2026-09-20")), ..PlanForm::default() }
    }

    fn read(request: &PlanForm) -> Result<(PlanRequest, SelfReportedTraining), Vec<PlanFormError>> {
        request.parse(UnitSystem::Metric, day("2026-06-14"))
    }

    #[test]
    fn omitted_fields_get_their_defaults() {
        let (wish, stated) = read(&half()).unwrap();
        assert_eq!((wish.start, wish.availability.days), (day("2026-06-14"), Weekdays::ALL));
        assert_eq!((wish.target, wish.tune_up, stated), (None, None, SelfReportedTraining::default()));
    }

    #[test]
    fn days_off_are_read_as_people_write_them() {
        let days = |text: &str| {
            let request = PlanForm { blackout: vec![text.to_owned()], ..half() };
            let days = read(&request).map(|(wish, _)| wish.availability.blackouts);
            days.map(|days| (days.first().unwrap().to_string(), days.last().unwrap().to_string(), days.len()))
        };
        let one = |first: &str, last: &str, count| Ok((first.to_owned(), last.to_owned(), count));
        assert_eq!(days("1 July 2026"), one("2026-07-01", "2026-07-01", 1));
        assert_eq!(days("1 jul to 14 July"), one("2026-07-01", "2026-07-14", 14));
        assert_eq!(days("2026-07-01 to 2026-07-03"), one("2026-07-01", "2026-07-03", 3));
        // The next one, and the end of a range after its start.
        assert_eq!(days("1 January"), one("2027-01-01", "2027-01-01", 1));
        assert_eq!(days("30 December to 2 January"), one("2026-12-30", "2027-01-02", 4));
        for bad in ["31 June", "July 1", "1 Juli", "14 July 2026 to 1 July 2026", "1 2 3"] {
            assert!(matches!(days(bad).unwrap_err().as_slice(), [PlanFormError::Blackout(_)]), "{bad}");
        }
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
    fn target_without_seconds_is_hours_and_minutes_for_a_long_race() {
        let target = |goal: GoalDistance, text: &str| {
            let form = PlanForm { goal: Some(goal), target: Some(text.to_owned()), ..half() };
            read(&form).unwrap().0.target.unwrap().format_clock()
        };
        assert_eq!(target(GoalDistance::Half, "1:35"), "1:35:00");
        assert_eq!(target(GoalDistance::Half, " 1:35 "), "1:35:00");
        assert_eq!(target(GoalDistance::Half, "1:35:30"), "1:35:30");
        assert_eq!(target(GoalDistance::Half, "95:00"), "1:35:00");
        assert_eq!(target(GoalDistance::Full, "3:30"), "3:30:00");
        assert_eq!(target(GoalDistance::TenK, "45:30"), "45:30");
        assert_eq!(target(GoalDistance::FiveK, "19:30"), "19:30");
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
            goal: Some(GoalDistance::Custom),
            target: Some("soon".to_owned()),
            b_race: Some("10k".to_owned()),
            blackout: vec!["2026-07-10..2026-07-01".to_owned()],
            base: Some("301".to_owned()),
            longest: Some("far".to_owned()),
            ..half()
        };
        assert_eq!(fields(&wrong), ["distance", "target", "b_race", "blackout", "base", "longest"]);
        assert_eq!(fields(&PlanForm { distance: Some("20km".to_owned()), ..half() }), ["distance"]);
        assert_eq!(fields(&PlanForm { b_race: Some("2026-08-02=x".to_owned()), ..half() }), ["b_race"]);
    }
}
