//! Workouts of a week: which there are, how the distance is split, and on which days.

use super::absences::{self, ReturnPeriod};
use super::blackouts::TINY_WEEK_KM;
use super::paces::PlanPaces;
use super::quality_plan::{self, WeekPosition};
use super::repair::Repairs;
use super::volume::{Phase, PlanWeek, VolumeInput};
use super::weekdays::{self, AssignedDays, WeekDemand, WeekRunDays};
use super::workout_selection::{WorkoutNeed, WorkoutSelector, hard_amount};
use super::{PlanRequest, TuneUp, is_available, single_run_limit, strength};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::plan::library::{Effort, LibraryWorkout, ProgressionKey};
use crate::plan::training_norms;
use crate::plan::{Level, TrainingBaseline, Week, Workout, WorkoutKind};

/// All workouts of the plan except rest days.
pub(super) fn build_workouts(
    shape: &VolumeInput,
    wish: &PlanRequest,
    athlete: &TrainingBaseline,
    weeks: &[PlanWeek],
    mending: &Repairs,
) -> Vec<Workout> {
    let full = weeks.iter().rev().find(|week| week.phase != Phase::Taper && !week.cutback);
    let usual_runs = full.map_or(shape.runs, |week| shape.runs_for(week.km, week.long_run_km));
    let ways = absences::return_periods(wish, athlete);
    let maker = WorkoutBuilder {
        shape,
        wish,
        paces: PlanPaces::for_athlete(athlete, wish, shape),
        usual_runs,
        return_periods: &ways,
        repairs: mending,
    };
    let longs = weekdays::long_run_days(wish, weeks);
    let mut taken = AssignedDays {
        longs: longs.iter().flatten().copied().collect(),
        hard: vec![wish.race],
        runs: vec![wish.race],
    };
    taken.hard.extend(wish.tune_up.map(|tune_up| tune_up.on));
    let mut workouts = maker.lead_in(weeks.first(), athlete);
    let mut state = SelectionState::new(shape, weeks, athlete, wish);
    for (number, (week, long)) in weeks.iter().zip(longs).enumerate() {
        workouts.extend(maker.week_workouts(number, week, long, &mut state, &mut taken));
    }
    if let Some(TuneUp { on, distance }) = wish.tune_up {
        workouts.push(maker.race_workout(on, distance, "Tune-up race"));
    }
    workouts.push(maker.race_workout(wish.race, shape.race, "Race day"));
    let whole: Vec<(Week, Phase)> = weeks.iter().map(|week| (week.week, week.phase)).collect();
    strength::add(wish, &whole, |minutes, effort| maker.paces.load(minutes, effort), &mut workouts);
    absences::ease_workouts(&maker, &ways, &mut workouts);
    mending.apply_to_runs(&maker, &mut workouts);
    single_run_limit::cap_runs(&maker, athlete, &mut workouts);
    single_run_limit::cap_taper(&maker, weeks, &mut workouts);
    workouts
}

pub(super) struct WorkoutBuilder<'a> {
    pub(super) shape: &'a VolumeInput,
    pub(super) wish: &'a PlanRequest,
    pub(super) paces: PlanPaces,
    /// Runs in the last full week before the taper; the taper keeps them.
    pub(super) usual_runs: usize,
    /// Return periods after absences.
    pub(super) return_periods: &'a [ReturnPeriod],
    /// Adjustments from earlier attempts.
    pub(super) repairs: &'a Repairs,
}

impl WorkoutBuilder<'_> {
    /// The days before the first full week: easy, in proportion, and within what recent runs allow.
    fn lead_in(&self, first: Option<&PlanWeek>, athlete: &TrainingBaseline) -> Vec<Workout> {
        let shape = self.shape;
        let until = first.map_or(self.wish.race, |week| week.week.first);
        let week = Week::ending(until.previous());
        let open: Vec<Day> = week
            .days()
            .filter(|day| {
                *day >= self.wish.start && is_available(self.wish, *day) && Some(*day) != self.tune_up_day()
            })
            .collect();
        let usual = self.wish.availability.days.len().max(1) as f64;
        let runs = ((shape.runs * open.len()) as f64 / usual).round() as usize;
        // After a break or an illness the first week is lighter, and these days are no fuller.
        let rate = first.map_or(f64::INFINITY, |week| week.km).min(shape.base * self.usual_share());
        let most = self.allowed_km(week, athlete).min(rate * runs as f64 / shape.runs.max(1) as f64);
        let most = most * self.repairs.week_share(self.wish.start);
        let runs = runs.min((most / shape.min_small_week_run_km() + 1e-9) as usize);
        let each = shape.floor(most / runs.max(1) as f64);
        let longest = if shape.longest > 0.0 { shape.longest } else { training_norms::SHORT_RUN_KM };
        let each =
            each.min(shape.floor(longest.min(self.longest_useful()))).max(shape.min_small_week_run_km());
        let slots =
            self.week_slots(&open, None, WeekDemand { runs, hard: 0 }, &AssignedDays::default(), |_| true);
        slots
            .easy
            .iter()
            .map(|day| {
                let near = day.days_until(self.wish.race) <= 3;
                self.easy_run(*day, if near { each.min(self.final_days_km()) } else { each }, None)
            })
            .collect()
    }

    /// Share of a usual week for the days before the first full week.
    fn usual_share(&self) -> f64 {
        if self.shape.days_without_run >= training_norms::BREAK_DAYS {
            AFTER_BREAK_SHARE
        } else {
            FIRST_DAYS_SHARE
        }
    }

    /// Kilometres that R2 allows from the plan's first day to the end of that week.
    fn allowed_km(&self, week: Week, athlete: &TrainingBaseline) -> f64 {
        let before = (1..=4).filter_map(|back| athlete.week(week.plus(-back))).map(Distance::km);
        let Some(fullest) = before.reduce(f64::max).filter(|_| athlete.has_recorded_base()) else {
            return f64::INFINITY;
        };
        if fullest <= 0.0 {
            return training_norms::FIRST_WEEK_FROM_ZERO;
        }
        let (by, below) = training_norms::SMALL_WEEK_INCREASE_KM;
        let most =
            (fullest * MAX_FIRST_DAYS_INCREASE).max((fullest + by).min(below) - self.shape.rounding_step);
        (most - athlete.distance_between(week.first, self.wish.start.previous()).km()).max(0.0)
    }

    /// Longest run in the last three days: well below an hour. Kilometres.
    fn final_days_km(&self) -> f64 {
        self.shape.floor(self.paces.easy.map_or(6.0, |easy| 50.0 * 60.0 / easy)).max(self.shape.min_run_km())
    }

    /// Longest run that the race requires, in kilometres.
    fn longest_useful(&self) -> f64 {
        training_norms::max_longest_run(self.shape.level, self.shape.race)
    }

    fn tune_up_day(&self) -> Option<Day> {
        self.wish.tune_up.map(|tune_up| tune_up.on)
    }

    fn week_slots(
        &self,
        open: &[Day],
        long: Option<Day>,
        want: WeekDemand,
        taken: &AssignedDays,
        barred: impl Fn(Day) -> bool,
    ) -> WeekRunDays {
        weekdays::assign_days(self.shape, self.wish, open, long, want, taken, barred)
    }

    fn week_workouts(
        &self,
        number: usize,
        plan: &PlanWeek,
        long: Option<Day>,
        state: &mut SelectionState,
        taken: &mut AssignedDays,
    ) -> Vec<Workout> {
        let (shape, wish) = (self.shape, self.wish);
        let race_week = number + 1 == state.weeks;
        let mut open: Vec<Day> = (plan.week.days())
            .filter(|day| is_available(wish, *day) && *day != wish.race && Some(*day) != self.tune_up_day())
            .collect();
        // Novices rest on the day before the race, if enough other days are left to keep the
        // taper's number of runs (the race counts as one).
        let enough = open.len() as f64 >= training_norms::MIN_TAPER_RUN_SHARE * self.usual_runs as f64;
        if race_week && shape.level == Level::Novice && open.len() > 2 && enough {
            open.retain(|day| *day != wish.race.previous());
        }
        let usual = self.usual_runs;
        let tune_up = wish.tune_up.filter(|tune_up| plan.week.contains(tune_up.on));
        let runs = match (race_week, tune_up) {
            // A partial race week keeps one day off.
            (true, _) if plan.week.first < wish.start => usual.min(open.len().saturating_sub(1)),
            // The race counts as a training day.
            (true, _) => usual.max(3).min(6 - training_norms::min_rest_days(shape.level)),
            (false, Some(_)) => usual - 1,
            // One more run if the usual number cannot hold the volume: long runs are short during a
            // return.
            (false, None)
                if plan.phase == Phase::Taper
                    && plan.km <= plan.long_run_km * (1.0 + 0.9 * (usual as f64 - 1.0)) =>
            {
                usual
            }
            (false, None) if plan.phase == Phase::Taper => {
                usual.max(shape.runs_for(plan.km, plan.long_run_km))
            }
            (false, None) => {
                let wanted = shape.runs_for(plan.km, plan.long_run_km);
                let usual = if plan.cutback { wanted } else { wanted.max(state.runs) };
                usual.min(shape.runs + 1 + number / WEEKS_PER_NEW_RUN)
            }
        };
        if !plan.cutback && !plan.is_return {
            state.runs = state.runs.max(runs);
        }
        // During a return, or with a tiny usual week, plan fewer runs rather than tiny ones.
        let (one, rest) = if long.is_some() { (1, plan.km - plan.long_run_km) } else { (0, plan.km) };
        let fit = (one + (rest / shape.min_small_week_run_km() + 1e-9) as usize).max(1);
        let runs = if plan.is_return || shape.base < TINY_WEEK_KM { runs.min(fit) } else { runs };
        let careful = |day: Day| self.return_periods.iter().any(|way| way.contains(day));
        let position = state.position(shape, plan, number);
        let variant = self.long_run_variant(&position, state).filter(|_| !long.is_some_and(careful));
        let long_is_hard = variant.is_some_and(|library| self.is_hard_long_run(library, plan.long_run_km));
        let quality_days = position.quality_days(long_is_hard, tune_up.is_some());
        taken.hard.extend(long.filter(|_| long_is_hard));
        let last_hard = wish.race.plus_days(-4);
        let slots = self.week_slots(&open, long, WeekDemand { runs, hard: quality_days }, taken, |day| {
            day > last_hard || careful(day) || self.repairs.is_easy_day(day)
        });
        taken.hard.extend(&slots.hard);
        taken.runs.extend(slots.long.iter().chain(&slots.hard).chain(&slots.easy));

        let raced = tune_up.map_or(0.0, |tune_up| tune_up.distance.km());
        let long_km = if slots.long.is_some() { plan.long_run_km } else { 0.0 };
        let others = (slots.hard.len() + slots.easy.len()).max(1) as f64;
        let left = plan.km - long_km - raced;
        let least = (shape.floor(left / others)).clamp(shape.min_small_week_run_km(), shape.min_run_km());
        let even = (left.max(0.0) / others).max(least);
        let longest_other =
            if long_km > 0.0 { long_km * 0.9 } else { shape.longest.max(shape.rounding_step * 6.0) * 0.8 };
        let longest_other = longest_other.min(self.longest_useful());
        let mut made = Vec::new();
        let mut left = left;
        let mut minutes = position.hard_share() * plan.km * shape.assumed_pace() / 60.0;
        if let Some(library) = variant.filter(|_| long_is_hard) {
            minutes = (minutes - hard_amount(library, &self.paces).1).max(minutes * HARD_LONG_RUN_WEEK_SHARE);
        }
        for (index, day) in slots.hard.iter().enumerate() {
            let share = if slots.hard.len() == 1 { 1.0 } else { [0.55, 0.45][index.min(1)] };
            let need = self.need(&position, minutes * share);
            let keys = position.quality_keys(index, slots.hard.len());
            let length = even.min(longest_other);
            let session = match state.selector.choose(&keys, &need, &self.paces) {
                Some(library) => self.quality_workout(*day, library, length),
                None => self.easy_run(*day, shape.round(length), state.strides(&need)),
            };
            if session.kind == WorkoutKind::Intervals && position.has_test() && index == 0 {
                state.last_test = Some(number);
            }
            left -= session.distance.map_or(even, Distance::km);
            made.push(session);
        }
        if tune_up.is_some() {
            state.last_test = Some(number);
        }
        if !plan.cutback {
            state.advance(plan.phase);
        }
        let need = self.need(&position, 0.0);
        let room = left - slots.easy.len() as f64 * MIN_EASY_RUN_SECONDS / shape.assumed_pace();
        let medium = self.medium_long_day(plan, &slots).filter(|_| room >= MIN_MEDIUM_LONG_EXTRA_KM);
        let medium = medium.and_then(|day| Some((day, state.medium_long(&need)?)));
        if let Some((day, library)) = medium {
            let others = (slots.easy.len() - 1) as f64 * MIN_EASY_RUN_SECONDS / shape.assumed_pace();
            let km = shape.round(self.medium_long_km(long_km).min(left - others));
            left -= km;
            made.push(self.medium_long_run(day, km, library));
        }
        let easy: Vec<Day> =
            slots.easy.iter().copied().filter(|day| medium.is_none_or(|(taken, _)| taken != *day)).collect();
        let strides = self.strides_day(plan, &slots, &easy, slots.hard.len());
        let shares = self.split_km(left, &easy, &slots, (least, longest_other));
        for (day, km) in easy.into_iter().zip(shares) {
            let km = if day.days_until(wish.race) <= 3 { km.min(self.final_days_km()) } else { km };
            let extra = if Some(day) == strides { state.easy_run_end(&position, &need) } else { None };
            made.push(self.easy_run(day, km, extra));
        }
        made.extend(slots.long.map(|day| self.long_run(day, long_km, variant)));
        made.extend(self.cross_training(&slots, plan, &open));
        made
    }

    fn need(&self, position: &WeekPosition<'_>, minutes: f64) -> WorkoutNeed {
        let (shape, plan) = (self.shape, position.plan);
        WorkoutNeed {
            phase: position.library_phase(),
            class: shape.class,
            level: shape.level,
            minutes,
            week_km: plan.km,
            lighter: plan.cutback,
        }
    }

    /// The library workout of the week's long run; `None` for a plain one.
    fn long_run_variant(
        &self,
        position: &WeekPosition<'_>,
        state: &mut SelectionState,
    ) -> Option<&'static LibraryWorkout> {
        let plan = position.plan;
        let at_race_pace = state.race_pace_weeks.contains(&position.number);
        let is_longest = plan.long_run_km >= 0.9 * state.longest_run_km;
        let key = position.long_run_key(at_race_pace, is_longest)?;
        let most = match key {
            ProgressionKey::LongFull => 0.55,
            ProgressionKey::LongHalf => 0.45,
            _ => 0.30,
        } * plan.long_run_km;
        let (_, longest_block) = training_norms::marathon_pace_km(self.shape.level).1;
        let fits = |library: &LibraryWorkout| {
            let work: Vec<_> =
                library.steps.iter().filter(|step| step.effort != Effort::Easy).copied().collect();
            let (km, _) = self.amount(&work);
            let block = work.iter().map(|step| self.amount(&[*step]).0).fold(0.0, f64::max);
            km <= most && block <= longest_block
        };
        state.selector.choose_next(key, &self.need(position, 0.0), fits)
    }

    /// Whether a long run counts as a quality workout (R11).
    fn is_hard_long_run(&self, library: &LibraryWorkout, km: f64) -> bool {
        hard_amount(library, &self.paces).0 >= HARD_LONG_RUN_SHARE * km
    }

    /// The easy day for a second longer run in a big week: the one farthest from the long run.
    fn medium_long_day(&self, plan: &PlanWeek, slots: &WeekRunDays) -> Option<Day> {
        let shape = self.shape;
        let runs = slots.easy.len() + slots.hard.len() + 1;
        let wanted = plan.km >= MEDIUM_LONG_WEEK_KM
            && runs >= 5
            && !plan.cutback
            && !plan.is_return
            && plan.phase != Phase::Taper
            && shape.level > Level::Novice;
        let long = slots.long.filter(|_| wanted)?;
        let apart = |day: &Day| slots.hard.iter().all(|hard| hard.days_until(*day).abs() >= 1);
        slots
            .easy
            .iter()
            .copied()
            .filter(|day| long.days_until(*day).abs() >= 2 && apart(day))
            .max_by_key(|day| long.days_until(*day).abs().min(4))
    }

    /// Longer than an easy run, and short enough not to be a second long run (R40).
    fn medium_long_km(&self, long_km: f64) -> f64 {
        (MEDIUM_LONG_SHARE * long_km).min(MEDIUM_LONG_SECONDS / self.shape.assumed_pace())
    }

    /// Splits the remaining volume into easy runs in whole rounding steps, each between the bounds:
    /// shorter ones on the days after hard and long runs.
    fn split_km(&self, km: f64, days: &[Day], slots: &WeekRunDays, (least, most): (f64, f64)) -> Vec<f64> {
        let demanding = |day: Day| slots.hard.contains(&day) || slots.long == Some(day);
        let weight = |day: &Day| {
            let after = demanding(day.previous());
            let before = slots.long == Some(day.next());
            if after || before { RECOVERY_RUN_SHARE } else { 1.0 }
        };
        let sum: f64 = days.iter().map(weight).sum();
        let most = self.shape.floor(most);
        let mut left = km;
        let mut shares: Vec<f64> = days
            .iter()
            .map(|day| {
                let share = self.shape.floor(km * weight(day) / sum).min(most).max(least);
                left -= share;
                share
            })
            .collect();
        // What rounding left over goes to the longest runs first.
        let step = self.shape.rounding_step;
        let mut order: Vec<usize> = (0..days.len()).collect();
        order.sort_by(|a, b| weight(&days[*b]).total_cmp(&weight(&days[*a])));
        for run in order.into_iter().cycle().take(days.len() * 4) {
            if left >= step - 1e-9 && shares[run] + step <= most + 1e-9 {
                shares[run] += step;
                left -= step;
            }
        }
        shares
    }

    /// The easy run that ends with strides, if the week has room for more intensity.
    fn strides_day(&self, plan: &PlanWeek, slots: &WeekRunDays, easy: &[Day], hard: usize) -> Option<Day> {
        let wanted = !self.shape.injured
            && !plan.is_return
            && !plan.cutback
            && (hard < 2 || plan.phase == Phase::Base);
        let far =
            |day: &Day| slots.long.iter().chain(&slots.hard).map(|other| other.days_until(*day).abs()).min();
        easy.iter()
            .copied()
            .filter(|day| day.days_until(self.wish.race) >= 2 && wanted)
            .filter(|day| !self.return_periods.iter().any(|way| way.contains(*day)))
            .max_by_key(|day| (far(day), *day))
    }

    /// Cross-training, if requested and if enough rest days are left.
    fn cross_training(&self, slots: &WeekRunDays, plan: &PlanWeek, open: &[Day]) -> Option<Workout> {
        let sport = self.wish.cross.filter(|_| plan.phase != Phase::Taper)?;
        let runs = usize::from(slots.long.is_some()) + slots.hard.len() + slots.easy.len();
        let off = match self.shape.level {
            Level::Novice => 2,
            Level::Intermediate | Level::Advanced => 1,
        };
        let used =
            |day: &Day| slots.long == Some(*day) || slots.hard.contains(day) || slots.easy.contains(day);
        let day = open.iter().find(|day| !used(day)).filter(|_| 7 - runs > off)?;
        Some(Workout {
            sport,
            kind: WorkoutKind::CrossTraining,
            name: "Easy cross-training".to_owned(),
            duration: Some(TimeSpan::from_mins(CROSS_MINUTES)),
            load: self.paces.load(CROSS_MINUTES as f64, CROSS_LOAD_FACTOR),
            intensity: Some("Easy: you can talk in whole sentences".to_owned()),
            ..Workout::rest(*day)
        })
    }
}

/// What was chosen in the weeks so far.
struct SelectionState {
    selector: WorkoutSelector,
    weeks: usize,
    /// Weeks whose long run has race pace.
    race_pace_weeks: Vec<usize>,
    longest_run_km: f64,
    /// Weeks of each phase so far that were not cut back.
    turns: [usize; 4],
    last_test: Option<usize>,
    /// Runs of the fullest week so far.
    runs: usize,
    is_new_to_quality: bool,
    prefers_hill_sprints: bool,
}

impl SelectionState {
    fn new(shape: &VolumeInput, weeks: &[PlanWeek], athlete: &TrainingBaseline, wish: &PlanRequest) -> Self {
        Self {
            selector: WorkoutSelector::default(),
            weeks: weeks.len(),
            race_pace_weeks: quality_plan::race_pace_long_run_weeks(shape, weeks),
            longest_run_km: weeks.iter().map(|week| week.long_run_km).fold(0.0, f64::max),
            turns: [0; 4],
            last_test: None,
            runs: shape.runs,
            is_new_to_quality: !athlete.has_hard_run_since(wish.start.plus_days(-QUALITY_WINDOW_DAYS)),
            prefers_hill_sprints: false,
        }
    }

    fn position<'a>(&self, shape: &'a VolumeInput, plan: &'a PlanWeek, number: usize) -> WeekPosition<'a> {
        WeekPosition {
            shape,
            plan,
            number,
            to_race: self.weeks - 1 - number,
            turn: self.turns[plan.phase as usize],
            is_new_to_quality: self.is_new_to_quality,
            weeks_since_test: self.last_test.map_or(number + 1, |last| number - last),
        }
    }

    fn advance(&mut self, phase: Phase) {
        self.turns[phase as usize] += 1;
    }

    fn strides(&mut self, need: &WorkoutNeed) -> Option<&'static LibraryWorkout> {
        self.selector.choose_next(ProgressionKey::Strides, need, |_| true)
    }

    fn medium_long(&mut self, need: &WorkoutNeed) -> Option<&'static LibraryWorkout> {
        self.selector.choose_next(ProgressionKey::MediumLong, need, |_| true)
    }

    /// Strides, and hill sprints in turn with them early in a plan.
    fn easy_run_end(
        &mut self,
        position: &WeekPosition<'_>,
        need: &WorkoutNeed,
    ) -> Option<&'static LibraryWorkout> {
        let early = position.plan.phase == Phase::Base && position.shape.level > Level::Novice;
        self.prefers_hill_sprints = early && !self.prefers_hill_sprints;
        let sprints = self.prefers_hill_sprints && position.number >= 1;
        let sprints =
            sprints.then(|| self.selector.choose_next(ProgressionKey::HillSprints, need, |_| true)).flatten();
        sprints.or_else(|| self.strides(need))
    }
}

/// Days before a plan in which a hard run counts as recent quality.
const QUALITY_WINDOW_DAYS: i64 = 56;
/// Share of a long run at race pace from which it is a quality workout (R11), with a margin.
const HARD_LONG_RUN_SHARE: f64 = 0.27;
/// Least share of a week's hard minutes besides a hard long run.
const HARD_LONG_RUN_WEEK_SHARE: f64 = 0.4;
/// Weekly distance from which there is a medium-long run, and its length.
const MEDIUM_LONG_WEEK_KM: f64 = 55.0;
const MEDIUM_LONG_SHARE: f64 = 0.7;
/// A week has a medium-long run only if it can be this much longer than the easy runs, in
/// kilometres, and those still have this duration.
const MIN_MEDIUM_LONG_EXTRA_KM: f64 = 4.0;
const MIN_EASY_RUN_SECONDS: f64 = 38.0 * 60.0;
/// The number of runs grows by one in this many weeks.
const WEEKS_PER_NEW_RUN: usize = 4;
const MEDIUM_LONG_SECONDS: f64 = 88.0 * 60.0;
/// Easy runs after a hard or long run, as a share of other easy runs.
const RECOVERY_RUN_SHARE: f64 = 0.8;

/// Share of a usual week for the days before the first full week, normally and after a week or more
/// without a run.
const FIRST_DAYS_SHARE: f64 = 0.9;
const AFTER_BREAK_SHARE: f64 = 0.5;
/// Largest ratio of those days, with the runs just before them, to the biggest recent week.
const MAX_FIRST_DAYS_INCREASE: f64 = 1.05;

/// Minutes of cross-training, and its load as a share of easy running (it is not weight-bearing).
const CROSS_MINUTES: i64 = 40;
const CROSS_LOAD_FACTOR: f64 = 0.8;
