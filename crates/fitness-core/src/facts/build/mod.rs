//! Builds all facts from a snapshot of the stored data.

pub(crate) mod activities;
pub(crate) mod goals;
pub(crate) mod plan_day;
pub(crate) mod recovery;
pub(crate) mod training;

use super::definitions::FactName;
use super::input::{PastActivity, Snapshot};
use super::provenance::SourceRow;
use super::value::FactValue;
use super::{Fact, Facts, MissingFact};
use crate::adherence::data_frontier::DayCoverage;
use crate::domain::calendar::Day;
use crate::metrics::day::{DayMetrics, DayState, TrainingMetrics};
use crate::metrics::{CountUnit, DataProgress, MetricResult, MissingReason, Quality};
use std::collections::BTreeMap;

/// Every fact of the table, known or missing with its reason.
///
/// Days and activities after today or beyond the data frontier are ignored. A sum over days needs
/// complete data for each day; it is provisional if one of its loads or distances is unknown.
#[must_use]
pub fn build_facts(snapshot: &Snapshot<'_>) -> Facts {
    let view = FactInput::new(snapshot);
    let mut book = FactsBuilder::default();
    training::add_facts(&view, &mut book);
    activities::add_facts(&view, &mut book);
    recovery::add_facts(&view, &mut book);
    goals::add_facts(&view, &mut book);
    plan_day::add_facts(&view, &mut book);
    book.build()
}

/// Value of a fact before it gets its id and unit.
#[derive(Debug, Clone)]
pub(super) struct FactValueDraft {
    pub(super) value: FactValue,
    pub(super) as_of: Day,
    pub(super) sources: Vec<SourceRow>,
    pub(super) quality: Quality,
    pub(super) learning: Option<DataProgress>,
    /// Overrides the method of the table.
    pub(super) method: Option<String>,
}

impl FactValueDraft {
    pub(super) fn new(value: FactValue, as_of: Day, sources: Vec<SourceRow>) -> Self {
        Self { value, as_of, sources, quality: Quality::Ok, learning: None, method: None }
    }

    pub(super) fn from_number(value: f64, as_of: Day, sources: Vec<SourceRow>) -> Self {
        Self::new(FactValue::Number(value), as_of, sources)
    }

    /// Lowers the quality to this one if it is worse.
    pub(super) fn with_quality(mut self, quality: Quality) -> Self {
        self.quality = self.quality.combine(quality);
        self
    }

    /// Sets the learning progress; of two, the one with more left to learn is kept.
    pub(super) fn with_learning(mut self, learning: Option<DataProgress>) -> Self {
        let left = |learning: &DataProgress| learning.needed - learning.have.min(learning.needed);
        self.learning = self.learning.into_iter().chain(learning).max_by_key(left);
        self
    }

    pub(super) fn with_method(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }
}

/// Facts so far, by name.
#[derive(Debug, Default)]
pub(super) struct FactsBuilder(BTreeMap<FactName, MetricResult<FactValueDraft>>);

impl FactsBuilder {
    /// Inserts a fact or the reason why it is missing. A value that its unit cannot show is
    /// missing.
    pub(super) fn insert(&mut self, name: FactName, found: MetricResult<FactValueDraft>) {
        let fits = |fact: FactValueDraft| {
            let what = "the value is not plausible; correct or delete the activity it comes from";
            let unfit = || MissingReason::OutOfRange { what: what.to_owned() };
            if name.unit().fits(&fact.value) { Ok(fact) } else { Err(unfit()) }
        };
        self.0.insert(name, found.and_then(fits));
    }

    fn build(mut self) -> Facts {
        let (mut known, mut missing) = (Vec::new(), Vec::new());
        for name in FactName::ALL.iter().copied() {
            let id = name.into();
            match self.0.remove(&name).unwrap_or(Err(MissingReason::NotYet)) {
                Ok(fact) => known.push(Fact {
                    id,
                    value: fact.value,
                    unit: name.unit(),
                    as_of: fact.as_of,
                    sources: fact.sources,
                    method: fact.method.unwrap_or_else(|| name.method().to_owned()),
                    quality: fact.quality,
                    learning: fact.learning,
                }),
                Err(why) => missing.push(MissingFact { id, why }),
            }
        }
        Facts::new(known, missing)
            .expect("names are unique, values fit their unit, and a range comes with its prediction")
    }
}

/// A snapshot without data after today or beyond the data frontier, sorted.
pub(super) struct FactInput<'a> {
    pub(super) snapshot: &'a Snapshot<'a>,
    pub(super) days: BTreeMap<Day, &'a DayMetrics>,
    /// By start time, the latest last.
    pub(super) activities: Vec<&'a PastActivity<'a>>,
}

/// A complete day's training and the state carried over to the next day.
#[derive(Clone, Copy)]
pub(super) struct EveningState<'a> {
    pub(super) day: Day,
    pub(super) training: &'a TrainingMetrics,
    pub(super) state: &'a DayState,
}

/// A period of complete days.
pub(super) struct Window<'a> {
    pub(super) from: Day,
    pub(super) through: Day,
    /// One entry per day.
    pub(super) trainings: Vec<&'a TrainingMetrics>,
}

impl<'a> FactInput<'a> {
    fn new(snapshot: &'a Snapshot<'a>) -> Self {
        let seen =
            |day: Day| day <= snapshot.today && snapshot.frontier.day_coverage(day) != DayCoverage::Beyond;
        let days = snapshot.days.iter().filter(|day| seen(day.day)).map(|day| (day.day, day)).collect();
        let mut activities: Vec<_> =
            snapshot.activities.iter().filter(|session| seen(session.activity.day())).collect();
        activities.sort_by_key(|session| (session.activity.started_at, session.id));
        activities.dedup_by_key(|session| session.id);
        Self { snapshot, days, activities }
    }

    pub(super) const fn today(&self) -> Day {
        self.snapshot.today
    }

    pub(super) fn yesterday(&self) -> Day {
        self.today().previous()
    }

    pub(super) fn is_complete(&self, day: Day) -> bool {
        self.snapshot.frontier.day_coverage(day) == DayCoverage::Complete
    }

    /// Today, if any of its data is synced.
    pub(super) fn morning(&self) -> MetricResult<&'a DayMetrics> {
        self.day(self.today())
    }

    pub(super) fn day(&self, day: Day) -> MetricResult<&'a DayMetrics> {
        self.days.get(&day).copied().ok_or(MissingReason::NotYet)
    }

    /// The newest day with data.
    pub(super) fn newest(&self) -> MetricResult<&'a DayMetrics> {
        self.days.last_key_value().map(|(_, day)| *day).ok_or(MissingReason::NotYet)
    }

    /// The last complete day before today. Never today, even if it is complete, so that fitness and
    /// fatigue are the ones that form is computed from.
    pub(super) fn evening(&self) -> MetricResult<EveningState<'a>> {
        let evening = |(day, metrics): (&Day, &&'a DayMetrics)| {
            let training = metrics.training.as_ref().ok()?;
            let state = metrics.state.as_ref()?;
            self.is_complete(*day).then_some(EveningState { day: *day, training, state })
        };
        self.days.range(..=self.yesterday()).rev().find_map(evening).ok_or(MissingReason::NotYet)
    }

    /// A period of `length` days that ends `ago` days ago.
    pub(super) fn window(&self, ago: i64, length: i64) -> MetricResult<Window<'a>> {
        let through = self.today().plus_days(-ago);
        let from = through.plus_days(1 - length);
        if !self.is_complete(through) {
            return Err(MissingReason::NotYet);
        }
        let training = |day| self.days.get(&day).and_then(|metrics| metrics.training.as_ref().ok());
        let trainings: Vec<&TrainingMetrics> = from.through(through).filter_map(training).collect();
        let window = Window { from, through, trainings };
        require_days(window.trainings.len() as i64, length).map(|()| window)
    }

    /// Source rows of a period, cut at the first day of data.
    pub(super) fn source_rows(&self, from: Day, through: Day) -> SourceRow {
        let first = self.evening().ok().map(|evening| evening.first_day());
        let from = first.filter(|first| *first <= through).map_or(from, |first| from.max(first));
        SourceRow::Days { from, through }
    }

    /// Stale if `day` is before `expected`.
    pub(super) fn staleness(day: Day, expected: Day) -> Quality {
        if day < expected { Quality::Stale } else { Quality::Ok }
    }
}

impl EveningState<'_> {
    pub(super) fn first_day(&self) -> Day {
        self.day.plus_days(1 - i64::from(self.state.fitness.days()))
    }
}

/// Fails if there are fewer days than needed.
pub(super) fn require_days(have: i64, needed: i64) -> MetricResult<()> {
    let count = |days: i64| u32::try_from(days.max(0)).unwrap_or(u32::MAX);
    if have >= needed {
        return Ok(());
    }
    Err(MissingReason::TooFew { have: count(have), needed: count(needed), what: CountUnit::Days })
}
