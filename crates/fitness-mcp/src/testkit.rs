//! In-memory athlete for tests and the example: fixed responses with the athlete's name, and a
//! record of all writes.

use crate::{CoachApiProvider, McpClient, Prompts, Scope};
use fitness_coach::tools::ToolName;
use fitness_core::adherence::grade::Verdict;
use fitness_core::coach_api::requests::{
    ActivitiesRequest, ActivityRequest, ComparisonRequest, DayRequest, DraftPlanRequest, NoteSuggestion,
    NotesRequest, ObservationSuggestion, Period, PlanProgressRequest, PredictionRequest, SeriesRequest,
};
use fitness_core::coach_api::responses::{
    ActivityDetail, ActivityItem, ActivityList, DailySnapshot, DraftResult, FactItem, FinishPrediction,
    LapItem, MetricSeries, NoteItem, NoteList, ObservationItem, PendingProposal, PeriodComparison,
    PeriodTotals, PlanItem, PlanProgress, ProposalOrDraft, ProposalResponse, SuggestionResult,
    SuggestionStatus, TrainingLoadResponse, WeekTrainingTotals, WorkoutItem,
};
use fitness_core::coach_api::{CoachApi, CoachApiError, CoachFuture};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ActivityId, NoteId, ObservationId, PlanId, ProposalId, WorkoutId};
use fitness_core::domain::observation::ObservationKind;
use fitness_core::domain::sport::Sport;
use fitness_core::llm_output::{ResponseKind, parse_response};
use fitness_core::plan::{GoalDistance, PlanStatus, WorkoutKind};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Default)]
pub struct InMemoryAthlete {
    name: String,
    brief: Option<String>,
    writes: Arc<Mutex<Vec<(ToolName, Value)>>>,
}

impl InMemoryAthlete {
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    #[must_use]
    pub fn with_brief(mut self, brief: &str) -> Self {
        self.brief = Some(brief.to_owned());
        self
    }

    /// All tool calls that wrote something, in order.
    #[must_use]
    pub fn writes(&self) -> Vec<(ToolName, Value)> {
        self.writes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    #[must_use]
    pub fn client(self: &Arc<Self>, scope: Scope) -> McpClient {
        McpClient { provider: Arc::clone(self) as Arc<dyn CoachApiProvider>, scope }
    }
}

#[must_use]
pub fn prompts() -> Prompts {
    Prompts { coach: "You are a coach.".to_owned(), brief: "Write the brief.".to_owned() }
}

impl CoachApiProvider for InMemoryAthlete {
    fn coach_api(&self) -> CoachFuture<'_, Box<dyn CoachApi>> {
        let api = InMemoryCoachApi { name: self.name.clone(), writes: Arc::clone(&self.writes) };
        Box::pin(async move { Ok(Box::new(api) as Box<dyn CoachApi>) })
    }

    fn latest_brief(&self) -> CoachFuture<'_, Option<String>> {
        Box::pin(async { Ok(self.brief.clone()) })
    }
}

struct InMemoryCoachApi {
    name: String,
    writes: Arc<Mutex<Vec<(ToolName, Value)>>>,
}

impl InMemoryCoachApi {
    /// Records a write and returns its number, used as id.
    fn record_write(&self, tool: ToolName, what: &impl Serialize) -> i64 {
        let mut writes = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
        writes.push((tool, json!(what)));
        i64::try_from(writes.len()).unwrap_or(i64::MAX)
    }

    fn link(&self, what: &str, id: i64) -> String {
        format!("http://127.0.0.1:8787/{what}/{id}")
    }

    fn propose(
        &self,
        tool: ToolName,
        kind: ResponseKind,
        response: &Value,
    ) -> Result<ProposalResponse, CoachApiError> {
        parse_response(response.to_string().as_bytes(), Some(kind)).map_err(|refused| {
            CoachApiError::Refused(refused.errors.into_iter().map(|fault| fault.message).collect())
        })?;
        let id = self.record_write(tool, response);
        Ok(ProposalResponse {
            proposal_id: Some(ProposalId::new(id)),
            plan_id: None,
            status: Some(ProposalOrDraft::Open),
            preview: vec!["Mon 8 Jun: Easy run, 8.0 km → 6.0 km".to_owned()],
            findings: Vec::new(),
            review: Some(self.link("proposals", id)),
        })
    }

    fn workout(&self) -> WorkoutItem {
        WorkoutItem {
            workout_id: WorkoutId::new(11),
            date: self.today(),
            weekday: "Tue".to_owned(),
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

    fn plan(&self, status: PlanStatus) -> PlanItem {
        PlanItem {
            plan_id: PlanId::new(3),
            name: format!("{}'s half", self.name),
            status,
            goal: GoalDistance::Half,
            start_date: self.today().plus_days(-40),
            race_date: self.today().plus_days(40),
            target_time: Some("1:45:00".to_owned()),
        }
    }

    fn facts(&self) -> BTreeMap<String, FactItem> {
        let fact = FactItem {
            shown: "62".to_owned(),
            meaning: format!("{}'s recovery this morning", self.name),
            as_of: self.today(),
            care: None,
        };
        BTreeMap::from([("recovery".to_owned(), fact)])
    }

    fn activity(&self) -> ActivityItem {
        ActivityItem {
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

fn ready<'a, T: Send + 'a>(response: T) -> CoachFuture<'a, T> {
    Box::pin(async move { Ok(response) })
}

impl CoachApi for InMemoryCoachApi {
    fn today(&self) -> Day {
        Day::new(2026, 6, 9).expect("a day of the calendar")
    }

    fn data_through(&self) -> CoachFuture<'_, Option<Day>> {
        ready(Some(self.today().previous()))
    }

    fn daily_snapshot(&self, ask: DayRequest) -> CoachFuture<'_, DailySnapshot> {
        ready(DailySnapshot {
            date: ask.date.unwrap_or_else(|| self.today()),
            facts: self.facts(),
            missing: BTreeMap::from([("sleep".to_owned(), "not synced yet".to_owned())]),
            sessions: vec![self.workout()],
            last_judged: Vec::new(),
            marked: Vec::new(),
            waiting: Vec::new(),
        })
    }

    fn metric_series(&self, ask: SeriesRequest) -> CoachFuture<'_, MetricSeries> {
        if ask.from > ask.through {
            return Box::pin(async { Err(CoachApiError::invalid("`from` is after `through`. Swap them.")) });
        }
        ready(MetricSeries {
            metric: ask.metric.as_str().to_owned(),
            unit: "points".to_owned(),
            points: vec![(ask.from, 61.5)],
            mean: Some(61.5),
        })
    }

    fn activities(&self, _: ActivitiesRequest) -> CoachFuture<'_, ActivityList> {
        ready(ActivityList { activities: vec![self.activity()], left_off: 2 })
    }

    fn activity_detail(&self, ask: ActivityRequest) -> CoachFuture<'_, ActivityDetail> {
        if ask.activity_id != ActivityId::new(7) {
            return Box::pin(async { Err(CoachApiError::NotFound("activity")) });
        }
        let lap = LapItem { distance: Some("1.0 km".to_owned()), time: None, pace: None, heart_rate: None };
        ready(ActivityDetail {
            device: None,
            activity: self.activity(),
            climb: Some("120 m".to_owned()),
            load_by: "heart rate".to_owned(),
            effort: None,
            laps: vec![lap],
            heart_rate_zones: BTreeMap::from([("Z2".to_owned(), "41:10".to_owned())]),
            best_efforts: BTreeMap::new(),
            measures: BTreeMap::new(),
            workout: Some(self.workout()),
        })
    }

    fn compare_periods(&self, ask: ComparisonRequest) -> CoachFuture<'_, PeriodComparison> {
        let totals = |period: Period| PeriodTotals {
            from: period.from,
            through: period.through,
            complete_days: 7,
            totals: BTreeMap::from([("run_distance".to_owned(), "41.0 km".to_owned())]),
            missing: BTreeMap::new(),
        };
        ready(PeriodComparison {
            this: totals(ask.this),
            that: totals(ask.that),
            change: BTreeMap::from([("run_distance".to_owned(), "0.0 km".to_owned())]),
        })
    }

    fn training_load(&self, ask: DayRequest) -> CoachFuture<'_, TrainingLoadResponse> {
        let week = WeekTrainingTotals {
            from: self.today().plus_days(-8),
            run_distance: "41.0 km".to_owned(),
            time: "3h 50m".to_owned(),
            load: Some("310".to_owned()),
            complete: true,
        };
        ready(TrainingLoadResponse {
            date: ask.date.unwrap_or_else(|| self.today()),
            facts: self.facts(),
            missing: BTreeMap::new(),
            weeks: vec![week],
        })
    }

    fn plan_progress(&self, _: PlanProgressRequest) -> CoachFuture<'_, PlanProgress> {
        let waiting = PendingProposal {
            proposal_id: ProposalId::new(5),
            message: "A shorter long run.".to_owned(),
            review: self.link("proposals", 5),
        };
        ready(PlanProgress {
            plan: Some(self.plan(PlanStatus::Active)),
            days_to_race: Some(40),
            adherence_percent: Some(92),
            workouts: vec![self.workout()],
            waiting: vec![waiting],
            drafts: vec![self.plan(PlanStatus::Draft)],
            ..PlanProgress::default()
        })
    }

    fn predict_finish(&self, _: PredictionRequest) -> CoachFuture<'_, FinishPrediction> {
        ready(FinishPrediction {
            distance: "21.1 km".to_owned(),
            finish: Some("1:46:10".to_owned()),
            fast: Some("1:42:00".to_owned()),
            slow: Some("1:51:00".to_owned()),
            basis: "10.0 km in 48:12 on 2026-05-03".to_owned(),
        })
    }

    fn notes(&self, _: NotesRequest) -> CoachFuture<'_, NoteList> {
        let note = NoteItem {
            note_id: NoteId::new(1),
            date: None,
            text: format!("{} prefers mornings.", self.name),
        };
        let ill = ObservationItem {
            kind: ObservationKind::Illness,
            from: self.today().plus_days(-20),
            through: self.today().plus_days(-18),
            value: Some(2),
            comment: Some("a cold".to_owned()),
        };
        ready(NoteList { notes: vec![note], observations: vec![ill] })
    }

    fn suggest_note(&self, suggestion: NoteSuggestion) -> CoachFuture<'_, SuggestionResult> {
        let id = self.record_write(ToolName::SuggestNote, &suggestion);
        ready(SuggestionResult {
            note_id: Some(NoteId::new(id)),
            observation_id: None,
            status: SuggestionStatus::Suggested,
            review: self.link("suggestions", id),
        })
    }

    fn suggest_observation(&self, suggestion: ObservationSuggestion) -> CoachFuture<'_, SuggestionResult> {
        let id = self.record_write(ToolName::SuggestObservation, &suggestion);
        ready(SuggestionResult {
            note_id: None,
            observation_id: Some(ObservationId::new(id)),
            status: SuggestionStatus::Suggested,
            review: self.link("suggestions", id),
        })
    }

    fn draft_training_plan(&self, ask: DraftPlanRequest) -> CoachFuture<'_, DraftResult> {
        if ask.race_date <= self.today() {
            return Box::pin(async {
                Err(CoachApiError::Refused(vec![
                    "The race date is in the past.".to_owned(),
                    "Give a `race_date` after today.".to_owned(),
                ]))
            });
        }
        let id = self.record_write(ToolName::DraftTrainingPlan, &ask);
        ready(DraftResult {
            plan_id: PlanId::new(id),
            status: PlanStatus::Draft,
            findings: Vec::new(),
            remarks: vec!["The first week repeats your recent volume.".to_owned()],
            weeks: vec!["2026-06-08: 41.0 km of running; Long run".to_owned()],
            review: self.link("plans", id),
        })
    }

    fn propose_modification(&self, response: Value) -> CoachFuture<'_, ProposalResponse> {
        Box::pin(
            async move { self.propose(ToolName::ProposeModification, ResponseKind::Modification, &response) },
        )
    }

    fn propose_week(&self, response: Value) -> CoachFuture<'_, ProposalResponse> {
        Box::pin(async move { self.propose(ToolName::ProposeWeek, ResponseKind::Week, &response) })
    }
}
