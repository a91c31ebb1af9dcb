//! What has happened to the demo athlete by the time somebody looks: a half marathon committed to five weeks ago and
//! followed more or less, something to decide, and a morning.
//!
//! Everything goes the way of any athlete's data: files are imported, the plan is generated, drafted and committed, the
//! coach is talked to. Only the human is made up, and the record says so: `demo` is where they were.

use crate::commands::{brief, settled};
use crate::error::Failure;
use anyhow::{Context as _, Result};
use chrono::TimeDelta;
use fitness_coach::agent_loop::Caps;
use fitness_coach::rule_based::BuiltIn;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::{Day, Instant, Weekday};
use fitness_core::domain::ids::{PlanId, UserId};
use fitness_core::domain::note::{Author, NoteText};
use fitness_core::domain::observation::{ObservationKind, Observed};
use fitness_core::domain::sport::Sport;
use fitness_core::domain::units::{Distance, TimeSpan};
use fitness_core::metrics::predict::{Effort, course_of};
use fitness_core::plan::{
    ActionKind, Availability, Goal, PlannedWorkout, Stated, Weekdays, Wish, Workout, WorkoutKind, generate,
};
use fitness_demo::{Demo, Follows};
use fitness_store::plan::consent::{Channel, Question};
use fitness_store::plan::human_actions::{self, Activation};
use fitness_store::{RaceResult, Store};
use fitness_web::coach::chat::Talk;
use fitness_web::settled_desk;
use std::collections::BTreeSet;

/// Weeks since the last half marathon, from which the paces come.
const SINCE_RACE: i64 = 13;
/// Weeks of steady running before the plan.
const STEADY: i64 = 7;
/// Full weeks of the plan before this one.
const WEEKS_DONE: i64 = 4;
/// Weeks of the whole plan.
const WEEKS: i64 = 14;

/// An athlete, and the day their story is told on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Story<'a> {
    pub(super) store: &'a Store,
    pub(super) user: UserId,
    pub(super) profile: &'a Profile,
    pub(super) demo: Demo,
}

/// The demo whose seasons lie so that a plan begun five weeks ago makes sense.
pub(super) fn season(seed: u64, ends: Day, zone: chrono_tz::Tz, weeks: u32) -> Demo {
    // A race is four weeks before the day that seasons are counted from.
    Demo { weeks, counts_from: ends.plus(-7 * (SINCE_RACE - 4)), ..Demo::new(seed, ends, zone) }
}

impl Story<'_> {
    /// The first day of the plan.
    pub(super) fn begins(&self) -> Day {
        self.demo.ends.iso_week().monday().plus(-7 * WEEKS_DONE)
    }

    /// What is known when the plan is drafted.
    pub(super) fn before(&self) -> Demo {
        let left = self.begins().until(self.demo.ends) / 7;
        let weeks = i64::from(self.demo.weeks) - left;
        Demo { ends: self.begins(), weeks: u32::try_from(weeks).unwrap_or(1).max(1), ..self.demo }
    }

    /// The steady weeks before the plan.
    pub(super) fn steady(&self) -> Vec<Follows> {
        // Kilometres on each weekday, and how much of them in each week.
        const DAYS: [(i64, f64); 5] = [(1, 7.5), (2, 8.5), (3, 7.0), (5, 6.0), (6, 14.0)];
        const SHARES: [f64; 4] = [0.92, 1.0, 0.8, 1.05];
        let first = self.begins().plus(-7 * STEADY);
        let weeks = (0..STEADY).zip(SHARES.into_iter().cycle());
        let days =
            weeks.flat_map(|(week, share)| DAYS.map(|(day, km)| (first.plus(7 * week + day), km * share)));
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
        days.map(|day| Follows { workout: run(day), share: 1.0 }).collect()
    }

    /// What came since: the last weeks, by the plan. They begin in the week before it, whose steady days must be told
    /// with them: the same days told in another way would be a second life beside the first.
    pub(super) fn since(&self) -> Demo {
        let weeks = u32::try_from(WEEKS_DONE + 1).unwrap_or(1);
        Demo { weeks, ..self.demo }
    }

    /// Seven in the morning.
    fn morning(&self, day: Day) -> Instant {
        day.previous().end(self.profile.zone) + TimeDelta::hours(7)
    }

    /// Confirms what looks like a race, so that there are paces to train at.
    pub(super) async fn confirm_races(&self) -> Result<()> {
        let now = self.morning(self.begins());
        for found in self.store.likely_races(self.user).await? {
            let recorded = &found.activity;
            let official = recorded.distance.and_then(course_of).zip(recorded.elapsed);
            let Some((distance, time)) = official else { continue };
            let name = recorded.name.clone().unwrap_or_else(|| "Race".to_owned());
            let effort = Effort::Race;
            let result =
                RaceResult { activity: Some(found.id), day: found.day, name, distance, time, effort };
            self.store.put_race(self.user, &result, now).await?;
        }
        Ok(())
    }

    /// Drafts the plan from what was known, and commits it two days in.
    pub(super) async fn commit(&self) -> Result<PlanId> {
        let (store, user, start) = (self.store, self.user, self.begins());
        settled(store, user).await?;
        let wish = Wish {
            name: Some("Lakeside Half Marathon".to_owned()),
            goal: Goal::Half,
            distance: None,
            start,
            race: start.plus(7 * WEEKS - 1),
            target: Some(TimeSpan::from_mins(100)),
            availability: Availability { days: weekdays(), blackouts: BTreeSet::new() },
            long_day: Some(Weekday::Sun),
            tune_up: None,
            strength: false,
            cross: None,
            units: self.profile.units,
        };
        let known = Some(Distance::HALF_MARATHON);
        let athlete = store.background(user, known, start, Stated::default()).await?;
        let made = generate(&wish, &athlete).context("the demo's plan")?;
        let drafted = self.morning(start);
        let id = store.desk(user, Author::Athlete).put_draft(&made.draft, None, drafted).await?;
        let begin = start.plus(1);
        let now = self.morning(begin);
        let review = store.review(user, id, begin).await?;
        let plan = store.find_plan(user, id).await?.context("the demo's draft")?;
        let overrides = BTreeSet::new();
        let seen = human_actions::activation_hash(id, plan.content_hash, None, Some(begin), &overrides);
        let question = Question { kind: ActionKind::Activate, plan: Some(id), seen, channel: Channel::Demo };
        let token = store.open_confirmation(user, &question, now).await?;
        #[expect(
            clippy::disallowed_methods,
            reason = "nobody decides: the made-up athlete of a throw-away database"
        )]
        let consent = store.spend_confirmation(user, &question, token.reveal(), now).await?;
        match human_actions::activate(consent, id, None, Some(begin), &review, &overrides).await? {
            Activation::Activated => Ok(id),
            Activation::NoDraft => Err(Failure::new("the demo's plan was not committed", "try again").into()),
        }
    }

    /// What was run since the steady weeks began. The plan was followed nearly all the way: one session cut short, one
    /// left out, one day away.
    pub(super) async fn follow(&self, plan: PlanId) -> Result<Vec<Follows>> {
        let workouts = self.store.list_workouts(self.user, plan, 1).await?;
        let monday = |week: i64| self.begins().plus(7 * week);
        let in_week = |planned: &&PlannedWorkout, week: i64| {
            (0..7).contains(&monday(week).until(planned.workout.date)) && !planned.workout.is_rest()
        };
        let of_week = |week: i64| workouts.iter().filter(move |planned| in_week(planned, week));
        let easy = |week: i64, skip: usize| {
            of_week(week).filter(|p| p.workout.kind == WorkoutKind::Easy).nth(skip).map(|p| p.id)
        };
        let cut = [easy(2, 0), easy(WEEKS_DONE - 1, 1)];
        let missed = [easy(1, 1), easy(WEEKS_DONE - 1, 0)];
        let away = easy(0, 1);
        if let Some(away) = workouts.iter().find(|planned| Some(planned.id) == away) {
            let day = away.workout.date;
            let observed = Observed::new(ObservationKind::Away, day, day, None)?;
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
        let follows =
            |planned: &PlannedWorkout| Follows { workout: planned.workout.clone(), share: share(planned) };
        let begun = workouts.iter().filter(|planned| planned.workout.date > self.begins());
        Ok(self.steady().into_iter().chain(begun.map(follows)).collect())
    }

    /// Notes, how it felt, two talks with the coach, and this morning's brief.
    pub(super) async fn wind_up(&self) -> Result<()> {
        let (store, user, today) = (self.store, self.user, self.demo.ends);
        settled(store, user).await?;
        for (ago, text) in [
            (20, "New shoes since Sunday, still a bit stiff."),
            (6, "Left calf tight after the tempo run, fine the next day."),
        ] {
            let day = today.plus(-ago);
            store
                .add_note(user, Author::Athlete, Some(day), &NoteText::new(text)?, self.morning(day))
                .await?;
        }
        for ago in 1..=12 {
            let day = today.plus(-ago);
            let felt = 3 + u8::from(ago % 3 == 0) - u8::from(ago == 5);
            let observed = Observed::new(ObservationKind::Mood, day, day, Some(felt))?;
            store.add_observation(user, Author::Athlete, &observed, self.morning(day)).await?;
        }
        let next = self.next_hard_day().await?;
        self.say(&format!("Make {} easier, work is a lot this week.", next.date().format("%A"))).await?;
        let race = today.iso_week().monday().plus(7 * 24 + 6);
        self.say(&format!("Draft a 10k plan for {race}")).await?;
        brief::write_when_missing(store, user, today).await.map(drop)
    }

    /// The next session that could be easier, after today.
    async fn next_hard_day(&self) -> Result<Day> {
        let today = self.demo.ends;
        let plan = self.store.find_active_plan(self.user).await?.context("the demo's plan")?;
        let workouts = self.store.list_workouts(self.user, plan.id, plan.revision).await?;
        let within = |planned: &&PlannedWorkout| (1..=6).contains(&today.until(planned.workout.date));
        let mut coming = workouts.iter().filter(within).filter(|planned| !planned.workout.is_rest());
        let first = coming.clone().next();
        let hard = coming.find(|planned| planned.workout.key).or(first);
        Ok(hard.map_or_else(|| today.next(), |planned| planned.workout.date))
    }

    async fn say(&self, text: &str) -> Result<()> {
        let now = self.morning(self.demo.ends);
        let desk = settled_desk(self.store, self.user, Author::Coach, now, "").await?;
        let talk = Talk { store: self.store, user: self.user, chat: None, today: self.demo.ends, now };
        let built_in = BuiltIn { today: self.demo.ends };
        let never = std::future::pending();
        talk.say(text, (&built_in, Caps::default()), &desk, never, &mut |_| {}).await?;
        Ok(())
    }
}

/// Every day but Friday.
fn weekdays() -> Weekdays {
    let days = [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Sat, Weekday::Sun];
    days.into_iter().fold(Weekdays::NONE, Weekdays::with)
}
