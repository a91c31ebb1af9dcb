//! An athlete who lives in memory: made-up answers that bear their name, and a list of everything that was left for them.
//! For tests and the example; nothing of the program uses it.

use crate::{Guest, Host, Prompts, Scope};
use fitness_coach::tools::ToolName;
use fitness_core::adherence::grade::Verdict;
use fitness_core::coach_api::requests::{
    AskActivities, AskActivity, AskComparison, AskDay, AskDraft, AskNotes, AskPlan, AskPrediction, AskSeries,
    Period, SuggestNote, SuggestObservation,
};
use fitness_core::coach_api::responses::{
    Activities, ActivityDetail, Comparison, DailySnapshot, Drafted, Notes, PeriodTotals, PlanProgress,
    Predicted, Proposed, ProposedStatus, Series, Suggested, SuggestionStatus, ToldActivity, ToldFact,
    ToldLap, ToldNote, ToldObservation, ToldPlan, ToldWorkout, TrainingLoad, Waiting, WeekLoad,
};
use fitness_core::coach_api::{Answer, CoachDesk, DeskError};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, NoteId, ObservationId, PlanId, ProposalId, WorkoutId};
use fitness_core::domain::observation::ObservationKind;
use fitness_core::domain::sport::Sport;
use fitness_core::llm_output::{Kind, check};
use fitness_core::plan::{Goal, PlanStatus, WorkoutKind};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An athlete in memory.
#[derive(Debug, Default)]
pub struct Memory {
    name: String,
    brief: Option<String>,
    left: Arc<Mutex<Vec<(ToolName, Value)>>>,
}

impl Memory {
    /// An athlete without a brief.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// The same athlete with a brief.
    #[must_use]
    pub fn with_brief(mut self, brief: &str) -> Self {
        self.brief = Some(brief.to_owned());
        self
    }

    /// Everything that was left for the athlete, in order.
    #[must_use]
    pub fn left(&self) -> Vec<(ToolName, Value)> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A client of this athlete.
    #[must_use]
    pub fn guest(self: &Arc<Self>, scope: Scope) -> Guest {
        Guest { host: Arc::clone(self) as Arc<dyn Host>, scope }
    }
}

/// Prompts that can be told apart.
#[must_use]
pub fn prompts() -> Prompts {
    Prompts { coach: "You are a coach.".to_owned(), brief: "Write the brief.".to_owned() }
}

impl Host for Memory {
    fn desk(&self) -> Answer<'_, Box<dyn CoachDesk>> {
        let desk = Desk { name: self.name.clone(), left: Arc::clone(&self.left) };
        Box::pin(async move { Ok(Box::new(desk) as Box<dyn CoachDesk>) })
    }

    fn latest_brief(&self) -> Answer<'_, Option<String>> {
        Box::pin(async { Ok(self.brief.clone()) })
    }
}

struct Desk {
    name: String,
    left: Arc<Mutex<Vec<(ToolName, Value)>>>,
}

impl Desk {
    /// Keeps what was left, and numbers it.
    fn keep(&self, tool: ToolName, what: &impl Serialize) -> i64 {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.push((tool, json!(what)));
        i64::try_from(left.len()).unwrap_or(i64::MAX)
    }

    fn link(&self, what: &str, id: i64) -> String {
        format!("http://127.0.0.1:8787/{what}/{id}")
    }

    fn propose(&self, tool: ToolName, kind: Kind, response: &Value) -> Result<Proposed, DeskError> {
        check(response.to_string().as_bytes(), Some(kind)).map_err(|refused| {
            DeskError::Refused(refused.faults.into_iter().map(|fault| fault.message).collect())
        })?;
        let id = self.keep(tool, response);
        Ok(Proposed {
            proposal_id: Some(ProposalId::new(id)),
            plan_id: None,
            status: Some(ProposedStatus::Open),
            preview: vec!["Mon 8 June: Easy run, 8.0 km → 6.0 km".to_owned()],
            findings: Vec::new(),
            review: Some(self.link("proposals", id)),
        })
    }

    fn workout(&self) -> ToldWorkout {
        ToldWorkout {
            workout_id: WorkoutId::new(11),
            date: self.today(),
            weekday: "Tuesday".to_owned(),
            sport: Sport::Running,
            kind: WorkoutKind::Easy,
            name: format!("{}'s easy run", self.name),
            planned: Some("8.0 km".to_owned()),
            minutes: Some(48),
            actual: None,
            verdict: Verdict::Pending,
            excused: None,
        }
    }

    fn plan(&self, status: PlanStatus) -> ToldPlan {
        ToldPlan {
            plan_id: PlanId::new(3),
            name: format!("{}'s half", self.name),
            status,
            goal: Goal::Half,
            start_date: self.today().plus(-40),
            race_date: self.today().plus(40),
            target_time: Some("1:45:00".to_owned()),
        }
    }

    fn facts(&self) -> BTreeMap<String, ToldFact> {
        let fact = ToldFact {
            shown: "62".to_owned(),
            meaning: format!("{}'s recovery this morning", self.name),
            as_of: self.today(),
            care: None,
        };
        BTreeMap::from([("recovery".to_owned(), fact)])
    }

    fn activity(&self) -> ToldActivity {
        ToldActivity {
            activity_id: ActivityId::new(7),
            date: self.today().previous(),
            sport: Sport::Running,
            name: format!("{}'s morning run", self.name),
            distance: Some("12.4 km".to_owned()),
            time: Some("1:08:12".to_owned()),
            pace: Some("5:30 /km".to_owned()),
            heart_rate: Some("142 bpm".to_owned()),
            load: None,
        }
    }
}

/// An answer that is there at once.
fn told<'a, T: Send + 'a>(answer: T) -> Answer<'a, T> {
    Box::pin(async move { Ok(answer) })
}

impl CoachDesk for Desk {
    fn today(&self) -> Day {
        Day::new(2026, 6, 9).expect("a day of the calendar")
    }

    fn data_through(&self) -> Answer<'_, Option<Day>> {
        told(Some(self.today().previous()))
    }

    fn daily_snapshot(&self, ask: AskDay) -> Answer<'_, DailySnapshot> {
        told(DailySnapshot {
            date: ask.date.unwrap_or_else(|| self.today()),
            facts: self.facts(),
            missing: BTreeMap::from([("sleep".to_owned(), "no night was recorded".to_owned())]),
            sessions: vec![self.workout()],
            last_judged: Vec::new(),
            marked: Vec::new(),
            waiting: Vec::new(),
        })
    }

    fn metric_series(&self, ask: AskSeries) -> Answer<'_, Series> {
        if ask.from > ask.through {
            return Box::pin(async {
                Err(DeskError::refused("`from` lies after `through`. Give the earlier day first."))
            });
        }
        told(Series {
            metric: ask.metric.as_str().to_owned(),
            unit: "points".to_owned(),
            points: vec![(ask.from, 61.5)],
            mean: Some(61.5),
        })
    }

    fn activities(&self, _: AskActivities) -> Answer<'_, Activities> {
        told(Activities { activities: vec![self.activity()], left_off: 2 })
    }

    fn activity_detail(&self, ask: AskActivity) -> Answer<'_, ActivityDetail> {
        if ask.activity_id != ActivityId::new(7) {
            return Box::pin(async { Err(DeskError::NotFound("activity")) });
        }
        let lap = ToldLap { distance: Some("1.0 km".to_owned()), time: None, pace: None, heart_rate: None };
        told(ActivityDetail {
            device: None,
            activity: self.activity(),
            climb: Some("120 m".to_owned()),
            load_by: "heart rate".to_owned(),
            effort: None,
            laps: vec![lap],
            heart_rate_zones: BTreeMap::from([("Z2".to_owned(), "41 min".to_owned())]),
            best_efforts: BTreeMap::new(),
            measures: BTreeMap::new(),
            workout: Some(self.workout()),
        })
    }

    fn compare_periods(&self, ask: AskComparison) -> Answer<'_, Comparison> {
        let totals = |period: Period| PeriodTotals {
            from: period.from,
            through: period.through,
            complete_days: 7,
            totals: BTreeMap::from([("distance".to_owned(), "41.0 km".to_owned())]),
            missing: BTreeMap::new(),
        };
        told(Comparison {
            this: totals(ask.this),
            that: totals(ask.that),
            change: BTreeMap::from([("distance".to_owned(), "0.0 km".to_owned())]),
        })
    }

    fn training_load(&self, ask: AskDay) -> Answer<'_, TrainingLoad> {
        let week = WeekLoad {
            from: self.today().plus(-8),
            run_distance: "41.0 km".to_owned(),
            time: "3 h 50 min".to_owned(),
            load: Some("310".to_owned()),
            complete: true,
        };
        told(TrainingLoad {
            date: ask.date.unwrap_or_else(|| self.today()),
            facts: self.facts(),
            missing: BTreeMap::new(),
            weeks: vec![week],
        })
    }

    fn plan_progress(&self, _: AskPlan) -> Answer<'_, PlanProgress> {
        let waiting = Waiting {
            proposal_id: ProposalId::new(5),
            message: "A shorter long run.".to_owned(),
            review: self.link("proposals", 5),
        };
        told(PlanProgress {
            plan: Some(self.plan(PlanStatus::Active)),
            days_to_race: Some(40),
            adherence_percent: Some(92),
            workouts: vec![self.workout()],
            waiting: vec![waiting],
            drafts: vec![self.plan(PlanStatus::Draft)],
            ..PlanProgress::default()
        })
    }

    fn predict_finish(&self, _: AskPrediction) -> Answer<'_, Predicted> {
        told(Predicted {
            distance: "21.1 km".to_owned(),
            finish: Some("1:46:10".to_owned()),
            fast: Some("1:42:00".to_owned()),
            slow: Some("1:51:00".to_owned()),
            basis: "a 10 km race of 3 May".to_owned(),
        })
    }

    fn notes(&self, _: AskNotes) -> Answer<'_, Notes> {
        let note = ToldNote {
            note_id: NoteId::new(1),
            date: None,
            text: format!("{} prefers mornings.", self.name),
        };
        let ill = ToldObservation {
            kind: ObservationKind::Illness,
            from: self.today().plus(-20),
            through: self.today().plus(-18),
            value: Some(2),
            comment: Some("a cold".to_owned()),
        };
        told(Notes { notes: vec![note], observations: vec![ill] })
    }

    fn suggest_note(&self, suggestion: SuggestNote) -> Answer<'_, Suggested> {
        let id = self.keep(ToolName::SuggestNote, &suggestion);
        told(Suggested {
            note_id: Some(NoteId::new(id)),
            observation_id: None,
            status: SuggestionStatus::Suggested,
            review: self.link("suggestions", id),
        })
    }

    fn suggest_observation(&self, suggestion: SuggestObservation) -> Answer<'_, Suggested> {
        let id = self.keep(ToolName::SuggestObservation, &suggestion);
        told(Suggested {
            note_id: None,
            observation_id: Some(ObservationId::new(id)),
            status: SuggestionStatus::Suggested,
            review: self.link("suggestions", id),
        })
    }

    fn draft_training_plan(&self, ask: AskDraft) -> Answer<'_, Drafted> {
        if ask.race_date <= self.today() {
            return Box::pin(async {
                Err(DeskError::Refused(vec![
                    "The race day has passed.".to_owned(),
                    "Give a `race_date` after today.".to_owned(),
                ]))
            });
        }
        let id = self.keep(ToolName::DraftTrainingPlan, &ask);
        told(Drafted {
            plan_id: PlanId::new(id),
            status: PlanStatus::Draft,
            findings: Vec::new(),
            remarks: vec!["The first week is as long as the last four were.".to_owned()],
            weeks: vec!["Week 1: 41 km".to_owned()],
            review: self.link("plans", id),
        })
    }

    fn propose_modification(&self, response: Value) -> Answer<'_, Proposed> {
        Box::pin(async move { self.propose(ToolName::ProposeModification, Kind::Modification, &response) })
    }

    fn propose_week(&self, response: Value) -> Answer<'_, Proposed> {
        Box::pin(async move { self.propose(ToolName::ProposeWeek, Kind::Week, &response) })
    }
}
