//! Weeks of a race plan: seven days each, counted back from race day.
//!
//! The last one ends on race day, so that a taper is equally long for a race on any weekday. For a
//! race on Sunday these are calendar weeks.

use super::Workout;
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::Distance;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Week {
    pub first: Day,
}

impl Week {
    /// The week that ends on a day.
    #[must_use]
    pub fn ending(last: Day) -> Self {
        Self { first: last.plus_days(-6) }
    }

    #[must_use]
    pub fn last(self) -> Day {
        self.first.plus_days(6)
    }

    /// This many weeks later; earlier if negative.
    #[must_use]
    pub fn plus(self, weeks: i64) -> Self {
        Self { first: self.first.plus_days(weeks * 7) }
    }

    #[must_use]
    pub fn contains(self, day: Day) -> bool {
        (0..7).contains(&self.first.days_until(day))
    }

    pub fn days(self) -> impl Iterator<Item = Day> {
        (0..7).map(move |offset| self.first.plus_days(offset))
    }
}

/// Full weeks from a plan's start to its race, in order; the last is race week. Empty if less than
/// a week is left.
///
/// ```
/// use fitness_core::plan::race_weeks;
///
/// let weeks = race_weeks("2026-06-16".parse().unwrap(), "2026-07-05".parse().unwrap());
/// assert_eq!(weeks.len(), 2);
/// assert_eq!(weeks[0].first, "2026-06-22".parse().unwrap());
/// assert_eq!(weeks[1].last(), "2026-07-05".parse().unwrap());
/// ```
#[must_use]
pub fn race_weeks(start: Day, race: Day) -> Vec<Week> {
    let full = (start.days_until(race) + 1).div_euclid(7).max(0);
    (0..full).rev().map(|back| Week::ending(race).plus(-back)).collect()
}

/// Planned running distance of a week, without the race.
#[must_use]
pub fn planned_running_distance(workouts: &[Workout], week: Week, race: Day) -> Distance {
    filter_runs(workouts)
        .filter(|run| run.date != race && week.contains(run.date))
        .filter_map(|run| run.distance)
        .sum()
}

pub(super) fn filter_runs(workouts: &[Workout]) -> impl Iterator<Item = &Workout> {
    workouts.iter().filter(|workout| workout.sport == Sport::Running)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_end_on_race_day_whatever_weekday_it_is() {
        let start: Day = "2026-06-01".parse().unwrap();
        for days in 0..60 {
            let race = start.plus_days(days);
            let weeks = race_weeks(start, race);
            assert_eq!(weeks.len() as i64, (days + 1) / 7);
            assert!(weeks.iter().all(|week| week.first >= start));
            assert!(weeks.windows(2).all(|pair| pair[0].last().next() == pair[1].first));
            assert!(weeks.last().is_none_or(|week| week.last() == race));
        }
        assert!(race_weeks(start, start.plus_days(-30)).is_empty());
    }
}
