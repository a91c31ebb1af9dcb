//! What an athlete writes down to ask for a plan, at the terminal or into a form: read here, once, for both.

use super::{Availability, BadDraft, BadWish, Goal, Level, Stated, TuneUp, Weekdays, Wish};
use crate::domain::calendar::{Day, Weekday};
use crate::domain::distance::{self, BadDistance};
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};
use crate::string_enum::string_enum;
use std::collections::BTreeSet;

/// More days than a plan has.
const MAX_BLOCKED: i64 = 732;
/// More kilometres than anybody runs in a usual week, and at once.
pub const MOST_BASE: f64 = 300.0;
const MOST_LONGEST: f64 = 100.0;

/// A wish as it was written down.
#[derive(Debug, Clone, Default)]
pub struct PlanRequest {
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
    pub enum RequestField("field of a plan") {
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
pub enum BadField {
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
    StartOver(Day),
    /// A custom race without a distance.
    #[error("how far is the race?")]
    NoDistance,
    /// A named race with another distance.
    #[error("a {0} has a distance of its own")]
    OwnDistance(Goal),
    /// No distance.
    #[error("{1}")]
    Distance(RequestField, BadDistance),
    /// No time.
    #[error("`{0}` is not a time")]
    Target(String),
    /// A minute and 45 seconds for a half marathon.
    #[error("`{text}` is minutes and seconds, faster than anybody runs that far")]
    HoursMeant {
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
    #[error("{} is more than 0", .0.spoken())]
    Nothing(RequestField),
    /// More than anybody runs.
    #[error("that is more than anybody runs")]
    TooFar(RequestField, f64),
    /// Another sport that is none.
    #[error("{0} is no other sport beside running")]
    Cross(Sport),
}

impl RequestField {
    /// What it is called in a sentence.
    const fn spoken(self) -> &'static str {
        match self {
            Self::Base => "a usual week",
            Self::Longest => "the longest run",
            _ => self.as_str(),
        }
    }
}

impl BadField {
    /// Which field.
    #[must_use]
    pub const fn field(&self) -> RequestField {
        match self {
            Self::NoGoal => RequestField::Goal,
            Self::NoRaceDate => RequestField::RaceDate,
            Self::NoDistance | Self::OwnDistance(_) => RequestField::Distance,
            Self::StartAfterRace { .. } | Self::StartOver(_) => RequestField::Start,
            Self::Distance(field, _) | Self::TooFar(field, _) | Self::Nothing(field) => *field,
            Self::Target(_) | Self::HoursMeant { .. } => RequestField::Target,
            Self::BRace(_) => RequestField::BRace,
            Self::Blackout(_) => RequestField::Blackout,
            Self::Cross(_) => RequestField::Cross,
        }
    }

    /// What to write instead.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::NoGoal => "choose a race".to_owned(),
            Self::NoRaceDate => "give the day of the race".to_owned(),
            Self::StartAfterRace { .. } => "give an earlier first day, or leave it out to begin today".to_owned(),
            Self::StartOver(_) => "leave the first day out to begin today, or give a later one".to_owned(),
            Self::Nothing(RequestField::Longest) => {
                "say your longest run of the last 30 days, or leave it out".to_owned()
            }
            Self::Nothing(_) => {
                "say what you run in a usual week, or choose the level of a beginner alone to begin from nothing"
                    .to_owned()
            }
            Self::NoDistance => "write it such as 15km or 10mi".to_owned(),
            Self::OwnDistance(_) => {
                "leave the distance out, or choose another distance as the race".to_owned()
            }
            Self::Distance(_, bad) => bad.help().to_owned(),
            Self::Target(_) => "write it as hours:minutes:seconds, such as 1:45:00".to_owned(),
            Self::HoursMeant { meant, .. } => format!("write the hours too: {meant}"),
            Self::BRace(_) => "write the day and the distance, such as 2026-08-02=10k".to_owned(),
            Self::Blackout(_) => {
                "write a day such as 2026-07-01, or a stretch such as 2026-07-01..2026-07-14".to_owned()
            }
            Self::TooFar(_, most) => format!("at most {most} km"),
            Self::Cross(_) => "choose cycling, swimming or rowing, or leave it out".to_owned(),
        }
    }
}

impl PlanRequest {
    /// What is wished for and what the athlete says about themselves.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the fields.
    pub fn read(&self, units: UnitSystem, today: Day) -> Result<(Wish, Stated), Vec<BadField>> {
        let mut faults = Vec::new();
        let goal = take(&mut faults, self.goal.ok_or(BadField::NoGoal));
        let distance = goal.and_then(|goal| take(&mut faults, self.own_distance(goal, units))).flatten();
        let race = goal.and_then(|goal| goal.distance().or(distance));
        let target = take(&mut faults, self.read_target(race)).flatten();
        let b_race = self.b_race.as_deref().map(|text| tune_up(text, units)).transpose();
        let tune_up = take(&mut faults, b_race).flatten();
        let race = take(&mut faults, self.race_date.ok_or(BadField::NoRaceDate));
        let start = take(&mut faults, self.read_start(today)).flatten();
        let blackouts = take(&mut faults, blocked(&self.blackout));
        let base = take(&mut faults, run(self.base.as_deref(), RequestField::Base, MOST_BASE, units));
        let longest =
            take(&mut faults, run(self.longest.as_deref(), RequestField::Longest, MOST_LONGEST, units));
        let cross = take(&mut faults, self.read_cross()).flatten();
        let (Some(goal), Some(race), true) = (goal, race, faults.is_empty()) else { return Err(faults) };
        let wish = Wish {
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
        Ok((wish, Stated { level: self.level, base: base.flatten(), longest: longest.flatten() }))
    }

    /// A run on the day without one would be a run more, and a rest day is none.
    fn read_cross(&self) -> Result<Option<Sport>, BadField> {
        match self.cross {
            Some(sport @ (Sport::Running | Sport::Rest | Sport::Strength)) => Err(BadField::Cross(sport)),
            other => Ok(other),
        }
    }

    fn own_distance(&self, goal: Goal, units: UnitSystem) -> Result<Option<Distance>, BadField> {
        match (&self.distance, goal) {
            (Some(text), Goal::Custom) => distance::race(text, units)
                .map(Some)
                .map_err(|bad| BadField::Distance(RequestField::Distance, bad)),
            (Some(_), _) => Err(BadField::OwnDistance(goal)),
            (None, Goal::Custom) => Err(BadField::NoDistance),
            (None, _) => Ok(None),
        }
    }

    /// The first day of a plan: today, or a later one.
    fn read_start(&self, today: Day) -> Result<Option<Day>, BadField> {
        match (self.start, self.race_date) {
            (Some(start), Some(race)) if start >= race => Err(BadField::StartAfterRace { start, race }),
            (Some(start), _) if start < today => Err(BadField::StartOver(start)),
            (start, _) => Ok(start),
        }
    }

    fn read_target(&self, race: Option<Distance>) -> Result<Option<TimeSpan>, BadField> {
        let Some(text) = &self.target else { return Ok(None) };
        if let Some(meant) = race.and_then(|race| distance::hours_meant(race, text)) {
            return Err(BadField::HoursMeant { text: short(text), meant });
        }
        text.trim().parse().map(Some).map_err(|_| BadField::Target(short(text)))
    }
}

impl BadWish {
    /// The field that would have to be another, where it is one.
    #[must_use]
    pub const fn field(&self) -> Option<RequestField> {
        Some(match self {
            Self::StartsTooLate { .. } => RequestField::Start,
            Self::RaceMarked { .. }
            | Self::Past(_)
            | Self::TooNear(_)
            | Self::TooFar(_)
            | Self::Base { .. } => RequestField::RaceDate,
            Self::Target(_) | Self::TargetBeyondEvidence => RequestField::Target,
            Self::TooFewDays { .. } => RequestField::Days,
            Self::LongDay(_) => RequestField::LongDay,
            Self::AskLevel => RequestField::Level,
            Self::TuneUp | Self::TuneUpTooLong { .. } => RequestField::BRace,
            Self::RaceBlocked(_) | Self::Blocked(_) => RequestField::Blackout,
            Self::Draft(BadDraft::Distance) => RequestField::Distance,
            Self::Draft(BadDraft::Name | BadDraft::Unseen(_)) => RequestField::Name,
            Self::Draft(BadDraft::Target(_)) => RequestField::Target,
            Self::Draft(BadDraft::Blackouts) => RequestField::Blackout,
            Self::Unsafe { .. } | Self::Draft(_) => return None,
        })
    }
}

fn take<T>(faults: &mut Vec<BadField>, read: Result<T, BadField>) -> Option<T> {
    read.map_err(|bad| faults.push(bad)).ok()
}

/// What is repeated to the athlete; nobody reads a book back.
fn short(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

fn run(
    text: Option<&str>,
    field: RequestField,
    most: f64,
    units: UnitSystem,
) -> Result<Option<Distance>, BadField> {
    let Some(text) = text else { return Ok(None) };
    let number = text.trim().trim_end_matches(|c: char| c.is_alphabetic() || c == ' ');
    if number.parse::<f64>().is_ok_and(|number| number == 0.0) {
        return Err(BadField::Nothing(field));
    }
    let far = distance::activity(text, units).map_err(|bad| BadField::Distance(field, bad))?;
    if far.km() > most { Err(BadField::TooFar(field, most)) } else { Ok(Some(far)) }
}

/// `2026-08-02=10k`.
fn tune_up(text: &str, units: UnitSystem) -> Result<TuneUp, BadField> {
    let bad = || BadField::BRace(short(text));
    let (day, far) = text.split_once('=').ok_or_else(bad)?;
    let on = day.trim().parse().map_err(|_| bad())?;
    let distance = distance::race(far, units).map_err(|bad| BadField::Distance(RequestField::BRace, bad))?;
    Ok(TuneUp { on, distance })
}

/// `2026-07-01` and `2026-07-01..2026-07-14`.
fn blocked(texts: &[String]) -> Result<BTreeSet<Day>, BadField> {
    let mut days = BTreeSet::new();
    for text in texts {
        let bad = || BadField::Blackout(short(text));
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let first: Day = first.trim().parse().map_err(|_| bad())?;
        let last: Day = last.trim().parse().map_err(|_| bad())?;
        if !(0..MAX_BLOCKED).contains(&first.until(last)) || days.len() as i64 > MAX_BLOCKED {
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

    fn half() -> PlanRequest {
        PlanRequest { goal: Some(Goal::Half), race_date: Some(day("2026-09-20")), ..PlanRequest::default() }
    }

    fn read(request: &PlanRequest) -> Result<(Wish, Stated), Vec<BadField>> {
        request.read(UnitSystem::Metric, day("2026-06-14"))
    }

    #[test]
    fn what_is_left_out_has_its_usual_meaning() {
        let (wish, stated) = read(&half()).unwrap();
        assert_eq!((wish.start, wish.availability.days), (day("2026-06-14"), Weekdays::ALL));
        assert_eq!((wish.target, wish.tune_up, stated), (None, None, Stated::default()));
    }

    #[test]
    fn every_field_is_read() {
        let request = PlanRequest {
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
    fn another_sport_is_another_than_running() {
        let with = |cross: Sport| read(&PlanRequest { cross: Some(cross), ..half() });
        for no_other in [Sport::Running, Sport::Rest, Sport::Strength] {
            let bad = with(no_other).unwrap_err();
            assert_eq!(bad, [BadField::Cross(no_other)]);
            assert_eq!(bad[0].field(), RequestField::Cross);
        }
        assert_eq!(with(Sport::Cycling).unwrap().0.cross, Some(Sport::Cycling));
    }

    #[test]
    fn everything_that_is_wrong_is_told_with_its_field() {
        let fields = |request: &PlanRequest| -> Vec<&'static str> {
            read(request).unwrap_err().iter().map(|bad| bad.field().as_str()).collect()
        };
        assert_eq!(fields(&PlanRequest::default()), ["goal", "race_date"]);
        let wrong = PlanRequest {
            goal: Some(Goal::Custom),
            target: Some("soon".to_owned()),
            b_race: Some("10k".to_owned()),
            blackout: vec!["2026-07-10..2026-07-01".to_owned()],
            base: Some("301".to_owned()),
            longest: Some("far".to_owned()),
            ..half()
        };
        assert_eq!(fields(&wrong), ["distance", "target", "b_race", "blackout", "base", "longest"]);
        let minutes = PlanRequest { target: Some("1:45".to_owned()), ..half() };
        let faults = read(&minutes).unwrap_err();
        assert_eq!(faults[0].help(), "write the hours too: 1:45:00");
        assert_eq!(fields(&PlanRequest { distance: Some("20km".to_owned()), ..half() }), ["distance"]);
        assert_eq!(fields(&PlanRequest { b_race: Some("2026-08-02=x".to_owned()), ..half() }), ["b_race"]);
    }
}
