//! Weekly volume: up from the base by a few percent, down in cut-back weeks and before the race.

use super::blackouts::{FULL_WEEK_SHARE, ReturnToTraining, find_breaks};
use super::long_runs::{BuildWeeks, MAX_OTHER_RUN_SHARE, ROUNDING_MARGIN, week_capacity_km};
use super::{PlanRequest, is_available, peak_volume, plan_weeks};
use crate::domain::observation::AbsenceReason;
use crate::domain::units::{Distance, Pace, UnitSystem};
use crate::plan::baseline::EASY_PACE_WINDOW_DAYS;
use crate::plan::training_norms::{self, MASTERS_AGE, RaceClass};
use crate::plan::{Level, TrainingBaseline, Week};
use crate::string_enum::string_enum;

string_enum! {
    pub enum Phase("phase") {
        Base = "base",
        Build = "build",
        Peak = "peak",
        /// Reduced volume before the race.
        Taper = "taper",
    }
}

/// A week of the plan before workouts are assigned. Kilometres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PlanWeek {
    pub(super) week: Week,
    pub(super) phase: Phase,
    pub(super) cutback: bool,
    pub(super) km: f64,
    /// 0 in race week.
    pub(super) long_run_km: f64,
    /// Whether it is part of a return after a break.
    pub(super) is_return: bool,
}

/// Available days in a week.
fn available_days(wish: &PlanRequest, week: Week) -> usize {
    week.days().filter(|day| is_available(wish, *day)).count()
}

/// The athlete and the race, as far as volume is concerned. Kilometres, and seconds per kilometre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct VolumeInput {
    pub(super) race: Distance,
    pub(super) class: RaceClass,
    pub(super) level: Level,
    pub(super) is_masters: bool,
    pub(super) is_over_sixty: bool,
    pub(super) base: f64,
    pub(super) longest: f64,
    /// Limit of the plan's first week.
    max_first_week: f64,
    /// Usual week before the break that the plan begins after; the base includes the break and is
    /// smaller.
    pub(super) usual_before_break: f64,
    /// Runs per week in the plan.
    pub(super) runs: usize,
    /// Runs in the biggest weeks.
    pub(super) max_runs: usize,
    pub(super) pace: Option<f64>,
    pub(super) injured: bool,
    /// Days without a run before the plan.
    pub(super) days_without_run: i64,
    /// Distances are multiples of this.
    pub(super) rounding_step: f64,
    /// Too few weeks to build fitness (R25).
    pub(super) is_too_short_to_build: bool,
}

impl VolumeInput {
    pub(super) fn new(
        wish: &PlanRequest,
        race: Distance,
        level: Level,
        athlete: &TrainingBaseline,
        shrink: f64,
    ) -> Self {
        let class = RaceClass::for_distance(race);
        let base = starting_base(athlete);
        // A regular runner has some long run; if none is known, assume a third of a week.
        let unknown = athlete.runs.is_empty() && athlete.self_reported.longest.is_none();
        let longest =
            athlete.longest_run().map_or(0.0, Distance::km).max(if unknown { base / 3.0 } else { 0.0 });
        let before = recent_weeks(athlete).into_iter().fold(0.0, f64::max);
        // After a break the return limits the first weeks.
        let days_without_run = athlete.days_since_run().unwrap_or(0);
        let allowed = if !athlete.has_recorded_base()
            || before <= 0.0
            || days_without_run >= training_norms::BREAK_DAYS
        {
            base
        } else {
            (before * FIRST_WEEK_GROWTH).max(before + 3.0_f64.min(before * 0.25))
        };
        let (fewest, most) = match level {
            Level::Novice => (3, 5),
            Level::Intermediate => (4, 6),
            Level::Advanced => (5, 6),
        };
        let usual = athlete.runs_per_week().map_or(fewest, |runs| runs.round() as usize);
        // Somebody who runs every day may go on doing so.
        let most = most.max(usual.min(7));
        // Fewer running days than usual mean fewer kilometres.
        let days_share =
            (wish.availability.days.len() as f64 / usual.max(1) as f64 * FEWER_DAYS_GROWTH).min(1.0);
        Self {
            race,
            class,
            level,
            is_masters: athlete.age.is_some_and(|age| age >= MASTERS_AGE),
            is_over_sixty: athlete.age.is_some_and(|age| age >= 60),
            base: base * shrink,
            longest: longest * shrink.max(0.9),
            max_first_week: base.min(allowed).min(days_share * base) * shrink,
            usual_before_break: base_before_break(athlete, base) * shrink,
            runs: usual.clamp(fewest, most).min(wish.availability.days.len()),
            max_runs: most.min(wish.availability.days.len()),
            pace: athlete.easy_pace().map(Pace::seconds_per_km),
            // Absences are handled by their dates.
            injured: athlete.injured
                && !athlete.unavailable_periods.iter().any(|mark| mark.why == AbsenceReason::Injured),
            days_without_run,
            rounding_step: match wish.units {
                UnitSystem::Metric => 0.5,
                UnitSystem::Imperial => 0.402_336,
            },
            is_too_short_to_build: (plan_weeks(wish).len() as i64)
                < training_norms::min_plan_weeks(level, class),
        }
    }

    /// Rounds to the nearest step.
    pub(super) fn round(&self, km: f64) -> f64 {
        (km / self.rounding_step).round() * self.rounding_step
    }

    /// Shortest useful run; shorter if a whole week has little more.
    pub(super) fn min_run_km(&self) -> f64 {
        ((0.15 * self.base).clamp(1.2, 2.4) / self.rounding_step).ceil() * self.rounding_step
    }

    /// Shortest run in a week too small for the usual number of runs.
    pub(super) fn min_small_week_run_km(&self) -> f64 {
        (1.2 / self.rounding_step).ceil() * self.rounding_step
    }

    /// Rounds down to a step.
    pub(super) fn floor(&self, km: f64) -> f64 {
        (km / self.rounding_step + 1e-9).floor() * self.rounding_step
    }

    /// Rounds a long run down to a step.
    pub(super) fn floor_long(&self, km: f64) -> f64 {
        let step = self.long_step(km);
        (km / step + 1e-9).floor() * step
    }

    /// Rounds a long run to the nearest step.
    pub(super) fn round_long(&self, km: f64) -> f64 {
        let step = self.long_step(km);
        (km / step).round() * step
    }

    /// Shorter long runs use finer steps, so that rounding does not eat up the 10 % they may grow
    /// by.
    fn long_step(&self, km: f64) -> f64 {
        if km < FINE_STEP_BELOW_KM - 1e-6 {
            self.rounding_step / FINE_STEP_DIVISOR
        } else {
            self.rounding_step
        }
    }

    /// Runs in a week of this volume: more than usual if they would all become long.
    pub(super) fn runs_for(&self, km: f64, long: f64) -> usize {
        let each = USUAL_RUN_SECONDS / self.assumed_pace();
        let wanted = 1 + ((km - long).max(0.0) / each).ceil() as usize;
        wanted.clamp(self.runs, self.max_runs.max(self.runs))
    }

    /// The easy pace, or a typical one for the level; for durations only, never shown.
    pub(super) fn assumed_pace(&self) -> f64 {
        self.pace.unwrap_or(match self.level {
            Level::Novice => 420.0,
            Level::Intermediate => 360.0,
            Level::Advanced => 310.0,
        })
    }

    /// The longest run allowed after a longest run of 30 days. Kilometres.
    pub(super) fn max_run_after(&self, longest: f64) -> f64 {
        if self.injured {
            return longest;
        }
        (longest * training_norms::SESSION_SPIKE.0).max(longest + training_norms::SESSION_STEP_KM)
    }
}

/// Weekly volume the plan starts from, in kilometres. A self-reported base can raise the recorded
/// one by as much as the first week may grow, and no more.
///
/// After a break that left no base, it is the base before the break, to which the plan returns
/// gradually, as long as the athlete's pace is known. After a longer break, or if they say that
/// they do not run, they start as a beginner.
pub(super) fn starting_base(athlete: &TrainingBaseline) -> f64 {
    let base = athlete.base().map_or(0.0, Distance::km);
    if base < training_norms::ZERO_BASE_KM
        && let Some(before) = athlete.base_before_pause(MAX_RETURN_DAYS)
        && athlete.days_since_run().is_some_and(|days| days >= training_norms::RESTART_AFTER_DAYS)
        && athlete.easy_pace().is_some()
    {
        let said = athlete.self_reported.base.map_or(f64::INFINITY, Distance::km);
        return before.km().min(said);
    }
    athlete.self_reported.base.map_or(base, |said| said.km().min(base * FIRST_WEEK_GROWTH).max(base))
}

/// Usual week before the current break, at most what the athlete reports. Kilometres.
fn base_before_break(athlete: &TrainingBaseline, base: f64) -> f64 {
    let said = athlete.self_reported.base.map_or(f64::INFINITY, Distance::km);
    let before = athlete.base_before_pause(MAX_RETURN_DAYS).filter(|_| athlete.has_recorded_base());
    before.map_or(base, |before| before.km().min(said).max(base))
}

/// Long runs below this use finer steps, and the divisor. Kilometres.
const FINE_STEP_BELOW_KM: f64 = 10.0;
const FINE_STEP_DIVISOR: f64 = 2.5;

/// Days after which a return becomes a fresh start.
const MAX_RETURN_DAYS: i64 = EASY_PACE_WINDOW_DAYS - 1;

/// Seconds of a usual run besides the long run.
const USUAL_RUN_SECONDS: f64 = 55.0 * 60.0;

/// With fewer running days than usual, each run may be this much longer.
const FEWER_DAYS_GROWTH: f64 = 1.15;

/// Largest ratio of the first week to recent training, below R3's limit.
const FIRST_WEEK_GROWTH: f64 = 1.08;

/// Distance of each of the last four weeks, as far as known.
fn recent_weeks(athlete: &TrainingBaseline) -> Vec<f64> {
    let last = Week::ending(athlete.as_of);
    (0..4).filter_map(|back| athlete.week(last.plus(-back))).map(Distance::km).collect()
}

/// Taper weeks as shares of the peak: within published plans, and in the middle of what studies of
/// tapering found.
fn taper_shares(class: RaceClass, weeks: usize) -> &'static [f64] {
    match (class, weeks) {
        (_, 0) => &[],
        (RaceClass::Full, 1) => &[0.40],
        (RaceClass::Full, 2) => &[0.66, 0.38],
        // Three weeks: one at the base volume, then the taper.
        (RaceClass::Full, 3) => &[0.74, 0.43],
        // In plans below twelve weeks, the third week before the race is hardly lighter than a full
        // one.
        (RaceClass::Full, 4..12) => &[0.88, 0.66, 0.38],
        (RaceClass::Full, _) => &[0.80, 0.60, 0.30],
        (RaceClass::Half, 1) => &[0.45],
        (RaceClass::Half, _) => &[0.78, 0.38],
        _ => &[0.52],
    }
}

/// Peak week that the plan aims for: limited by the goal and the running days, and never below what
/// the athlete already runs. Kilometres.
pub(super) fn target_peak_km(shape: &VolumeInput, wish: &PlanRequest, athlete: &TrainingBaseline) -> f64 {
    let goal = peak_volume::goal_peak_km(wish, shape, athlete).max(peak_volume::long_run_peak_km(shape));
    let days = peak_volume::days_peak_km(shape, peak_volume::desired_longest_km(shape));
    goal.min(days).max(shape.max_first_week)
}

/// The weeks of the plan, and a note about its longest break.
pub(super) fn outline_weeks(
    shape: &VolumeInput,
    wish: &PlanRequest,
    athlete: &TrainingBaseline,
) -> (Vec<PlanWeek>, Option<String>) {
    let weeks = plan_weeks(wish);
    let taper = taper_shares(shape.class, weeks.len());
    let build = weeks.len() - taper.len();
    let mut easier = cutback_weeks(shape, wish, &weeks[..build]);
    let pauses = find_breaks(wish, athlete, &weeks);
    let mut held = ReturnToTraining::new(shape, wish, athlete, &weeks, &pauses);
    let open = |week: Week| available_days(wish, week) as f64 / shape.runs.max(1) as f64;
    let wanted = build_volume(shape, target_peak_km(shape, wish, athlete), weeks.len(), &easier);
    let (volume, back): (Vec<f64>, Vec<bool>) = (0..build)
        .map(|i| match pauses.is_empty() {
            true => (wanted[i], false),
            false => held.next_week(wanted[i], open(weeks[i]), easier[i]),
        })
        .unzip();
    // A return week that is bigger than the one before is not a cut-back week.
    for i in (1..build).filter(|_| !pauses.is_empty()) {
        easier[i] &= volume[i] < volume[i - 1];
    }
    let peak = volume.iter().copied().fold(if build == 0 { shape.max_first_week } else { 0.0 }, f64::max);
    let phases = phases(shape, athlete, weeks.len(), build, peak);
    let building = BuildWeeks { shape, wish, athlete, weeks: &weeks, easier: &easier, volume: &volume };
    let longs = building.long_runs();
    let runs = |week: Week, km: f64, long: f64| shape.runs_for(km, long).min(available_days(wish, week));
    let mut planned: Vec<PlanWeek> = (0..build)
        .map(|i| {
            let long = longs[i];
            let km = week_capacity_km(volume[i], long, |km| runs(weeks[i], km, long));
            PlanWeek {
                week: weeks[i],
                phase: phases[i],
                cutback: easier[i],
                is_return: back[i],
                km,
                long_run_km: long,
            }
        })
        .collect();
    // Volume before a break is not a peak to taper from.
    let since = pauses.last().map_or(0, |pause| pause.week);
    let fullest = |of: fn(&PlanWeek) -> f64| planned.iter().skip(since).map(of).fold(0.0, f64::max);
    let (peak, longest) = (fullest(|week| week.km), fullest(|week| week.long_run_km));
    let peak = if since == 0 && build == 0 { shape.max_first_week } else { peak };
    let from = if longest > 0.0 { longest } else { shape.longest };
    // Without a full week since then, the first taper week is limited like a return.
    let whole = (since..build).any(|i| open(weeks[i]) >= FULL_WEEK_SHARE);
    let left = || held.max_next_week().min(shape.base) / taper.first().copied().unwrap_or(1.0);
    let peak = if since > 0 && !whole { peak.max(left()) } else { peak };
    for (i, share) in taper.iter().enumerate() {
        let last = i + 1 == taper.len();
        let week = weeks[build + i];
        let (km, back) = if pauses.is_empty() {
            (peak * share, false)
        } else {
            held.next_week(peak * share, open(week), false)
        };
        let others = runs(week, km, from).saturating_sub(1) as f64;
        // After a break long runs are short relative to their weeks: they stay as long as the other
        // runs need.
        let least =
            if pauses.is_empty() { 0.0 } else { (km / (1.0 + MAX_OTHER_RUN_SHARE * others)).min(from) };
        let long = (from * share * 0.85).max(least).min(km * 0.45);
        let long = if last { 0.0 } else { shape.floor_long(long) };
        planned.push(PlanWeek {
            week,
            phase: Phase::Taper,
            cutback: false,
            is_return: back,
            km,
            long_run_km: long,
        });
    }
    if !pauses.is_empty() {
        held.cap_weeks(
            &mut planned,
            shape,
            training_norms::long_share(shape.level).0 - ROUNDING_MARGIN,
            runs,
        );
    }
    let longest = pauses.iter().max_by_key(|pause| pause.days);
    (planned, longest.and_then(|pause| pause.note(weeks.len())))
}

/// Which build weeks are cut-back weeks: every fourth, every third for masters and novices, counted
/// back from the last, which is a full week.
fn cutback_weeks(shape: &VolumeInput, wish: &PlanRequest, weeks: &[Week]) -> Vec<bool> {
    let build = weeks.len();
    let every = if shape.is_masters || shape.level == Level::Novice { 3 } else { 4 };
    let mut easier: Vec<bool> = (0..build).map(|i| (build - i).is_multiple_of(every)).collect();
    // A plan does not start with a cut-back week; use the second instead.
    if easier.first() == Some(&true) && build > 1 {
        easier.swap(0, 1);
    }
    // A week with fewer available days than runs counts as a cut-back week.
    for (easier, week) in easier.iter_mut().zip(weeks) {
        *easier |= available_days(wish, *week) < shape.runs;
    }
    easier
}

/// Volume of each build week: up to the peak by the smallest steps that reach it in time, then
/// constant, with lighter cut-back weeks.
fn build_volume(shape: &VolumeInput, peak: f64, weeks: usize, easier: &[bool]) -> Vec<f64> {
    let start = shape.max_first_week.max(0.0);
    let until =
        weeks.saturating_sub(peak_volume::weeks_from_peak_to_race(shape.class)).clamp(1, easier.len().max(1));
    let grow = |share: f64| -> Vec<f64> {
        let (mut up, mut first) = (start, true);
        let step = |(i, easier): (usize, &bool)| {
            if *easier {
                return up * CUTBACK_SHARE;
            }
            // After the day on which the peak should be reached, growth only makes up for a late
            // start.
            if !std::mem::take(&mut first) && !shape.is_too_short_to_build && (i < until || up < peak) {
                // Returning to an old base is faster than exceeding it.
                let share = if up < shape.base * 0.95 { 1.0 } else { share };
                let most = peak_volume::next_loaded_week_km(shape, up);
                up = (up + share * (most - up)).min(peak.max(start));
            }
            up
        };
        easier.iter().enumerate().map(step).collect()
    };
    let reached = |share: f64| grow(share).into_iter().take(until).fold(0.0, f64::max) >= peak - 1e-6;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..20 {
        let middle = f64::midpoint(low, high);
        if reached(middle) { high = middle } else { low = middle }
    }
    grow(high)
}

/// A cut-back week as a share of the loaded week before it.
const CUTBACK_SHARE: f64 = 0.78;

/// Phases of the build weeks.
fn phases(
    shape: &VolumeInput,
    athlete: &TrainingBaseline,
    weeks: usize,
    build: usize,
    peak: f64,
) -> Vec<Phase> {
    let taper = weeks - build;
    let rest = (weeks - taper) as f64;
    let sharp = ((0.2 * rest).round() as usize).max(2).min(build);
    let ready = shape.base >= 0.85 * peak && athlete.has_recent_hard_run();
    let middle = if ready { build - sharp } else { ((0.4 * rest).round() as usize).min(build - sharp) };
    let base = build - sharp - middle;
    (0..build)
        .map(|i| match i {
            i if i < base => Phase::Base,
            i if i < base + middle => Phase::Build,
            _ => Phase::Peak,
        })
        .collect()
}
