//! The training of each day: two half marathons a year, counted back from the last day.
//!
//! A day depends on the seed and on its distance from the last day, not on where the export starts,
//! so a longer export ends like a shorter one.

use super::physiology::Body;
use super::plan_follower::{self, FollowedWorkout};
use super::rng::Rng;
use super::workout_steps;
use chrono::{DateTime, Datelike, NaiveTime, TimeDelta, TimeZone, Utc, Weekday};
use chrono_tz::Tz;
use fitness_core::domain::calendar::{Day, Instant, utc_offset_seconds};

/// Weeks from one half marathon to the next.
const WEEKS_PER_CYCLE: i64 = 26;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ActivityKind {
    Run,
    Track,
    Hills,
    Trail,
    Treadmill,
    Race,
    Ride,
    Trainer,
    Swim,
    Strength,
    Walk,
    Hike,
}

impl ActivityKind {
    pub(super) const fn is_run(self) -> bool {
        matches!(self, Self::Run | Self::Track | Self::Hills | Self::Trail | Self::Treadmill | Self::Race)
    }

    pub(super) const fn is_ride(self) -> bool {
        matches!(self, Self::Ride | Self::Trainer)
    }

    /// Without GPS and altitude.
    pub(super) const fn is_indoors(self) -> bool {
        matches!(self, Self::Treadmill | Self::Trainer | Self::Swim | Self::Strength)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepPurpose {
    Steady,
    Warmup,
    Interval,
    Recovery,
    Rest,
    Cooldown,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Amount {
    Meters(f64),
    Seconds(f64),
}

/// Effort is a fraction of VO2max and may change linearly over the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DemoStep {
    pub(super) purpose: StepPurpose,
    pub(super) amount: Amount,
    pub(super) effort_from: f64,
    pub(super) effort_to: f64,
}

#[derive(Debug, Clone)]
pub(super) struct DemoActivity {
    pub(super) day: Day,
    pub(super) kind: ActivityKind,
    pub(super) name: String,
    pub(super) steps: Vec<DemoStep>,
    pub(super) started_at: Instant,
    pub(super) offset_s: i32,
    /// Whether the athlete was travelling.
    pub(super) is_away: bool,
    /// For random events during the activity.
    pub(super) rng: Rng,
}

/// Training phase of a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Base,
    Build,
    TuneUp,
    Taper,
    RaceWeek,
    Recovery,
    Off,
    Ill,
    Return,
}

/// The training of any day.
#[derive(Debug, Clone, Copy)]
pub(super) struct Season<'a> {
    pub(super) seed: u64,
    /// The day of the export.
    pub(super) last_day: Day,
    /// A day in the week that seasons are counted back from.
    pub(super) season_anchor: Day,
    pub(super) zone: Tz,
    /// Workouts of a plan, which replace the season from their first day on.
    pub(super) followed: &'a [FollowedWorkout],
}

impl Season<'_> {
    /// Activities of a day, in order. None on the last day, because the export was made at noon.
    pub(super) fn activities_on(&self, day: Day) -> Vec<DemoActivity> {
        let mut dice = self.rng("plan", day);
        let week = self.week(day);
        if day < self.last_day && self.is_planned(day) {
            let told = self.followed.iter().filter(|told| told.workout.date == day);
            let done = told.filter_map(plan_follower::follow_workout).collect::<Vec<_>>();
            return done
                .into_iter()
                .map(|(kind, name, steps)| self.activity(day, kind, name, steps, &mut dice))
                .collect();
        }
        let (phase, progress) = (self.phase(week), self.progress(week));
        let flying = self.is_travel_week(week) && matches!(day.weekday(), Weekday::Mon | Weekday::Sat);
        if day >= self.last_day || phase == Phase::Ill || flying {
            return Vec::new();
        }
        let light = matches!(phase, Phase::Base | Phase::Build) && week % 4 == 2;
        // Lower volume in the early years.
        let early = 1.0 - (-0.11 * cycle_position(week).0 as f64).exp();
        let volume = (0.78 + 0.27 * progress) * (1.0 - 0.45 * early) * if light { 0.75 } else { 1.0 };
        let missed = dice.happens(0.06 + 0.16 * early);
        let mut done = Vec::new();
        let planned = self.plan_day(day, phase, volume, &mut dice);
        if let Some((kind, name, steps)) = planned.filter(|(kind, ..)| *kind == ActivityKind::Race || !missed)
        {
            done.push(self.activity(day, kind, name, steps, &mut dice));
        }
        if done.is_empty() && phase != Phase::Return && dice.happens(0.09) {
            let steps = workout_steps::walk(&mut dice);
            done.push(self.activity(day, ActivityKind::Walk, "Lunch walk".to_owned(), steps, &mut dice));
        }
        done
    }

    /// Whether a plan defines the day; then there is no illness and no travel.
    fn is_planned(&self, day: Day) -> bool {
        self.followed.first().is_some_and(|first| day >= first.workout.date)
    }

    fn plan_day(
        &self,
        day: Day,
        phase: Phase,
        volume: f64,
        dice: &mut Rng,
    ) -> Option<(ActivityKind, String, Vec<DemoStep>)> {
        use Weekday::{Fri, Mon, Sat, Sun, Thu, Tue, Wed};
        let week = self.week(day);
        let odd = week % 2 == 1;
        let cold = (day.date().month() + 1) % 12 <= 3;
        let away = self.is_away(day);
        Some(match (phase, day.weekday()) {
            (Phase::RaceWeek, Sun) => workout_steps::race("Tannwald Half Marathon", 21_180.0, 0.850),
            (Phase::TuneUp, Sun) => workout_steps::race("Brückenlauf 10 km", 10_040.0, 0.905),
            (Phase::RaceWeek, Fri) | (Phase::Taper, Mon) | (Phase::TuneUp | Phase::Taper, Fri) => {
                return None;
            }
            (Phase::RaceWeek, Sat) | (Phase::TuneUp, Sat) => workout_steps::strides(5.0, 4),
            (Phase::RaceWeek | Phase::Taper, Wed) => workout_steps::easy(dice, 5.5),
            (Phase::RaceWeek | Phase::Taper, Thu) => workout_steps::tempo(10.0),
            (Phase::RaceWeek, Mon) => return None,
            (Phase::RaceWeek, Tue) => workout_steps::strides(6.0, 6),
            (Phase::Recovery, Wed) => (ActivityKind::Walk, "Easy walk".to_owned(), workout_steps::walk(dice)),
            (Phase::Recovery, Fri) => workout_steps::swim(10),
            (Phase::Recovery | Phase::Return, Sun) => workout_steps::easy(dice, 6.0),
            (Phase::Return, Wed) => {
                (ActivityKind::Walk, "First walk again".to_owned(), workout_steps::walk(dice))
            }
            (Phase::Return, Fri) => workout_steps::easy(dice, 4.5),
            (Phase::Recovery | Phase::Return, _) => return None,
            (Phase::Off, Tue) => workout_steps::strength(dice),
            (Phase::Off, Thu) => workout_steps::swim(12),
            (Phase::Off, Sat) if odd => workout_steps::hike(dice),
            (Phase::Off, Sat) => workout_steps::ride(dice, 32.0),
            (Phase::Off, Sun) => workout_steps::easy(dice, 7.0),
            (Phase::Off, _) => return None,
            (_, Mon) => workout_steps::strength(dice),
            (Phase::Base, Tue) if odd => workout_steps::hills(volume),
            (Phase::Base, Tue) => workout_steps::strides(7.5 * volume, 6),
            (_, Tue) if week % 3 == 0 && !away => workout_steps::hills(volume),
            (_, Tue) if away => workout_steps::strides(7.0, 6),
            (_, Tue) => workout_steps::intervals(dice, volume),
            (Phase::Base, Wed) => workout_steps::swim(12),
            (_, Wed) if cold || dice.happens(0.2) => workout_steps::treadmill(volume),
            (_, Wed) => workout_steps::easy(dice, 7.0 * volume),
            (Phase::Base, Thu) if odd => workout_steps::easy(dice, 7.5 * volume),
            (_, Thu) => workout_steps::tempo(22.0 * volume),
            (_, Fri) if !odd && dice.happens(0.5) => return None,
            (Phase::Base, Fri) => workout_steps::trainer(volume),
            (_, Fri) => workout_steps::swim(14),
            (_, Sat) if week % 3 == 1 => workout_steps::trail(7.0 * volume),
            (_, Sat) if week % 3 == 2 && !cold => workout_steps::ride(dice, 34.0 * volume),
            (_, Sat) if week % 3 == 2 => workout_steps::trainer(volume),
            (_, Sat) => workout_steps::easy(dice, 6.5 * volume),
            (Phase::Base, Sun) => workout_steps::long(13.5 * volume, false),
            (_, Sun) => workout_steps::long(16.0 * volume, odd),
        })
    }

    fn activity(
        &self,
        day: Day,
        kind: ActivityKind,
        name: String,
        steps: Vec<DemoStep>,
        dice: &mut Rng,
    ) -> DemoActivity {
        let weekend = matches!(day.weekday(), Weekday::Sat | Weekday::Sun);
        let (minute, spread) = match kind {
            ActivityKind::Race => (10 * 60, 2.0),
            ActivityKind::Walk => (12 * 60 + 20, 15.0),
            ActivityKind::Strength
            | ActivityKind::Treadmill
            | ActivityKind::Trainer
            | ActivityKind::Swim
            | ActivityKind::Track => (18 * 60 + 20, 30.0),
            _ if weekend => (8 * 60 + 50, 35.0),
            _ if dice.happens(0.6) => (6 * 60 + 25, 12.0),
            _ => (17 * 60 + 50, 30.0),
        };
        let minute = f64::from(minute) + dice.normal() * spread;
        let begins = self.local_instant(day, (minute * 60.0) as i64);
        let offset_s = utc_offset_seconds(self.zone_on(day), begins);
        let dice = self.rng("way", day);
        DemoActivity {
            day,
            kind,
            name,
            steps,
            started_at: begins,
            offset_s,
            is_away: self.is_away(day),
            rng: dice,
        }
    }

    /// Local midnight plus `seconds` of clock time.
    pub(super) fn local_instant(&self, day: Day, seconds: i64) -> Instant {
        let zone = self.zone_on(day);
        let local = day.date().and_time(NaiveTime::MIN) + TimeDelta::seconds(seconds);
        // Times skipped by a clock change move forward.
        let at = zone.from_local_datetime(&local).earliest();
        let at = at.or_else(|| zone.from_local_datetime(&(local + TimeDelta::hours(1))).earliest());
        at.map_or_else(|| Utc.from_utc_datetime(&local), |at: DateTime<Tz>| at.with_timezone(&Utc))
    }

    /// Local time zone, also while travelling.
    pub(super) fn zone_on(&self, day: Day) -> Tz {
        let at = day.end(Tz::UTC);
        match self.is_away(day) {
            true if utc_offset_seconds(self.zone, at) == utc_offset_seconds(Tz::America__New_York, at) => {
                Tz::Asia__Tokyo
            }
            true => Tz::America__New_York,
            false => self.zone,
        }
    }

    /// Whether the athlete is travelling: from Monday to Saturday.
    pub(super) fn is_away(&self, day: Day) -> bool {
        use Weekday::{Fri, Thu, Tue, Wed};
        !self.is_planned(day)
            && self.is_travel_week(self.week(day))
            && matches!(day.weekday(), Tue | Wed | Thu | Fri)
    }

    /// Whether the time zone changed since yesterday.
    pub(super) fn is_jet_lagged(&self, day: Day) -> bool {
        !self.is_planned(day)
            && self.is_travel_week(self.week(day))
            && matches!(day.weekday(), Weekday::Tue | Weekday::Sun)
    }

    fn is_travel_week(&self, week: i64) -> bool {
        let (cycle, week) = cycle_position(week);
        let mut dice = Rng::new(self.seed, "travel", cycle);
        if cycle == 0 { week == 11 } else { dice.happens(0.6) && week == 9 + dice.below(5) }
    }

    /// Severity of illness, 0 to 1.
    pub(super) fn illness(&self, day: Day) -> f64 {
        let weekday = day.weekday().num_days_from_monday() as usize;
        match self.phase(self.week(day)) {
            _ if self.is_planned(day) => 0.0,
            Phase::Ill => [0.5, 1.0, 1.0, 0.9, 0.7, 0.55, 0.4][weekday],
            Phase::Return => [0.3, 0.2, 0.15, 0.1, 0.0, 0.0, 0.0][weekday],
            _ => 0.0,
        }
    }

    pub(super) fn is_race(&self, day: Day) -> bool {
        let phase = self.phase(self.week(day));
        !self.is_planned(day)
            && day.weekday() == Weekday::Sun
            && matches!(phase, Phase::RaceWeek | Phase::TuneUp)
    }

    /// Approximate TRIMP of a day.
    pub(super) fn load(&self, day: Day) -> f64 {
        let body = Body::on_day(self, day);
        self.activities_on(day).iter().map(|outing| workout_steps::load(outing, &body)).sum()
    }

    /// VDOT (Daniels and Gilbert): rises towards each race, falls after it, and grows every year.
    pub(super) fn fitness(&self, day: Day) -> f64 {
        const CURVE: [(f64, f64); 9] = [
            (0.0, -0.55),
            (1.5, -0.7),
            (4.0, 0.0),
            (8.0, -0.5),
            (15.0, -1.9),
            (17.0, -1.6),
            (22.0, -2.5),
            (23.0, -2.4),
            (26.0, -0.55),
        ];
        let ago = day.days_until(self.season_anchor.iso_week().monday().plus_days(6)) as f64 / 7.0;
        let within = ago.rem_euclid(WEEKS_PER_CYCLE as f64);
        let season = CURVE.windows(2).find(|pair| within <= pair[1].0).map_or(0.0, |pair| {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            y0 + (y1 - y0) * (within - x0) / (x1 - x0)
        });
        let talent = Rng::new(self.seed, "talent", 0).between(44.5, 46.5);
        talent + season - 5.0 * (1.0 - (-0.11 * ago.max(0.0) / WEEKS_PER_CYCLE as f64).exp())
    }

    pub(super) fn rng(&self, purpose: &str, day: Day) -> Rng {
        Rng::new(self.seed, purpose, i64::from(day.date().num_days_from_ce()))
    }

    /// Weeks before the last week.
    fn week(&self, day: Day) -> i64 {
        day.iso_week().monday().days_until(self.season_anchor.iso_week().monday()) / 7
    }

    fn phase(&self, week: i64) -> Phase {
        let ill = |week: i64| {
            let (cycle, week) = cycle_position(week);
            let mut dice = Rng::new(self.seed, "illness", cycle);
            if cycle == 0 { week == 16 } else { dice.happens(0.5) && week == 14 + dice.below(7) }
        };
        match cycle_position(week).1 {
            _ if ill(week) => Phase::Ill,
            _ if ill(week + 1) => Phase::Return,
            3 => Phase::Recovery,
            4 => Phase::RaceWeek,
            5 => Phase::Taper,
            8 => Phase::TuneUp,
            6..=14 => Phase::Build,
            23..=25 => Phase::Off,
            _ => Phase::Base,
        }
    }

    /// Progress of the build-up: 0 in the off-season, 1 before the taper.
    fn progress(&self, week: i64) -> f64 {
        ((23 - cycle_position(week).1) as f64 / 16.0).clamp(0.0, 1.0)
    }
}

/// The cycle of a week, and the weeks until its end.
const fn cycle_position(week: i64) -> (i64, i64) {
    (week.div_euclid(WEEKS_PER_CYCLE), week.rem_euclid(WEEKS_PER_CYCLE))
}
