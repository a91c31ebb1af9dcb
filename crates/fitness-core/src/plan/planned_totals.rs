//! Planned totals of a workout, a week or a plan, formatted the same everywhere.

use super::{Workout, WorkoutKind};
use crate::domain::calendar::Day;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, TimeSpan, UnitSystem};

/// Planned running. The race is listed separately: it is not training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlannedRunningTotals {
    /// Total distance of the runs that have one.
    pub distance: Distance,
    /// Total time of the runs without a distance.
    pub by_time: TimeSpan,
    /// Number of runs with neither, without the race.
    pub unknown: usize,
    /// Race distance, if the race is among the workouts.
    pub race: Option<Distance>,
}

impl PlannedRunningTotals {
    /// Totals of workouts of a plan whose race is on `race`. A tune-up race counts as running.
    #[must_use]
    pub fn from_workouts<'a>(workouts: impl IntoIterator<Item = &'a Workout>, race: Day) -> Self {
        let mut asked = Self::default();
        for run in workouts.into_iter().filter(|workout| workout.sport == Sport::Running) {
            match (run.distance, run.duration) {
                (distance, _) if run.kind == WorkoutKind::Race && run.date == race => asked.race = distance,
                (Some(distance), _) => asked.distance += distance,
                (None, Some(time)) => asked.by_time += time,
                (None, None) => asked.unknown += 1,
            }
        }
        asked
    }

    /// Whether there is a distance.
    #[must_use]
    pub fn has_distance(self) -> bool {
        self.distance > Distance::ZERO || self.race.is_some()
    }

    /// `18.0 km of running and the race (21.1 km)`, `1h 30m of running`; `None` when nothing is
    /// known.
    ///
    /// ```
    /// use fitness_core::plan::PlannedRunningTotals;
    /// use fitness_core::domain::units::{Distance, TimeSpan, UnitSystem};
    ///
    /// let race_week = PlannedRunningTotals {
    ///     distance: Distance::from_mm(18_000_000),
    ///     race: Some(Distance::HALF_MARATHON),
    ///     ..PlannedRunningTotals::default()
    /// };
    /// let label = race_week.label(UnitSystem::Metric).unwrap();
    /// assert_eq!(label, "18.0 km of running and the race (21.1 km)");
    /// let ninety = TimeSpan::from_mins(90);
    /// let by_time = PlannedRunningTotals { by_time: ninety, ..PlannedRunningTotals::default() };
    /// assert_eq!(by_time.label(UnitSystem::Metric).unwrap(), "1h 30m of running");
    /// assert_eq!(PlannedRunningTotals::default().label(UnitSystem::Metric), None);
    /// ```
    #[must_use]
    pub fn label(self, units: UnitSystem) -> Option<String> {
        let distance =
            (self.distance > Distance::ZERO).then(|| units.format_distance(self.distance).to_string());
        let time = (self.by_time > TimeSpan::ZERO).then(|| self.by_time.format_hours_minutes());
        let training = match (distance, time) {
            (Some(distance), Some(time)) => Some(format!("{distance} and {time} of running")),
            (one, other) => one.or(other).map(|amount| format!("{amount} of running")),
        };
        let race = self.race.map(|race| format!("the race ({})", units.format_distance(race)));
        match (training, race) {
            (Some(training), Some(race)) => Some(format!("{training} and {race}")),
            (one, other) => one.or(other),
        }
    }
}

impl Workout {
    /// Size in the first available measure: distance, else time, else load.
    #[must_use]
    pub fn size_label(&self, units: UnitSystem) -> Option<String> {
        self.distance
            .map(|distance| units.format_distance(distance).to_string())
            .or_else(|| self.duration.map(TimeSpan::format_hours_minutes))
            .or_else(|| self.load.map(|load| format!("load {load:.0}")))
    }

    /// Name without its size, for places that show the size too: `Race day` for `Race day: 21.1
    /// km`.
    #[must_use]
    pub fn name_without_size(&self, units: UnitSystem) -> &str {
        let without = self.size_label(units).and_then(|size| self.name.strip_suffix(size.as_str()));
        let short = without.map(|name| name.trim_end_matches([' ', ':', ',']));
        short.filter(|name| !name.is_empty()).unwrap_or(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: u32) -> Day {
        Day::new(2026, 6, day).unwrap()
    }

    fn run(on: u32, kind: WorkoutKind, km: Option<f64>, minutes: Option<i64>) -> Workout {
        Workout {
            sport: Sport::Running,
            kind,
            distance: km.and_then(Distance::from_km),
            duration: minutes.map(TimeSpan::from_mins),
            ..Workout::rest(day(on))
        }
    }

    #[test]
    fn planned_amount_lists_the_race_separately() {
        let ride = Workout { sport: Sport::Cycling, ..run(3, WorkoutKind::CrossTraining, Some(40.0), None) };
        let week = [
            Workout::rest(day(1)),
            run(2, WorkoutKind::Easy, Some(8.0), Some(45)),
            ride,
            run(4, WorkoutKind::Race, Some(5.0), None),
            run(5, WorkoutKind::Easy, None, Some(30)),
            run(6, WorkoutKind::Easy, None, None),
            run(7, WorkoutKind::Race, Some(10.0), None),
        ];
        let asked = PlannedRunningTotals::from_workouts(&week, day(7));
        assert_eq!((asked.distance.km(), asked.race.map(Distance::km)), (13.0, Some(10.0)));
        assert_eq!((asked.by_time, asked.unknown), (TimeSpan::from_mins(30), 1));
        assert_eq!(
            asked.label(UnitSystem::Metric).unwrap(),
            "13.0 km and 30 min of running and the race (10.0 km)"
        );
        let race_alone = PlannedRunningTotals::from_workouts(&week[6..], day(7));
        assert_eq!(race_alone.label(UnitSystem::Imperial).unwrap(), "the race (6.2 mi)");
        // A run on race day that is not the race counts as a run.
        let jog = [run(7, WorkoutKind::Easy, Some(3.0), None)];
        assert_eq!(
            PlannedRunningTotals::from_workouts(&jog, day(7)).label(UnitSystem::Metric).unwrap(),
            "3.0 km of running"
        );
    }

    #[test]
    fn name_without_size_drops_the_repeated_size() {
        for (name, expected) in [
            ("Race day: 21.1 km", "Race day"),
            ("Long run, 21.1 km", "Long run"),
            ("Race day", "Race day"),
            ("21.1 km", "21.1 km"),
            ("Easy 8.0 km", "Easy 8.0 km"),
            ("", ""),
        ] {
            let named = Workout { name: name.to_owned(), ..run(7, WorkoutKind::Race, Some(21.0975), None) };
            assert_eq!(named.name_without_size(UnitSystem::Metric), expected);
        }
        let timed = run(7, WorkoutKind::Easy, None, Some(75));
        assert_eq!(timed.size_label(UnitSystem::Metric).as_deref(), Some("1h 15m"));
        assert_eq!(Workout::rest(day(7)).size_label(UnitSystem::Metric), None);
    }
}
