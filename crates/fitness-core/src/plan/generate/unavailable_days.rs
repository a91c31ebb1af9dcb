//! Days the athlete marked as ill, injured or away: nothing is planned on them, and what follows comes back as it should.
//!
//! A marked day is like a blocked one that a return follows: short and easy runs, nothing fast until it is over.

use super::Wish;
use super::week_layout::Maker;
use crate::domain::calendar::Day;
use crate::domain::observation::Excuse;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, UnitSystem};
use crate::plan::adapt::downgrade::walk_run;
use crate::plan::{Background, Marked, Workout, WorkoutKind, training_norms};

/// Easy days for each day of fever before anything hard, at least and at most.
const EASY_DAYS: (i64, i64, i64) = (2, 2, 14);
/// The share of the longest run before it that a run may have after an injury, and after an illness.
const AFTER_INJURY: f64 = 0.5;
const AFTER_ILLNESS: f64 = 0.7;
/// Severities from which on it is fever, chest or stomach, and from which on running is impossible.
const FEVER: u8 = 2;
const CANNOT_RUN: u8 = 3;
/// Days of illness after which a doctor should look at it.
const LONG_ILLNESS: i64 = 10;

/// The way back after marked days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WayBack {
    mark: Marked,
    /// The first day with a run again, and the last on which nothing is fast.
    pub(super) first: Day,
    pub(super) last: Day,
    /// Kilometres that no run of it goes beyond.
    pub(super) most: f64,
    /// Running and walking by turns, every other day.
    by_turns: bool,
}

impl WayBack {
    fn of(mark: Marked, athlete: &Background) -> Option<Self> {
        let Marked { why, from, through, severity } = mark;
        let at_least = |least: u8| severity.is_some_and(|severity| severity >= least);
        let before = athlete.longest_in(from.plus(-30), from.previous()).or_else(|| athlete.longest().ok());
        let longest = before.map_or(2.0 * training_norms::SHORT_RUN, Distance::km);
        let first = through.next();
        match why {
            Excuse::Away => None,
            Excuse::Injured => Some(Self {
                mark,
                first,
                last: through.plus(training_norms::PAIN_FREE),
                most: longest * AFTER_INJURY,
                by_turns: at_least(CANNOT_RUN),
            }),
            Excuse::Ill => {
                let (each, least, most) = EASY_DAYS;
                // A day after the last symptom before anything; with a cold the days themselves are enough.
                let first = if at_least(FEVER) { first.next() } else { first };
                let easy = if at_least(FEVER) { (each * mark.days()).clamp(least, most) } else { least };
                Some(Self {
                    mark,
                    first,
                    last: first.plus(easy - 1),
                    most: longest * AFTER_ILLNESS,
                    by_turns: false,
                })
            }
        }
    }

    pub(super) fn contains(&self, day: Day) -> bool {
        (self.first..=self.last).contains(&day)
    }

    /// Since when what was run says how far a run may go: after an injury neither what was before it does, nor the run that
    /// it began with.
    pub(super) fn counts_since(&self) -> Option<Day> {
        (self.mark.why == Excuse::Injured).then_some(self.first)
    }

    /// Whether the weeks after it are smaller ones, however short it was.
    pub(super) fn is_stepped(&self) -> bool {
        self.mark.why == Excuse::Injured || self.mark.severity.is_some_and(|severity| severity >= FEVER)
    }

    /// The days of the mark.
    pub(super) fn days(&self) -> i64 {
        self.mark.days()
    }

    fn remark(&self, wish: &Wish, units: UnitSystem) -> String {
        let Marked { from, through, .. } = self.mark;
        let Self { first, last, .. } = self;
        let most = units.distance(Distance::from_km(self.most).unwrap_or_default());
        let mut said = match self.mark.why {
            Excuse::Injured => {
                let how = if self.by_turns {
                    "running and walking by turns, every other day".to_owned()
                } else {
                    format!("easy runs of at most {most}")
                };
                format!(
                    "You marked {} as injured: there is no running on these days, then {how}, and nothing fast until \
                     two weeks have passed without pain, on {last}. If it still hurts then, mark it and draft again; \
                     this is no diagnosis, see somebody who knows if it does not get better.",
                    days_of(from, through)
                )
            }
            _ => format!(
                "You marked {} as ill: there is no training before {first}, then easy runs, and nothing hard until {last} \
                 is over.",
                days_of(from, through)
            ),
        };
        if self.mark.why == Excuse::Ill && self.mark.days() > LONG_ILLNESS {
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

fn days_of(from: Day, through: Day) -> String {
    if from == through { from.to_string() } else { format!("{from} to {through}") }
}

/// The ways back that reach into a plan, in order.
pub(super) fn ways_back(wish: &Wish, athlete: &Background) -> Vec<WayBack> {
    let mut ways: Vec<WayBack> = (athlete.marked.iter())
        .filter_map(|mark| WayBack::of(*mark, athlete))
        .filter(|way| way.last >= wish.start && way.mark.from < wish.race)
        .collect();
    ways.sort_by_key(|way| (way.first, way.last));
    ways
}

/// The same wish with the days blocked on which marks allow no training.
pub(super) fn without_marked(wish: &Wish, athlete: &Background) -> Wish {
    let mut free = wish.clone();
    let marked = athlete.marked.iter().flat_map(|mark| {
        let end = WayBack::of(*mark, athlete).map_or(mark.through, |way| way.first.previous());
        mark.from.max(wish.start).through(end.min(wish.race.previous()))
    });
    free.availability.blackouts.extend(marked);
    free
}

/// What a day is marked as.
pub(super) fn mark_on(athlete: &Background, day: Day) -> Option<&Marked> {
    athlete.marked.iter().find(|mark| mark.contains(day))
}

/// What to say about the marks.
pub(super) fn remarks(wish: &Wish, athlete: &Background) -> Vec<String> {
    let ways = ways_back(wish, athlete);
    let away = athlete
        .marked
        .iter()
        .filter(|mark| mark.why == Excuse::Away && mark.through >= wish.start && mark.from < wish.race);
    let away = away.map(|mark| {
        format!("You marked {} as away: nothing is planned on these days.", days_of(mark.from, mark.through))
    });
    ways.iter().map(|way| way.remark(wish, wish.units)).chain(away).collect()
}

/// Makes what lies on a way back easy and short enough, whoever put it there.
pub(super) fn soften(maker: &Maker<'_>, ways: &[WayBack], workouts: &mut Vec<Workout>) {
    let shape = maker.shape;
    workouts.sort_by_key(|workout| workout.date);
    let (mut rung, mut last): (usize, Option<Day>) = (0, None);
    let mut kept = Vec::with_capacity(workouts.len());
    for workout in workouts.drain(..) {
        let day = workout.date;
        let Some(way) = ways.iter().filter(|way| way.contains(day)).min_by(|a, b| a.most.total_cmp(&b.most))
        else {
            kept.push(workout);
            continue;
        };
        let by_turns = ways.iter().any(|way| way.by_turns && way.contains(day));
        match workout.sport {
            Sport::Strength if way.counts_since().is_some() => {}
            Sport::Running if workout.kind != WorkoutKind::Race => {
                let km = workout.distance.map_or(0.0, Distance::km);
                let most = shape.floor(way.most).max(shape.shortest());
                if by_turns {
                    // A day without running after each run.
                    if last.is_none_or(|last| last.until(day) >= 2) {
                        let most = Distance::from_km(most).unwrap_or_default();
                        kept.extend(walk_run(&workout, rung, most, f64::MAX).map(|(by_turns, _)| by_turns));
                        (rung, last) = (rung + 1, Some(day));
                    }
                } else if workout.distance.is_some() && (workout.kind != WorkoutKind::Easy || km > most) {
                    kept.push(maker.easy(day, km.min(most), false));
                } else {
                    kept.push(workout);
                }
            }
            _ => kept.push(workout),
        }
    }
    *workouts = kept;
}
