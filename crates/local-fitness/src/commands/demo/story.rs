//! What has happened to the demo athlete by the time somebody looks: a half marathon committed to five weeks ago and
//! followed more or less, something to decide, and a morning.
//!
//! Everything goes the way of any athlete's data: files are imported, the plan is generated, drafted and committed, the
//! coach is talked to. Only the human is made up, and the record says so: `demo` is where they were.

use crate::commands::{brief, recompute_stale};
use crate::error::CliError;
use anyhow::{Context as _, Result};
use chrono::TimeDelta;
use fitness_coach::agent_loop::Caps;
use fitness_coach::rule_based::BuiltIn;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant, Weekday};
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::predict::{EffortKind, official_distance};
use fitness_core::plan::{
    ActionKind, Availability, Goal, PlanRequest, PlannedWorkout, SelfReported, Weekdays, Workout,
    WorkoutKind, generate,
};
use fitness_demo::{DemoAthlete, FollowedWorkout};
use fitness_store::plan::consent::{Channel, ConfirmationRequest};
use fitness_store::plan::human_actions::{self, Activation};
use fitness_store::{RaceResult, Store};
use fitness_web::coach::chat::ChatTurn;
use fitness_web::open_coach_api;
use std::collections::BTreeSet;

/// Weeks since the last half marathon, from which the paces come.
const WEEKS_SINCE_RACE: i64 = 13;
/// Weeks of steady running before the plan.
const BASE_WEEKS: i64 = 7;
/// Full weeks of the plan before this one.
const COMPLETED_WEEKS: i64 = 4;
/// Weeks of the whole plan.
const PLAN_WEEKS: i64 = 14;

/// An athlete, and the day their story is told on.
#[derive(Debug, Clone, Copy)]
pub(super) struct DemoScenario<'a> {
    pub(super) store: &'a Store,
    pub(super) user: UserId,
    pub(super) profile: &'a Profile,
    pub(super) demo: DemoAthlete,
}

/// The demo whose seasons lie so that a plan begun five weeks ago makes sense.
pub(super) fn new_demo(seed: u64, ends: Day, zone: chrono_tz::Tz, weeks: u32) -> DemoAthlete {
    // A race is four weeks before the day that seasons are counted from.
    DemoAthlete {
        weeks,
        season_anchor: ends.plus_days(-7 * (WEEKS_SINCE_RACE - 4)),
        ..DemoAthlete::new(seed, ends, zone)
    }
}

impl DemoScenario<'_> {
    /// The first day of the plan.
    pub(super) fn plan_start(&self) -> Day {
        self.demo.last_day.iso_week().monday().plus_days(-7 * COMPLETED_WEEKS)
    }

    /// What is known when the plan is drafted.
    pub(super) fn history_before_plan(&self) -> DemoAthlete {
        let left = self.plan_start().days_until(self.demo.last_day) / 7;
        let weeks = i64::from(self.demo.weeks) - left;
        DemoAthlete {
            last_day: self.plan_start(),
            weeks: u32::try_from(weeks).unwrap_or(1).max(1),
            ..self.demo
        }
    }

    /// The steady weeks before the plan.
    pub(super) fn base_workouts(&self) -> Vec<FollowedWorkout> {
        // Kilometres on each weekday, and how much of them in each week.
        const DAYS: [(i64, f64); 5] = [(1, 7.5), (2, 8.5), (3, 7.0), (5, 6.0), (6, 14.0)];
        const SHARES: [f64; 4] = [0.92, 1.0, 0.8, 1.05];
        let first = self.plan_start().plus_days(-7 * BASE_WEEKS);
        let weeks = (0..BASE_WEEKS).zip(SHARES.into_iter().cycle());
        let days = weeks
            .flat_map(|(week, share)| DAYS.map(|(day, km)| (first.plus_days(7 * week + day), km * share)));
        let run = |(date, km): (Day, f64)| Workout {
            date,
            sport: Sport::Running,
            kind: if km > 10.0 { WorkoutKind::Long } else { WorkoutKind::Easy },
            name: if km > 10.0 { "Long run" } else { "Easy run" }.to_owned(),
            distance: Distance::from_km(km),
            duration: None,
            load: None,
            intensity: None,
            description: None,
            key: false,
            steps: Vec::new(),
        };
        days.map(|day| FollowedWorkout { workout: run(day), share: 1.0 }).collect()
    }

    /// What came since: the last weeks, by the plan. They begin in the week before it, whose steady days must be told
    /// with them: the same days told in another way would be a second life beside the first.
    pub(super) fn recent_weeks(&self) -> DemoAthlete {
        let weeks = u32::try_from(COMPLETED_WEEKS + 1).unwrap_or(1);
        DemoAthlete { weeks, ..self.demo }
    }

    /// Seven in the morning.
    fn morning(&self, day: Day) -> Instant {
        day.previous().end(self.profile.zone) + TimeDelta::hours(7)
    }

    /// Confirms what looks like a race, so that there are paces to train at.
    pub(super) async fn confirm_races(&self) -> Result<()> {
        let now = self.morning(self.plan_start());
        for found in self.store.likely_races(self.user).await? {
            let recorded = &found.activity;
            let official = recorded.distance.and_then(official_distance).zip(recorded.elapsed);
            let Some((distance, time)) = official else { continue };
            let name = recorded.name.clone().unwrap_or_else(|| "Race".to_owned());
            let effort = EffortKind::Race;
            let result =
                RaceResult { activity: Some(found.id), day: found.day, name, distance, time, effort };
            self.store.put_race(self.user, &result, now).await?;
        }
        Ok(())
    }

    /// Drafts the plan from what was known, and commits it two days in.
    pub(super) async fn activate_plan(&self) -> Result<PlanId> {
        let (store, user, start) = (self.store, self.user, self.plan_start());
        recompute_stale(store, user).await?;
        let wish = PlanRequest {
            name: Some("Lakeside Half Marathon".to_owned()),
            goal: Goal::Half,
            distance: None,
            start,
            race: start.plus_days(7 * PLAN_WEEKS - 1),
            target: Some(TimeSpan::from_mins(100)),
            availability: Availability { days: weekdays(), blackouts: BTreeSet::new() },
            long_day: Some(Weekday::Sun),
            tune_up: None,
            strength: false,
            cross: None,
            units: self.profile.units,
        };
        let known = Some(Distance::HALF_MARATHON);
        let athlete = store.training_baseline(user, known, start, SelfReported::default()).await?;
        let made = generate(&wish, &athlete).context("the demo's plan")?;
        let drafted = self.morning(start);
        let id = store.plan_writer(user, Author::Athlete).put_draft(&made.draft, None, drafted).await?;
        let begin = start.plus_days(1);
        let now = self.morning(begin);
        let review = store.lint_plan(user, id, begin).await?;
        let plan = store.find_plan(user, id).await?.context("the demo's draft")?;
        let overrides = BTreeSet::new();
        let seen = human_actions::activation_hash(id, plan.content_hash, None, Some(begin), &overrides);
        let question = ConfirmationRequest {
            kind: ActionKind::Activate,
            plan: Some(id),
            content_hash: seen,
            channel: Channel::Demo,
        };
        let token = store.request_confirmation(user, &question, now).await?;
        #[expect(
            clippy::disallowed_methods,
            reason = "nobody decides: the made-up athlete of a throw-away database"
        )]
        let consent = store.redeem_confirmation(user, &question, token.reveal(), now).await?;
        match human_actions::activate(consent, id, None, Some(begin), &review, &overrides).await? {
            Activation::Activated => Ok(id),
            Activation::NoDraft => {
                Err(CliError::new("the demo's plan was not committed", "try again").into())
            }
        }
    }

    /// What was run since the steady weeks began. The plan was followed nearly all the way: one session cut short, one
    /// left out, one day away.
    pub(super) async fn follow_plan(&self, plan: PlanId) -> Result<Vec<FollowedWorkout>> {
        let workouts = self.store.list_workouts(self.user, plan, 1).await?;
        let monday = |week: i64| self.plan_start().plus_days(7 * week);
        let in_week = |planned: &&PlannedWorkout, week: i64| {
            (0..7).contains(&monday(week).days_until(planned.workout.date)) && !planned.workout.is_rest()
        };
        let of_week = |week: i64| workouts.iter().filter(move |planned| in_week(planned, week));
        let easy = |week: i64, skip: usize| {
            of_week(week).filter(|p| p.workout.kind == WorkoutKind::Easy).nth(skip).map(|p| p.id)
        };
        let cut = [easy(2, 0), easy(COMPLETED_WEEKS - 1, 1)];
        let missed = [easy(1, 1), easy(COMPLETED_WEEKS - 1, 0)];
        let away = easy(0, 1);
        if let Some(away) = workouts.iter().find(|planned| Some(planned.id) == away) {
            let day = away.workout.date;
            let observed = ObservationData::new(ObservationKind::Away, day, day, None)?;
            self.store.add_observation(self.user, Author::Athlete, &observed, self.morning(day)).await?;
        }
        let share = |planned: &PlannedWorkout| {
            let id = Some(planned.id);
            // A little more or less than asked, as everybody does.
            let about = 0.985 + 0.012 * ((planned.id.get() * 7) % 5) as f64;
            if missed.contains(&id) || away == id {
                0.0
            } else if cut.contains(&id) {
                0.62
            } else {
                about
            }
        };
        let follows = |planned: &PlannedWorkout| FollowedWorkout {
            workout: planned.workout.clone(),
            share: share(planned),
        };
        let begun = workouts.iter().filter(|planned| planned.workout.date > self.plan_start());
        Ok(self.base_workouts().into_iter().chain(begun.map(follows)).collect())
    }

    /// Notes, how it felt, two talks with the coach, and this morning's brief.
    pub(super) async fn add_recent_events(&self) -> Result<()> {
        let (store, user, today) = (self.store, self.user, self.demo.last_day);
        recompute_stale(store, user).await?;
        for (ago, text) in [
            (20, "New shoes since Sunday, still a bit stiff."),
            (6, "Left calf tight after the tempo run, fine the next day."),
        ] {
            let day = today.plus_days(-ago);
            store
                .add_note(user, Author::Athlete, Some(day), &NoteText::new(text)?, self.morning(day))
                .await?;
        }
        for ago in 1..=12 {
            let day = today.plus_days(-ago);
            let felt = 3 + u8::from(ago % 3 == 0) - u8::from(ago == 5);
            let observed = ObservationData::new(ObservationKind::Mood, day, day, Some(felt))?;
            store.add_observation(user, Author::Athlete, &observed, self.morning(day)).await?;
        }
        let next = self.next_hard_day().await?;
        self.send_message(&format!("Make {} easier, work is a lot this week.", next.date().format("%A")))
            .await?;
        let race = today.iso_week().monday().plus_days(7 * 24 + 6);
        self.send_message(&format!("Draft a 10k plan for {race}")).await?;
        brief::write_if_missing(store, user, today).await.map(drop)
    }

    /// The next session that could be easier, after today.
    async fn next_hard_day(&self) -> Result<Day> {
        let today = self.demo.last_day;
        let plan = self.store.find_active_plan(self.user).await?.context("the demo's plan")?;
        let workouts = self.store.list_workouts(self.user, plan.id, plan.revision).await?;
        let within = |planned: &&PlannedWorkout| (1..=6).contains(&today.days_until(planned.workout.date));
        let mut coming = workouts.iter().filter(within).filter(|planned| !planned.workout.is_rest());
        let first = coming.clone().next();
        let hard = coming.find(|planned| planned.workout.key).or(first);
        Ok(hard.map_or_else(|| today.next(), |planned| planned.workout.date))
    }

    async fn send_message(&self, text: &str) -> Result<()> {
        let now = self.morning(self.demo.last_day);
        let desk = open_coach_api(self.store, self.user, Author::Coach, now, "").await?;
        let talk =
            ChatTurn { store: self.store, user: self.user, chat: None, today: self.demo.last_day, now };
        let built_in = BuiltIn { today: self.demo.last_day };
        let never = std::future::pending();
        talk.run(text, (&built_in, Caps::default()), &desk, never, &mut |_| {}).await?;
        Ok(())
    }
}

/// Every day but Friday.
fn weekdays() -> Weekdays {
    let days = [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Sat, Weekday::Sun];
    days.into_iter().fold(Weekdays::NONE, Weekdays::with)
}
