//! From what is stored to facts.

pub(crate) mod activities;
pub(crate) mod goals;
pub(crate) mod plan_day;
pub(crate) mod recovery;
pub(crate) mod training;

use super::input::{PastActivity, Snapshot};
use super::provenance::SourceRow;
use super::table::FactName;
use super::value::FactValue;
use super::{Fact, Facts, MissingFact};
use crate::adherence::data_frontier::DayCoverage;
use crate::domain::calendar::Day;
use crate::metrics::day::{DayMetrics, DayState, Training};
use crate::metrics::{CountUnit, Learning, MetricResult, MissingReason, Quality};
use std::collections::BTreeMap;

/// Every fact of the table, known or missing with its reason.
///
/// Days and sessions after today or beyond the frontier are not looked at. A sum over days is given only when each of
/// them is complete; where a load or a distance among them is unknown it is provisional, as it may be more.
#[must_use]
pub fn build_facts(snapshot: &Snapshot<'_>) -> Facts {
    let view = View::new(snapshot);
    let mut book = FactsBuilder::default();
    training::add_facts(&view, &mut book);
    activities::add_facts(&view, &mut book);
    recovery::add_facts(&view, &mut book);
    goals::add_facts(&view, &mut book);
    plan_day::add_facts(&view, &mut book);
    book.build()
}

/// What was found for a fact.
#[derive(Debug, Clone)]
pub(super) struct FactValueDraft {
    pub(super) value: FactValue,
    pub(super) as_of: Day,
    pub(super) sources: Vec<SourceRow>,
    pub(super) quality: Quality,
    pub(super) learning: Option<Learning>,
    /// How, where it is not always the same.
    pub(super) method: Option<String>,
}

impl FactValueDraft {
    pub(super) fn new(value: FactValue, as_of: Day, sources: Vec<SourceRow>) -> Self {
        Self { value, as_of, sources, quality: Quality::Ok, learning: None, method: None }
    }

    pub(super) fn from_number(value: f64, as_of: Day, sources: Vec<SourceRow>) -> Self {
        Self::new(FactValue::Number(value), as_of, sources)
    }

    /// The same, no firmer than this.
    pub(super) fn with_quality(mut self, quality: Quality) -> Self {
        self.quality = self.quality.combine(quality);
        self
    }

    /// The same, of which so much is learned. Of two the one that is further from its end counts.
    pub(super) fn with_learning(mut self, learning: Option<Learning>) -> Self {
        let left = |learning: &Learning| learning.needed - learning.have.min(learning.needed);
        self.learning = self.learning.into_iter().chain(learning).max_by_key(left);
        self
    }

    pub(super) fn with_method(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }
}

/// What was found so far, by name: nothing can be there twice.
#[derive(Debug, Default)]
pub(super) struct FactsBuilder(BTreeMap<FactName, MetricResult<FactValueDraft>>);

impl FactsBuilder {
    /// Writes down a fact, or why there is none. What its unit cannot show is no fact.
    pub(super) fn insert(&mut self, name: FactName, found: MetricResult<FactValueDraft>) {
        let fits = |told: FactValueDraft| {
            let what = "a value no athlete has; correct or delete the activity it comes from";
            let unfit = || MissingReason::OutOfRange { what: what.to_owned() };
            if name.unit().fits(&told.value) { Ok(told) } else { Err(unfit()) }
        };
        self.0.insert(name, found.and_then(fits));
    }

    fn build(mut self) -> Facts {
        let (mut known, mut missing) = (Vec::new(), Vec::new());
        for name in FactName::ALL.iter().copied() {
            let id = name.into();
            match self.0.remove(&name).unwrap_or(Err(MissingReason::NotYet)) {
                Ok(told) => known.push(Fact {
                    id,
                    value: told.value,
                    unit: name.unit(),
                    as_of: told.as_of,
                    sources: told.sources,
                    method: told.method.unwrap_or_else(|| name.method().to_owned()),
                    quality: told.quality,
                    learning: told.learning,
                }),
                Err(why) => missing.push(MissingFact { id, why }),
            }
        }
        Facts::new(known, missing)
            .expect("names are unique, values fit, and a band is written with its point")
    }
}

/// A snapshot without what nobody knows yet, in order.
pub(super) struct View<'a> {
    pub(super) snapshot: &'a Snapshot<'a>,
    /// What each day means.
    pub(super) days: BTreeMap<Day, &'a DayMetrics>,
    /// The sessions, the latest last.
    pub(super) activities: Vec<&'a PastActivity<'a>>,
}

/// A complete day's training and what carries over from it.
#[derive(Clone, Copy)]
pub(super) struct Evening<'a> {
    pub(super) day: Day,
    pub(super) training: &'a Training,
    pub(super) state: &'a DayState,
}

/// A stretch of complete days.
pub(super) struct Window<'a> {
    pub(super) from: Day,
    pub(super) through: Day,
    /// One entry for each of its days.
    pub(super) trainings: Vec<&'a Training>,
}

impl<'a> View<'a> {
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

    /// Today, as far as its data has arrived.
    pub(super) fn morning(&self) -> MetricResult<&'a DayMetrics> {
        self.day(self.today())
    }

    pub(super) fn day(&self, day: Day) -> MetricResult<&'a DayMetrics> {
        self.days.get(&day).copied().ok_or(MissingReason::NotYet)
    }

    /// The newest day there is.
    pub(super) fn newest(&self) -> MetricResult<&'a DayMetrics> {
        self.days.last_key_value().map(|(_, day)| *day).ok_or(MissingReason::NotYet)
    }

    /// The last complete day before today. Today's own evening is not it, even when today is complete: so fitness
    /// and fatigue are those that form was made from.
    pub(super) fn evening(&self) -> MetricResult<Evening<'a>> {
        let evening = |(day, metrics): (&Day, &&'a DayMetrics)| {
            let training = metrics.training.as_ref().ok()?;
            let state = metrics.state.as_ref()?;
            self.is_complete(*day).then_some(Evening { day: *day, training, state })
        };
        self.days.range(..=self.yesterday()).rev().find_map(evening).ok_or(MissingReason::NotYet)
    }

    /// So many days, the last of them so many days ago.
    pub(super) fn window(&self, ago: i64, length: i64) -> MetricResult<Window<'a>> {
        let through = self.today().plus_days(-ago);
        let from = through.plus_days(1 - length);
        if !self.is_complete(through) {
            return Err(MissingReason::NotYet);
        }
        let training = |day| self.days.get(&day).and_then(|metrics| metrics.training.as_ref().ok());
        let trainings: Vec<&Training> = from.through(through).filter_map(training).collect();
        let window = Window { from, through, trainings };
        require_days(window.trainings.len() as i64, length).map(|()| window)
    }

    /// Rows of days, from no earlier than the first day of data.
    pub(super) fn source_rows(&self, from: Day, through: Day) -> SourceRow {
        let first = self.evening().ok().map(|evening| evening.first_day());
        let from = first.filter(|first| *first <= through).map_or(from, |first| from.max(first));
        SourceRow::Days { from, through }
    }

    /// Doubt about what is older than it could be.
    pub(super) fn staleness(day: Day, expected: Day) -> Quality {
        if day < expected { Quality::Stale } else { Quality::Ok }
    }
}

impl Evening<'_> {
    /// The first day of data.
    pub(super) fn first_day(&self) -> Day {
        self.day.plus_days(1 - i64::from(self.state.fitness.days()))
    }
}

/// Whether so many days are all that it takes.
pub(super) fn require_days(have: i64, needed: i64) -> MetricResult<()> {
    let count = |days: i64| u32::try_from(days.max(0)).unwrap_or(u32::MAX);
    if have >= needed {
        return Ok(());
    }
    Err(MissingReason::TooFew { have: count(have), needed: count(needed), what: CountUnit::Days })
}
