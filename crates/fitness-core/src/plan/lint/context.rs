//! Days and weeks of a plan together with the training before it.

use super::super::training_norms::{self, RaceClass};
use super::super::weeks::filter_runs;
use super::super::{
    KnownPaces, Level, Step, StepDuration, TrainingBaseline, Week, Workout, WorkoutKind, race_weeks,
};
use super::work::is_quality;
use super::{LintInput, TOLERANCE};
use crate::domain::calendar::Day;
use crate::domain::observation::AbsenceReason;
use crate::domain::sport::Sport;
use crate::domain::units::{Distance, Pace, UnitSystem};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// One run: recorded, or planned for a future day.
pub(super) struct RecordedOrPlannedRun<'a> {
    pub(super) day: Day,
    /// As planned or recorded, else from its time and the easy pace.
    pub(super) km: Option<f64>,
    /// As planned or recorded, else from its distance and the easy pace.
    pub(super) minutes: Option<f64>,
    pub(super) quality: bool,
    /// The planned workout; `None` for a recorded run.
    pub(super) workout: Option<&'a Workout>,
    /// Kind by its steps, if they make it harder than its stated kind; `None` for a recorded run.
    kind: Option<WorkoutKind>,
}

impl RecordedOrPlannedRun<'_> {
    /// Recorded runs have no kind.
    pub(super) fn is_kind(&self, kind: WorkoutKind) -> bool {
        self.kind == Some(kind)
    }
}

/// One full week of the plan.
pub(super) struct WeekTotals {
    pub(super) week: Week,
    /// Without the race; `None` when a run's distance is unknown.
    pub(super) km: Option<f64>,
    pub(super) runs: usize,
    pub(super) quality: usize,
    pub(super) rest_days: usize,
    /// Whether any of it can still be changed.
    pub(super) changeable: bool,
}

/// Days of a plan before its first full week. Kilometres.
pub(super) struct PartialFirstWeek {
    pub(super) week: Week,
    /// The first day that can still be changed, and how many can.
    pub(super) first: Day,
    pub(super) days: usize,
    pub(super) planned: f64,
    /// Including the recorded runs of the same seven days.
    pub(super) total: f64,
}

/// Peak week and start of the taper.
pub(super) struct PeakWeek {
    pub(super) km: f64,
    /// Index of the first taper week; the number of weeks if there is none, 0 if the taper began
    /// before the plan.
    pub(super) taper_start: usize,
    /// Index of the last peak week, if the plan has one.
    pub(super) last_week: Option<usize>,
}

/// Totals of the runs of a day.
#[derive(Clone, Copy, Default)]
struct DayTotals {
    km: f64,
    longest: f64,
    unknown: bool,
    runs: usize,
    quality: usize,
}

impl DayTotals {
    fn add(&mut self, km: Option<f64>, quality: bool) {
        self.km += km.unwrap_or(0.0);
        self.longest = self.longest.max(km.unwrap_or(0.0));
        self.unknown |= km.is_none();
        self.runs += 1;
        self.quality += usize::from(quality);
    }
}

/// Everything the rules read.
pub(super) struct LintContext<'a> {
    pub(super) subject: &'a LintInput<'a>,
    pub(super) athlete: &'a TrainingBaseline,
    pub(super) units: UnitSystem,
    pub(super) level: Level,
    pub(super) is_level_known: bool,
    pub(super) easy_pace: Option<Pace>,
    /// `None` for a plan without a race.
    pub(super) race: Option<(Distance, RaceClass)>,
    /// All runs except those on race day, by day.
    pub(super) runs: Vec<RecordedOrPlannedRun<'a>>,
    pub(super) weeks: Vec<WeekTotals>,
    /// Only for a race plan whose weeks are all known.
    pub(super) peak: Option<PeakWeek>,
    days: BTreeMap<Day, DayTotals>,
    /// Race distance, for the weeks after the race.
    race_km: Option<f64>,
}

impl<'a> LintContext<'a> {
    pub(super) fn new(subject: &'a LintInput<'a>, athlete: &'a TrainingBaseline, units: UnitSystem) -> Self {
        let level = athlete.level();
        let easy = athlete.easy_pace();
        let mut view = Self {
            subject,
            athlete,
            units,
            level: level.clone().unwrap_or(Level::Novice),
            is_level_known: level.is_ok(),
            easy_pace: easy,
            race: subject.distance.map(|distance| (distance, RaceClass::for_distance(distance))),
            runs: Vec::new(),
            weeks: Vec::new(),
            peak: None,
            days: BTreeMap::new(),
            race_km: subject.distance.map(Distance::km),
        };
        view.collect_runs();
        view.weeks = view.plan_weeks();
        view.peak = view.find_peak();
        view
    }

    fn collect_runs(&mut self) {
        let done = self.athlete.runs.iter().filter(|run| run.day <= self.athlete.as_of).map(|run| {
            RecordedOrPlannedRun {
                day: run.day,
                km: Some(run.distance.km()),
                minutes: run.duration.map(|duration| duration.seconds() / 60.0),
                quality: run.hard,
                workout: None,
                kind: None,
            }
        });
        let planned = filter_runs(self.subject.workouts)
            .filter(|workout| self.is_changeable(workout.date) && !self.is_race_day(workout.date))
            .map(|workout| {
                let kind = workout.effective_kind(self.known_paces());
                RecordedOrPlannedRun {
                    day: workout.date,
                    km: planned_km(workout, self.easy_pace),
                    minutes: planned_minutes(workout, self.easy_pace),
                    quality: is_quality(workout, kind, self.easy_pace),
                    workout: Some(workout),
                    kind: Some(kind),
                }
            });
        let mut sessions: Vec<RecordedOrPlannedRun<'a>> = done.chain(planned).collect();
        sessions.sort_by_key(|session| session.day);
        for session in &sessions {
            self.days.entry(session.day).or_default().add(session.km, session.quality);
        }
        self.runs = sessions;
    }

    pub(super) fn known_paces(&self) -> KnownPaces {
        KnownPaces { easy: self.easy_pace, paces: self.athlete.current_paces().map(|dated| dated.paces) }
    }

    /// Whether a day is part of the plan and can still be changed.
    pub(super) fn is_changeable(&self, day: Day) -> bool {
        day > self.athlete.as_of && day >= self.subject.start
    }

    /// Whether a day is in an injury or the two weeks after it. If the dates of the injury are
    /// unknown, it is taken to be now.
    pub(super) fn is_injured_on(&self, day: Day) -> bool {
        let soon =
            || self.athlete.injured && self.athlete.as_of.days_until(day) <= training_norms::PAIN_FREE_DAYS;
        self.athlete.is_injured_on(day).unwrap_or_else(soon)
    }

    pub(super) fn is_race_day(&self, day: Day) -> bool {
        self.race.is_some() && day == self.subject.race
    }

    /// Planned runs that can still be changed, with their workouts.
    pub(super) fn changeable_runs(&self) -> impl Iterator<Item = (&RecordedOrPlannedRun<'a>, &'a Workout)> {
        self.runs.iter().filter_map(|session| Some((session, session.workout?)))
    }

    fn plan_weeks(&self) -> Vec<WeekTotals> {
        let LintInput { start, race, .. } = *self.subject;
        let weeks = if self.race.is_some() { race_weeks(start, race) } else { self.calendar_weeks() };
        let moving = |workout: &&Workout| !matches!(workout.sport, Sport::Rest | Sport::Strength);
        let mut busy: BTreeSet<Day> = self.subject.workouts.iter().filter(moving).map(|w| w.date).collect();
        busy.retain(|day| self.is_changeable(*day));
        busy.extend(self.days.keys());
        weeks
            .into_iter()
            .map(|week| {
                let days = || self.days.range(week.first..=week.last()).map(|(_, day)| day);
                WeekTotals {
                    week,
                    km: self.week_km(week),
                    runs: days().map(|day| day.runs).sum(),
                    quality: days().map(|day| day.quality).sum(),
                    rest_days: 7 - busy.range(week.first..=week.last()).count().min(7),
                    changeable: week.last() > self.athlete.as_of,
                }
            })
            .collect()
    }

    /// The seven days before the first full week, if the plan has runs in them, including what was
    /// run just before. In a plan without a full week, the last seven days.
    pub(super) fn partial_first_week(&self) -> Option<PartialFirstWeek> {
        let week = match self.weeks.first() {
            Some(first) => first.week.plus(-1),
            None => Week::ending(self.subject.race),
        };
        let open = || week.days().filter(|day| self.is_changeable(*day) && !self.is_race_day(*day));
        let sum = |day: Day| self.days.get(&day).copied().unwrap_or_default();
        let unknown = week.days().any(|day| sum(day).unknown);
        let planned: f64 = open().map(|day| sum(day).km).sum();
        let first = open().next()?;
        (planned > 0.0 && !unknown).then(|| PartialFirstWeek {
            week,
            first,
            days: open().count(),
            planned,
            total: week.days().map(|day| sum(day).km).sum(),
        })
    }

    /// Monday to Sunday; the first week may start before the plan if those days are known.
    fn calendar_weeks(&self) -> Vec<Week> {
        let LintInput { start, race, .. } = *self.subject;
        let monday = Week { first: start.iso_week().monday() };
        let whole = start == monday.first || start.previous() <= self.athlete.as_of;
        let first = if whole { monday } else { monday.plus(1) };
        let count = (first.first.days_until(race) + 1).div_euclid(7).max(0);
        (0..count).map(|number| first.plus(number)).collect()
    }

    /// Whether a day has data or is planned.
    fn is_known(&self, day: Day) -> bool {
        let done = self.athlete.first_day.is_some_and(|first| first <= day) && day <= self.athlete.as_of;
        done || day >= self.subject.start
    }

    /// Running distance of a week without the race; `None` if a run has no known distance.
    fn week_km(&self, week: Week) -> Option<f64> {
        let mut days = self.days.range(week.first..=week.last()).map(|(_, day)| day);
        days.try_fold(0.0, |sum, day| (!day.unknown).then_some(sum + day.km))
    }

    /// The biggest of the four weeks before a week.
    pub(super) fn max_week_before(&self, week: Week) -> Option<f64> {
        self.max_week_back(week, 1..=4)
    }

    /// The biggest of the weeks four to eight weeks before a week.
    pub(super) fn max_week_two_months_before(&self, week: Week) -> Option<f64> {
        self.max_week_back(week, 4..=8)
    }

    /// The biggest week so many weeks back; `None` if none of them is fully known. A self-reported
    /// base stands in for weeks before the plan without full data, and for no others.
    fn max_week_back(&self, week: Week, back: RangeInclusive<i64>) -> Option<f64> {
        let said = self.athlete.self_reported.base.and(self.athlete.base().ok()).map(Distance::km);
        let mut fullest = None;
        for before in back.map(|back| week.plus(-back)) {
            let known = before.days().all(|day| self.is_known(day));
            let told = before.first >= self.subject.start || (known && self.athlete.has_recorded_base());
            let (km, known) = match said.filter(|_| !told) {
                Some(base) => (base.max(self.week_km(before).unwrap_or(0.0)), true),
                None => (self.week_km(before)?, known),
            };
            // A partly known week had at least that much.
            fullest = match fullest {
                Some((most, sure)) => Some((km.max(most), known || sure)),
                None => Some((km, known)),
            };
        }
        fullest.filter(|(_, sure)| *sure).map(|(most, _)| most)
    }

    /// The runs of a week, by day.
    pub(super) fn runs_in(&self, week: &WeekTotals) -> impl Iterator<Item = &RecordedOrPlannedRun<'a>> {
        let (first, last) = (week.week.first, week.week.last());
        let from = self.runs.partition_point(|run| run.day < first);
        self.runs[from..].iter().take_while(move |run| run.day <= last)
    }

    /// The longest run of the 30 days before a day; `None` if too little is known, 0 without a run.
    pub(super) fn longest_run_before(&self, day: Day) -> Option<f64> {
        let from = day.plus_days(-30);
        // A self-reported longest run stands in for the time before the plan without data.
        let said = self.subject.start.previous();
        let untold = !self.athlete.has_recorded_base() || !self.is_known(said);
        let counts = untold && from <= said && said < day;
        let stated =
            self.athlete.self_reported.longest.and(self.athlete.longest_run().ok()).filter(|_| counts);
        let begin = self.athlete.first_day.map_or(self.subject.start, |first| first.min(self.subject.start));
        // The data may also end long before the plan begins.
        let unknown = (0..30).filter(|back| !self.is_known(from.plus_days(*back))).count();
        if stated.is_none() && (begin.days_until(day) < 28 || unknown > MAX_UNKNOWN_DAYS) {
            return None;
        }
        let mut longest = stated.map_or(0.0, Distance::km);
        for (_, sum) in self.days.range(from..day) {
            if sum.unknown {
                return None;
            }
            longest = longest.max(sum.longest);
        }
        if self.race.is_some() && (from..day).contains(&self.subject.race) {
            longest = longest.max(self.race_km.unwrap_or(0.0));
        }
        // 0 only if all 30 days are known.
        let sure = longest > 0.0 || (0..30).all(|back| self.is_known(from.plus_days(back)));
        sure.then_some(longest)
    }

    fn find_peak(&self) -> Option<PeakWeek> {
        self.race?;
        let weeks: Vec<f64> = self.weeks.iter().map(|week| week.km).collect::<Option<_>>()?;
        // Volume before a break of a week or more is not a peak to taper from.
        let again = self.first_run_after_last_break();
        let since = again.map_or(0, |day| self.weeks.partition_point(|week| week.week.last() < day));
        let fullest = weeks.iter().copied().skip(since).fold(0.0, f64::max);
        // A plan of a few weeks has no peak of its own: the base counts instead.
        let base = self.athlete.base().map_or(0.0, Distance::km);
        let short = again.is_none() && weeks.len() <= training_norms::MAX_WEEKS_WITHOUT_BUILD;
        let km = if short { fullest.max(base) } else { fullest };
        let last_from = |share: f64| weeks.iter().rposition(|week| *week >= km * share - TOLERANCE);
        (km > 0.0).then(|| PeakWeek {
            km,
            taper_start: last_from(training_norms::TAPER_MAX_SHARE).map_or(0, |last| last + 1),
            last_week: last_from(training_norms::PEAK_WEEK_SHARE),
        })
    }

    /// Day of the first run after the plan's last break of a week or more.
    pub(super) fn first_run_after_last_break(&self) -> Option<Day> {
        self.first_run_after_break(training_norms::BREAK_DAYS)
    }

    /// Like `first_run_after_last_break`, for breaks of at least this many days.
    pub(super) fn first_run_after_break(&self, least: i64) -> Option<Day> {
        self.breaks(least).last().map(|(_, again)| again)
    }

    /// A break of a week or more, or an injury, from which the athlete is still returning three
    /// weeks before the race (a return takes as long as the break): its length in days, and the day
    /// after it.
    pub(super) fn late_break(&self) -> Option<(i64, Day)> {
        let race = self.subject.race;
        let late =
            |(days, again): &(i64, Day)| again.days_until(race) < training_norms::LATE_RETURN_DAYS + days;
        self.race?;
        let hurt = self
            .athlete
            .unavailable_periods
            .iter()
            .filter(|mark| mark.why == AbsenceReason::Injured && mark.from < race);
        let hurt = hurt.map(|mark| (mark.days(), mark.through.next()));
        self.breaks(training_norms::BREAK_DAYS).chain(hurt).filter(late).max_by_key(|(days, _)| *days)
    }

    /// Breaks in the plan of at least this many days without a run: their length, and the day of
    /// the run or race that ends them.
    fn breaks(&self, least: i64) -> impl Iterator<Item = (i64, Day)> {
        let race = self.subject.race;
        let before = self.subject.start.previous();
        let planned = self.days.keys().copied().filter(|day| *day > before && *day < race);
        let mut days: Vec<Day> = [before].into_iter().chain(planned).collect();
        days.push(race);
        let stretches: Vec<(i64, Day)> =
            days.windows(2).map(|pair| (pair[0].days_until(pair[1]) - 1, pair[1])).collect();
        stretches.into_iter().filter(move |(days, _)| *days >= least)
    }

    /// Weeks before the taper; all weeks of a plan without a race or a known peak.
    pub(super) fn build_weeks(&self) -> &[WeekTotals] {
        let end = self.peak.as_ref().map_or(self.weeks.len(), |peak| peak.taper_start);
        self.weeks.get(..end).unwrap_or_default()
    }

    /// First day of the seven days that a day belongs to, also before the first full week.
    pub(super) fn week_start(&self, day: Day) -> Day {
        let first = self.weeks.first().map_or(Week::ending(self.subject.race), |week| week.week).first;
        first.plus_days(first.days_until(day).div_euclid(7) * 7)
    }

    pub(super) fn week_containing(&self, day: Day) -> Option<&WeekTotals> {
        let first = self.weeks.first()?.week.first;
        let index = usize::try_from(first.days_until(day).div_euclid(7)).ok()?;
        self.weeks.get(index)
    }

    /// Formats kilometres in the athlete's units.
    pub(super) fn format_km(&self, km: f64) -> String {
        Distance::from_km(km)
            .map_or_else(|| "?".to_owned(), |distance| self.units.format_distance(distance).to_string())
    }
}

/// Of 30 days, this many may be unknown for the longest run of the rest to count.
const MAX_UNKNOWN_DAYS: usize = 14;

/// Distance of a planned run in kilometres.
pub(in crate::plan) fn planned_km(workout: &Workout, easy: Option<Pace>) -> Option<f64> {
    let by_time = || Some(workout.duration?.seconds() / easy?.seconds_per_km());
    let said = workout.distance.map(Distance::km).or_else(by_time);
    let meters = |step: &Step| match step.duration {
        StepDuration::Distance(meters) => Some(meters),
        _ => None,
    };
    let steps = Distance::from_meters(workout.steps.iter().filter_map(meters).sum()).unwrap_or_default().km();
    let by_steps = !workout.steps.is_empty() && workout.steps.iter().all(|step| meters(step).is_some());
    // If the steps add up to more than the stated distance, they count; up to 5 % is rounding.
    match said {
        Some(km) if steps <= km * 1.05 => Some(km),
        None if !by_steps || steps == 0.0 => None,
        _ => Some(steps),
    }
    .filter(|km| km.is_finite() && *km >= 0.0)
}

/// Duration of a planned run in minutes.
pub(in crate::plan) fn planned_minutes(workout: &Workout, easy: Option<Pace>) -> Option<f64> {
    let by_distance = || Some(workout.distance?.km() * easy?.seconds_per_km() / 60.0);
    let said = workout.duration.map(|duration| duration.seconds() / 60.0);
    said.or_else(by_distance).filter(|minutes| minutes.is_finite() && *minutes >= 0.0)
}
