//! Facts about load and what it led to.

use super::{Book, Evening, Told, View, Window};
use crate::domain::calendar::Day;
use crate::facts::input::PastSession;
use crate::facts::provenance::SourceRow;
use crate::facts::table::FactName;
use crate::facts::value::{FactValue, FactWord};
use crate::metrics::fitness::Form;
use crate::metrics::{Absent, Found, Quality};

pub(crate) fn write(view: &View<'_>, book: &mut Book) {
    let evening = view.evening().and_then(|evening| match unknown_load(&view.sessions) {
        // A fitness of nothing, made of loads that nobody knows, is no fitness of zero.
        Some(why) if evening.training.fitness <= 0.0 => Err(why),
        _ => Ok(evening),
    });
    let told = |value: &dyn Fn(&Evening<'_>) -> Found<FactValue>| {
        let evening = evening.clone()?;
        Ok(of_evening(view, &evening, value(&evening)?))
    };
    book.put(FactName::Fitness, told(&|evening| Ok(FactValue::Number(evening.training.fitness))));
    let settled = |evening: &Evening<'_>| FactValue::Number(f64::from(evening.training.settled_percent));
    book.put(FactName::FitnessSettled, told(&|evening| Ok(settled(evening))));
    book.put(FactName::Fatigue, told(&|evening| Ok(FactValue::Number(evening.training.fatigue))));
    book.put(FactName::Ramp, told(&|evening| Ok(FactValue::Number(evening.training.ramp.clone()?.per_week))));
    book.put(
        FactName::RampBand,
        told(&|evening| Ok(FactValue::Word(FactWord::Ramp(evening.training.ramp.clone()?.band?)))),
    );
    book.put(FactName::Monotony, evening.clone().and_then(|evening| monotony(view, &evening)));
    book.put(FactName::Load7To28Days, evening.clone().and_then(|evening| week_to_month(view, &evening)));
    let form = |value: &dyn Fn(Form) -> Found<FactValue>| {
        let evening = evening.clone()?;
        let form = evening.state.fitness.form();
        let (quality, morning) = (form.quality, evening.day.next());
        let told = Told { as_of: morning, ..of_evening(view, &evening, value(form)?) };
        Ok(told.with(quality))
    };
    book.put(FactName::Form, form(&|form| Ok(FactValue::Number(form.value))));
    book.put(FactName::FormBand, form(&|form| Ok(FactValue::Word(FactWord::Form(form.band?)))));

    book.put(FactName::LoadYesterday, view.window(1, 1).and_then(|window| load(view, &window)));
    book.put(FactName::Load7Days, view.window(1, 7).and_then(|window| load(view, &window)));
    book.put(FactName::Load7DaysBefore, view.window(8, 7).and_then(|window| load(view, &window)));
}

/// Why a session's load is not known, if there is such a session.
fn unknown_load(sessions: &[&PastSession<'_>]) -> Option<Absent> {
    sessions.iter().find_map(|session| session.judged.load.as_ref().err().cloned())
}

/// What the evening's fitness is made from: every day since the first.
fn of_evening(view: &View<'_>, evening: &Evening<'_>, value: FactValue) -> Told {
    let sources = vec![SourceRow::Days { from: evening.first(), through: evening.day }];
    Told::new(value, evening.day, sources)
        .with(evening.training.quality)
        .with(View::age(evening.day, view.yesterday()))
        .learning(evening.state.fitness.learning())
}

fn monotony(view: &View<'_>, evening: &Evening<'_>) -> Found<Told> {
    let monotony = evening.training.monotony.clone()?;
    let sources = vec![view.rows(evening.day.plus(-6), evening.day)];
    Ok(Told::number(monotony.monotony, evening.day, sources)
        .with(monotony.quality)
        .with(View::age(evening.day, view.yesterday())))
}

/// The week against the month it ends. It describes; nothing is concluded from it.
fn week_to_month(view: &View<'_>, evening: &Evening<'_>) -> Found<Told> {
    let ratios = &evening.training.acute_chronic;
    let sources = vec![view.rows(evening.day.plus(-27), evening.day)];
    Ok(Told::number(ratios.coupled.clone()?, evening.day, sources)
        .with(ratios.quality)
        .with(View::age(evening.day, view.yesterday())))
}

/// The load of a stretch of complete days. Where all that is known of it is nothing, and something is unknown, nothing
/// is said.
fn load(view: &View<'_>, window: &Window<'_>) -> Found<Told> {
    let total: f64 = window.trainings.iter().map(|day| day.load.total()).sum();
    let incomplete = window.trainings.iter().any(|day| day.load.is_incomplete());
    let within = |day: Day| (window.from..=window.through).contains(&day);
    let sessions: Vec<_> =
        view.sessions.iter().filter(|session| within(session.activity.day())).copied().collect();
    if incomplete && total <= 0.0 {
        return Err(unknown_load(&sessions).unwrap_or(Absent::NotYet));
    }
    let (from, through) = (window.from, window.through);
    let days = if from == through { SourceRow::Day(through) } else { SourceRow::Days { from, through } };
    let rows = sessions.iter().map(|session| SourceRow::Activity(session.id));
    let sources = std::iter::once(days).chain(rows).collect();
    let doubts = sessions.iter().filter_map(|session| Some(session.judged.load.as_ref().ok()?.quality));
    let doubt = if incomplete { Quality::Provisional } else { Quality::Ok };
    Ok(Told::number(total, window.through, sources).with(doubts.fold(doubt, Quality::with)))
}
