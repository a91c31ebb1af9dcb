//! Facts about load and what it led to.

use super::{EveningState, FactInput, FactValueDraft, FactsBuilder, Window};
use crate::domain::calendar::Day;
use crate::facts::definitions::FactName;
use crate::facts::input::PastActivity;
use crate::facts::provenance::SourceRow;
use crate::facts::value::{FactValue, FactWord};
use crate::metrics::fitness::{Form, shown_form};
use crate::metrics::{MetricResult, MissingReason, Quality};

pub(crate) fn add_facts(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let evening = view.evening().and_then(|evening| match unknown_load(&view.activities) {
        // Unknown loads do not make a fitness of zero.
        Some(why) if evening.training.fitness <= 0.0 => Err(why),
        _ => Ok(evening),
    });
    let fact = |value: &dyn Fn(&EveningState<'_>) -> MetricResult<FactValue>| {
        let evening = evening.clone()?;
        Ok(evening_fact(view, &evening, value(&evening)?))
    };
    book.insert(FactName::Fitness, fact(&|evening| Ok(FactValue::Number(evening.training.fitness))));
    let settled = |evening: &EveningState<'_>| FactValue::Number(f64::from(evening.training.settled_percent));
    book.insert(FactName::FitnessSettled, fact(&|evening| Ok(settled(evening))));
    book.insert(FactName::Fatigue, fact(&|evening| Ok(FactValue::Number(evening.training.fatigue))));
    book.insert(
        FactName::Ramp,
        fact(&|evening| Ok(FactValue::Number(evening.training.ramp.clone()?.per_week))),
    );
    book.insert(
        FactName::RampBand,
        fact(&|evening| Ok(FactValue::Word(FactWord::Ramp(evening.training.ramp.clone()?.band?)))),
    );
    book.insert(FactName::Monotony, evening.clone().and_then(|evening| monotony_fact(view, &evening)));
    book.insert(
        FactName::Load7To28Days,
        evening.clone().and_then(|evening| acute_chronic_fact(view, &evening)),
    );
    let form = |value: &dyn Fn(Form) -> MetricResult<FactValue>| {
        let evening = evening.clone()?;
        let form = evening.state.fitness.form();
        let (quality, morning) = (form.quality, evening.day.next());
        let fact = FactValueDraft { as_of: morning, ..evening_fact(view, &evening, value(form)?) };
        Ok(fact.with_quality(quality))
    };
    let evening_state = evening.as_ref().ok().map(|evening| &evening.state.fitness);
    let shown = evening_state.map(|state| shown_form(state.fitness(), state.fatigue()));
    book.insert(FactName::Form, form(&|form| Ok(FactValue::Number(shown.unwrap_or(form.value)))));
    book.insert(FactName::FormBand, form(&|form| Ok(FactValue::Word(FactWord::Form(form.band?)))));

    book.insert(FactName::LoadYesterday, view.window(1, 1).and_then(|window| load_fact(view, &window)));
    book.insert(FactName::Load7Days, view.window(1, 7).and_then(|window| load_fact(view, &window)));
    book.insert(FactName::Load7DaysBefore, view.window(8, 7).and_then(|window| load_fact(view, &window)));
}

/// Why the load of the first activity without one is unknown.
fn unknown_load(sessions: &[&PastActivity<'_>]) -> Option<MissingReason> {
    sessions.iter().find_map(|session| session.metrics.load.as_ref().err().cloned())
}

/// A fact of an evening; its source is every day since the first.
fn evening_fact(view: &FactInput<'_>, evening: &EveningState<'_>, value: FactValue) -> FactValueDraft {
    let sources = vec![SourceRow::Days { from: evening.first_day(), through: evening.day }];
    FactValueDraft::new(value, evening.day, sources)
        .with_quality(evening.training.quality)
        .with_quality(FactInput::staleness(evening.day, view.yesterday()))
        .with_learning(evening.state.fitness.learning())
}

fn monotony_fact(view: &FactInput<'_>, evening: &EveningState<'_>) -> MetricResult<FactValueDraft> {
    let monotony = evening.training.monotony.clone()?;
    let sources = vec![view.source_rows(evening.day.plus_days(-6), evening.day)];
    Ok(FactValueDraft::from_number(monotony.monotony, evening.day, sources)
        .with_quality(monotony.quality)
        .with_quality(FactInput::staleness(evening.day, view.yesterday())))
}

/// Acute:chronic load ratio. Descriptive only.
fn acute_chronic_fact(view: &FactInput<'_>, evening: &EveningState<'_>) -> MetricResult<FactValueDraft> {
    let ratios = &evening.training.acute_chronic;
    let sources = vec![view.source_rows(evening.day.plus_days(-27), evening.day)];
    Ok(FactValueDraft::from_number(ratios.coupled.clone()?, evening.day, sources)
        .with_quality(ratios.quality)
        .with_quality(FactInput::staleness(evening.day, view.yesterday())))
}

/// Training load of a period of complete days. Unknown if a load is unknown and the rest is zero.
fn load_fact(view: &FactInput<'_>, window: &Window<'_>) -> MetricResult<FactValueDraft> {
    let total: f64 = window.trainings.iter().map(|day| day.load.total()).sum();
    let incomplete = window.trainings.iter().any(|day| day.load.is_incomplete());
    let within = |day: Day| (window.from..=window.through).contains(&day);
    let sessions: Vec<_> =
        view.activities.iter().filter(|session| within(session.activity.day())).copied().collect();
    if incomplete && total <= 0.0 {
        return Err(unknown_load(&sessions).unwrap_or(MissingReason::NotYet));
    }
    let (from, through) = (window.from, window.through);
    let days = if from == through { SourceRow::Day(through) } else { SourceRow::Days { from, through } };
    let rows = sessions.iter().map(|session| SourceRow::Activity(session.id));
    let sources = std::iter::once(days).chain(rows).collect();
    let doubts = sessions.iter().filter_map(|session| Some(session.metrics.load.as_ref().ok()?.quality));
    let doubt = if incomplete { Quality::Provisional } else { Quality::Ok };
    Ok(FactValueDraft::from_number(total, window.through, sources)
        .with_quality(doubts.fold(doubt, Quality::combine)))
}
