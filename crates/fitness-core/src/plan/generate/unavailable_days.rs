//! Days the athlete marked as ill, injured or away: nothing is planned on them, and what follows comes back as it should.
//!
//! A marked day is like a blocked one that a return follows: short and easy runs, nothing fast until it is over.

use super::PlanRequest;
use super::week_layout::WorkoutBuilder;
use crate::domain::calendar::Day;
use crate::domain::observation::AbsenceReason;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, UnitSystem};
use crate::plan::adapt::downgrade::walk_run;
use crate::plan::{TrainingBaseline, UnavailablePeriod, Workout, WorkoutKind, training_norms};

/// Easy days for each day of fever before anything hard, at least and at most.
const EASY_DAYS: (i64, i64, i64) = (2, 2, 14);
/// The share of the longest run before it that a run may have after an injury, and after an illness.
const RUN_SHARE_AFTER_INJURY: f64 = 0.5;
const RUN_SHARE_AFTER_ILLNESS: f64 = 0.7;
/// Severities from which on it is fever, chest or stomach, and from which on running is impossible.
const FEVER_SEVERITY: u8 = 2;
const CANNOT_RUN_SEVERITY: u8 = 3;
/// Days of illness after which a doctor should look at it.
const LONG_ILLNESS_DAYS: i64 = 10;

/// The way back after marked days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ReturnPeriod {
    unavailable: UnavailablePeriod,
    /// The first day with a run again, and the last on which nothing is fast.
    pub(super) first: Day,
    pub(super) last: Day,
    /// Kilometres that no run of it goes beyond.
    pub(super) max_km: f64,
    /// Running and walking by turns, every other day.
    is_walk_run: bool,
}

impl ReturnPeriod {
    fn from_unavailable(mark: UnavailablePeriod, athlete: &TrainingBaseline) -> Option<Self> {
        let UnavailablePeriod { why, from, through, severity } = mark;
        let at_least = |least: u8| severity.is_some_and(|severity| severity >= least);
        let before = athlete
            .longest_run_between(from.plus_days(-30), from.previous())
            .or_else(|| athlete.longest_run().ok());
        let longest = before.map_or(2.0 * training_norms::SHORT_RUN_KM, Distance::km);
        let first = through.next();
        match why {
            AbsenceReason::Away => None,
            AbsenceReason::Injured => Some(Self {
                unavailable: mark,
                first,
                last: through.plus_days(training_norms::PAIN_FREE_DAYS),
                max_km: longest * RUN_SHARE_AFTER_INJURY,
                is_walk_run: at_least(CANNOT_RUN_SEVERITY),
            }),
            AbsenceReason::Ill => {
                let (each, least, most) = EASY_DAYS;
                // A day after the last symptom before anything; with a cold the days themselves are enough.
                let first = if at_least(FEVER_SEVERITY) { first.next() } else { first };
                let easy =
                    if at_least(FEVER_SEVERITY) { (each * mark.days()).clamp(least, most) } else { least };
                Some(Self {
                    unavailable: mark,
                    first,
                    last: first.plus_days(easy - 1),
                    max_km: longest * RUN_SHARE_AFTER_ILLNESS,
                    is_walk_run: false,
                })
            }
        }
    }

    pub(super) fn contains(&self, day: Day) -> bool {
        (self.first..=self.last).contains(&day)
    }

    /// Since when what was run says how far a run may go: after an injury neither what was before it does, nor the run that
    /// it began with.
    pub(super) fn history_start(&self) -> Option<Day> {
        (self.unavailable.why == AbsenceReason::Injured).then_some(self.first)
    }

    /// Whether the weeks after it are smaller ones, however short it was.
    pub(super) fn has_stepped_return(&self) -> bool {
        self.unavailable.why == AbsenceReason::Injured
            || self.unavailable.severity.is_some_and(|severity| severity >= FEVER_SEVERITY)
    }

    /// The days of the mark.
    pub(super) fn unavailable_days(&self) -> i64 {
        self.unavailable.days()
    }

    fn note(&self, wish: &PlanRequest, units: UnitSystem) -> String {
        let UnavailablePeriod { from, through, .. } = self.unavailable;
        let Self { first, last, .. } = self;
        let most = units.format_distance(Distance::from_km(self.max_km).unwrap_or_default());
        let mut said = match self.unavailable.why {
            AbsenceReason::Injured => {
                let how = if self.is_walk_run {
                    "running and walking by turns, every other day".to_owned()
                } else {
                    format!("easy runs of at most {most}")
                };
                format!(
                    "You marked {} as injured: there is no running on these days, then {how}, and nothing fast until \
                     two weeks have passed without pain, on {last}. If it still hurts then, mark it and draft again; \
                     this is no diagnosis, see somebody who knows if it does not get better.",
                    format_days(from, through)
                )
            }
            _ => format!(
                "You marked {} as ill: there is no training before {first}, then easy runs, and nothing hard until {last} \
                 is over.",
                format_days(from, through)
            ),
        };
        if self.unavailable.why == AbsenceReason::Ill && self.unavailable.days() > LONG_ILLNESS_DAYS {
            said.push_str(" More than ten days is long: see a doctor before you run.");
        }
        if *last >= wish.race {
            said.push_str(
                " The race lies within that time: start only if you are well, and be ready to leave it out.",
            );
        }
        said
    }
}

fn format_days(from: Day, through: Day) -> String {
    if from == through { from.to_string() } else { format!("{from} to {through}") }
}

/// The ways back that reach into a plan, in order.
pub(super) fn return_periods(wish: &PlanRequest, athlete: &TrainingBaseline) -> Vec<ReturnPeriod> {
    let mut ways: Vec<ReturnPeriod> = (athlete.unavailable_periods.iter())
        .filter_map(|mark| ReturnPeriod::from_unavailable(*mark, athlete))
        .filter(|way| way.last >= wish.start && way.unavailable.from < wish.race)
        .collect();
    ways.sort_by_key(|way| (way.first, way.last));
    ways
}

/// The same wish with the days blocked on which marks allow no training.
pub(super) fn block_unavailable_days(wish: &PlanRequest, athlete: &TrainingBaseline) -> PlanRequest {
    let mut free = wish.clone();
    let marked = athlete.unavailable_periods.iter().flat_map(|mark| {
        let end =
            ReturnPeriod::from_unavailable(*mark, athlete).map_or(mark.through, |way| way.first.previous());
        mark.from.max(wish.start).through(end.min(wish.race.previous()))
    });
    free.availability.blackouts.extend(marked);
    free
}

/// What a day is marked as.
pub(super) fn unavailable_on(athlete: &TrainingBaseline, day: Day) -> Option<&UnavailablePeriod> {
    athlete.unavailable_periods.iter().find(|mark| mark.contains(day))
}

/// What to say about the marks.
pub(super) fn notes(wish: &PlanRequest, athlete: &TrainingBaseline) -> Vec<String> {
    let ways = return_periods(wish, athlete);
    let away = athlete.unavailable_periods.iter().filter(|mark| {
        mark.why == AbsenceReason::Away && mark.through >= wish.start && mark.from < wish.race
    });
    let away = away.map(|mark| {
        format!(
            "You marked {} as away: nothing is planned on these days.",
            format_days(mark.from, mark.through)
        )
    });
    ways.iter().map(|way| way.note(wish, wish.units)).chain(away).collect()
}

/// Makes what lies on a way back easy and short enough, whoever put it there.
pub(super) fn ease_workouts(maker: &WorkoutBuilder<'_>, ways: &[ReturnPeriod], workouts: &mut Vec<Workout>) {
    let shape = maker.shape;
    workouts.sort_by_key(|workout| workout.date);
    let (mut rung, mut last): (usize, Option<Day>) = (0, None);
    let mut kept = Vec::with_capacity(workouts.len());
    for workout in workouts.drain(..) {
        let day = workout.date;
        let Some(way) =
            ways.iter().filter(|way| way.contains(day)).min_by(|a, b| a.max_km.total_cmp(&b.max_km))
        else {
            kept.push(workout);
            continue;
        };
        let by_turns = ways.iter().any(|way| way.is_walk_run && way.contains(day));
        match workout.sport {
            Sport::Strength if way.history_start().is_some() => {}
            Sport::Running if workout.kind != WorkoutKind::Race => {
                let km = workout.distance.map_or(0.0, Distance::km);
                let most = shape.floor(way.max_km).max(shape.min_run_km());
                if by_turns {
                    // A day without running after each run.
                    if last.is_none_or(|last| last.days_until(day) >= 2) {
                        let most = Distance::from_km(most).unwrap_or_default();
                        kept.extend(walk_run(&workout, rung, most, f64::MAX).map(|(by_turns, _)| by_turns));
                        (rung, last) = (rung + 1, Some(day));
                    }
                } else if workout.distance.is_some() && (workout.kind != WorkoutKind::Easy || km > most) {
                    kept.push(maker.easy_run(day, km.min(most), false));
                } else {
                    kept.push(workout);
                }
            }
            _ => kept.push(workout),
        }
    }
    *workouts = kept;
}
