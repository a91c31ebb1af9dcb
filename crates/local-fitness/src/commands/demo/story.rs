//! The demo scenario: a half marathon plan activated five weeks ago and mostly followed, a pending
//! proposal, and this morning's brief.
//!
//! Everything uses the normal code: files are imported, the plan is generated and activated, the
//! coach gets chat messages. Only the human is simulated; the recorded channel is `demo`.

use crate::commands::brief;
use crate::error::CliError;
use anyhow::{Context as _, Result};
use chrono::TimeDelta;
use fitness_coach::agent_loop::TurnLimits;
use fitness_coach::rule_based::BuiltInCoach;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant, Weekday};
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::predict::{ResultKind, official_distance};
use fitness_core::plan::{
    Availability, GoalDistance, HumanActionKind, PlanRequest, PlannedWorkout, SelfReportedTraining, Weekdays,
    Workout, WorkoutKind, generate,
};
use fitness_demo::{DemoAthlete, FollowedWorkout};
use fitness_ingest::{StopSignal, recompute};
use fitness_store::plan::consent::{Channel, ConfirmationKey, ConfirmationRequest};
use fitness_store::plan::human_actions::{self, Activation, ActivationRequest};
use fitness_store::{RaceResult, Store};
use fitness_web::coach::chat::ChatTurn;
use std::collections::BTreeSet;

/// Weeks since the last half marathon, which gives the training paces.
const WEEKS_SINCE_RACE: i64 = 13;
/// Weeks of steady running before the plan.
const BASE_WEEKS: i64 = 7;
/// Full weeks of the plan before this one.
const COMPLETED_WEEKS: i64 = 4;
/// Weeks of the whole plan.
const PLAN_WEEKS: i64 = 14;

#[derive(Debug, Clone, Copy)]
pub(super) struct DemoScenario<'a> {
    pub(super) store: &'a Store,
    pub(super) user: UserId,
    pub(super) profile: &'a Profile,
    pub(super) demo: DemoAthlete,
}

/// Seasons are aligned so that a plan started five weeks ago makes sense.
pub(super) fn new_demo(seed: u64, ends: Day, zone: chrono_tz::Tz, weeks: u32) -> DemoAthlete {
    // Each season has a race four weeks before its anchor.
    DemoAthlete {
        weeks,
        season_anchor: ends.plus_days(-7 * (WEEKS_SINCE_RACE - 4)),
        ..DemoAthlete::new(seed, ends, zone)
    }
}

impl DemoScenario<'_> {
    pub(super) fn plan_start(&self) -> Day {
        self.demo.last_day.iso_week().monday().plus_days(-7 * COMPLETED_WEEKS)
    }

    /// The athlete's data up to the day the plan is drafted.
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

    /// The last weeks, following the plan. They start one week before it, with the same workouts as
    /// [`Self::base_workouts`]: different activities on these days would be imported as additional
    /// ones.
    pub(super) fn recent_weeks(&self) -> DemoAthlete {
        let weeks = u32::try_from(COMPLETED_WEEKS + 1).unwrap_or(1);
        DemoAthlete { weeks, ..self.demo }
    }

    /// Seven in the morning.
    fn morning(&self, day: Day) -> Instant {
        day.previous().end(self.profile.zone) + TimeDelta::hours(7)
    }

    /// Confirms likely races, so that there are training paces.
    pub(super) async fn confirm_races(&self) -> Result<()> {
        let now = self.morning(self.plan_start());
        for found in self.store.likely_races(self.user).await? {
            let recorded = &found.activity;
            let official = recorded.distance.and_then(official_distance).zip(recorded.elapsed);
            let Some((distance, time)) = official else { continue };
            let name = recorded.name.clone().unwrap_or_else(|| "Race".to_owned());
            let effort = ResultKind::Race;
            let result =
                RaceResult { activity: Some(found.id), day: found.day, name, distance, time, effort };
            self.store.put_race(self.user, &result, now).await?;
        }
        Ok(())
    }

    /// Drafts the plan on its first day and activates it on the second.
    pub(super) async fn activate_plan(&self) -> Result<PlanId> {
        let (store, user, start) = (self.store, self.user, self.plan_start());
        recompute(store, user, &mut |_| {}, &StopSignal::default()).await?;
        let request = PlanRequest {
            name: Some("Lakeside Half Marathon".to_owned()),
            goal: GoalDistance::Half,
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
        let athlete = store.training_baseline(user, known, start, SelfReportedTraining::default()).await?;
        let generated = generate(&request, &athlete).context("the demo plan")?;
        let drafted = self.morning(start);
        let id = store.plan_writer(user, Author::Athlete).put_draft(&generated.draft, None, drafted).await?;
        let begin = start.plus_days(1);
        let now = self.morning(begin);
        let review = store.lint_plan(user, id, begin).await?;
        let plan = store.find_plan(user, id).await?.context("the demo draft")?;
        let request =
            ActivationRequest { plan: id, replaces: None, begin: Some(begin), overrides: BTreeSet::new() };
        let question = ConfirmationRequest {
            kind: HumanActionKind::Activate,
            plan: Some(id),
            content_hash: request.hash(plan.content_hash),
            channel: Channel::Demo,
        };
        let key = ConfirmationKey::random();
        let token = question.sign(&key, user, now);
        #[expect(clippy::disallowed_methods, reason = "the simulated athlete of a throw-away database")]
        let consent = store.redeem_confirmation(user, &question, (&key, &token), now).await?;
        match human_actions::activate(consent, &request, &review).await? {
            Activation::Activated => Ok(id),
            Activation::NoDraft => Err(CliError::new("the demo plan was not activated", "try again").into()),
        }
    }

    /// The workouts as done: the plan mostly followed, with some runs cut short or missed and one
    /// day away.
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
            // Vary the distance by a few percent.
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

    /// Notes, check-ins, two chats and this morning's brief.
    pub(super) async fn add_recent_events(&self) -> Result<()> {
        let (store, user, today) = (self.store, self.user, self.demo.last_day);
        recompute(store, user, &mut |_| {}, &StopSignal::default()).await?;
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
        self.send_message(&format!("Make {} easier, work is busy this week.", next.date().format("%A")))
            .await?;
        let race = today.iso_week().monday().plus_days(7 * 24 + 6);
        self.send_message(&format!("Draft a 10k plan for {}", race.date().format("%-d %B %Y"))).await?;
        brief::write_if_missing(store, user, today).await.map(drop)
    }

    /// The next key workout after today.
    async fn next_hard_day(&self) -> Result<Day> {
        let today = self.demo.last_day;
        let plan = self.store.find_active_plan(self.user).await?.context("the demo plan")?;
        let workouts = self.store.list_workouts(self.user, plan.id, plan.revision).await?;
        let within = |planned: &&PlannedWorkout| (1..=6).contains(&today.days_until(planned.workout.date));
        let mut coming = workouts.iter().filter(within).filter(|planned| !planned.workout.is_rest());
        let first = coming.clone().next();
        let hard = coming.find(|planned| planned.workout.key).or(first);
        Ok(hard.map_or_else(|| today.next(), |planned| planned.workout.date))
    }

    async fn send_message(&self, text: &str) -> Result<()> {
        let now = self.morning(self.demo.last_day);
        let api = self.store.coach_api(self.user, Author::Coach, now, "").await?;
        let turn =
            ChatTurn { store: self.store, user: self.user, chat: None, today: self.demo.last_day, now };
        let built_in = BuiltInCoach { today: self.demo.last_day };
        let never = std::future::pending();
        turn.run(text, (&built_in, TurnLimits::default()), &api, never, &mut |_| {}).await?;
        Ok(())
    }
}

/// Every day but Friday.
fn weekdays() -> Weekdays {
    let days = [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Sat, Weekday::Sun];
    days.into_iter().fold(Weekdays::NONE, Weekdays::with)
}
