//! Absences (ill, injured, away): no workouts on these days, and a careful return after them.
//!
//! Absence days are like blocked days, followed by a return with short, easy runs and nothing fast.

use super::PlanRequest;
use super::week_layout::WorkoutBuilder;
use crate::domain::calendar::Day;
use crate::domain::observation::AbsenceReason;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, UnitSystem};
use crate::plan::adapt::downgrade::walk_run;
use crate::plan::{TrainingBaseline, UnavailablePeriod, Workout, WorkoutKind, training_norms};

/// Easy days per day of fever before anything hard, with minimum and maximum.
const EASY_DAYS: (i64, i64, i64) = (2, 2, 14);
/// Longest run after an injury and after an illness, as a share of the longest before.
const RUN_SHARE_AFTER_INJURY: f64 = 0.5;
const RUN_SHARE_AFTER_ILLNESS: f64 = 0.7;
/// Severity from which an illness counts as fever, and from which an injury makes running
/// impossible.
const FEVER_SEVERITY: u8 = 2;
const CANNOT_RUN_SEVERITY: u8 = 3;
/// Days of illness after which to see a doctor.
const LONG_ILLNESS_DAYS: i64 = 10;

/// The return to training after an absence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ReturnPeriod {
    unavailable: UnavailablePeriod,
    /// First day with a run, and last day without anything fast.
    pub(super) first: Day,
    pub(super) last: Day,
    /// Longest allowed run, in kilometres.
    pub(super) max_km: f64,
    /// Alternates running and walking, every other day.
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
                // After a fever one day without symptoms; after a cold none.
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

    /// The day from which runs count for the longest run: after an injury, neither earlier runs nor
    /// the run in which it happened do.
    pub(super) fn history_start(&self) -> Option<Day> {
        (self.unavailable.why == AbsenceReason::Injured).then_some(self.first)
    }

    /// Whether the following weeks build up gradually, however short it was.
    pub(super) fn has_stepped_return(&self) -> bool {
        self.unavailable.why == AbsenceReason::Injured
            || self.unavailable.severity.is_some_and(|severity| severity >= FEVER_SEVERITY)
    }

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
                    "alternating running and walking, every other day".to_owned()
                } else {
                    format!("easy runs of at most {most}")
                };
                format!(
                    "You marked {} as injured: no running on these days, then {how}, and nothing fast until {last}, after \
                     two weeks without pain. If it still hurts then, mark more days and draft again. This is not a \
                     diagnosis: if it does not get better, see a doctor or physiotherapist.",
                    format_days(from, through)
                )
            }
            _ => format!(
                "You marked {} as ill: no training before {first}, then easy runs, and nothing hard through {last}.",
                format_days(from, through)
            ),
        };
        if self.unavailable.why == AbsenceReason::Ill && self.unavailable.days() > LONG_ILLNESS_DAYS {
            said.push_str(" That is more than ten days: see a doctor before you run.");
        }
        if *last >= wish.race {
            said.push_str(
                " The race falls in this period: start only if you feel well, and be ready to skip it.",
            );
        }
        said
    }
}

fn format_days(from: Day, through: Day) -> String {
    if from == through { from.to_string() } else { format!("{from} to {through}") }
}

/// Return periods that overlap the plan, by date.
pub(super) fn return_periods(wish: &PlanRequest, athlete: &TrainingBaseline) -> Vec<ReturnPeriod> {
    let mut ways: Vec<ReturnPeriod> = (athlete.unavailable_periods.iter())
        .filter_map(|mark| ReturnPeriod::from_unavailable(*mark, athlete))
        .filter(|way| way.last >= wish.start && way.unavailable.from < wish.race)
        .collect();
    ways.sort_by_key(|way| (way.first, way.last));
    ways
}

/// The request with all days blocked on which absences allow no training.
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

/// The absence on a day.
pub(super) fn unavailable_on(athlete: &TrainingBaseline, day: Day) -> Option<&UnavailablePeriod> {
    athlete.unavailable_periods.iter().find(|mark| mark.contains(day))
}

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

/// Makes workouts in return periods easy and short enough.
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
                    // One day off after each run.
                    if last.is_none_or(|last| last.days_until(day) >= 2) {
                        let most = Distance::from_km(most).unwrap_or_default();
                        kept.extend(walk_run(&workout, rung, most, f64::MAX).map(|(by_turns, _)| by_turns));
                        (rung, last) = (rung + 1, Some(day));
                    }
                } else if workout.distance.is_some() && (workout.kind != WorkoutKind::Easy || km > most) {
                    kept.push(maker.easy_run(day, km.min(most), None));
                } else {
                    kept.push(workout);
                }
            }
            _ => kept.push(workout),
        }
    }
    *workouts = kept;
}
