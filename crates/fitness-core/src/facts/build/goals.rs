//! Facts about thresholds, predicted times, the race of the plan and the last race.

use super::{FactInput, FactValueDraft, FactsBuilder};
use crate::domain::athlete::ThresholdKind;
use crate::domain::units::{Distance, Speed};
use crate::facts::definitions::FactName;
use crate::facts::input::{PastRace, RaceDistance};
use crate::facts::provenance::SourceRow;
use crate::facts::value::FactValue;
use crate::metrics::predict::{Prediction, ResultKind, SourceRace};
use crate::metrics::thresholds::in_force::{ThresholdInForce, required_input};
use crate::metrics::{MetricResult, MissingReason, RequiredInput};
use crate::plan::{Plan, PlanStatus};

pub(crate) fn add_facts(view: &FactInput<'_>, book: &mut FactsBuilder) {
    for kind in ThresholdKind::ALL.iter().copied() {
        book.insert(threshold_name(kind), threshold_fact(view, kind));
    }
    for distance in RaceDistance::ALL.iter().copied() {
        add_prediction(view, distance, book);
    }
    add_plan(view, book);
    add_last_race(view, book);
}

const fn threshold_name(kind: ThresholdKind) -> FactName {
    match kind {
        ThresholdKind::MaxHeartRate => FactName::ThresholdMaxHeartRate,
        ThresholdKind::RestingHeartRate => FactName::ThresholdRestingHeartRate,
        ThresholdKind::ThresholdHeartRate => FactName::ThresholdHeartRate,
        ThresholdKind::ThresholdSpeed => FactName::ThresholdPace,
        ThresholdKind::ThresholdPower => FactName::ThresholdPower,
        ThresholdKind::SwimSpeed => FactName::ThresholdSwimPace,
    }
}

fn threshold_fact(view: &FactInput<'_>, kind: ThresholdKind) -> MetricResult<FactValueDraft> {
    let in_force = |one: &&ThresholdInForce| one.threshold.kind == kind && one.threshold.from <= view.today();
    let rank = |a: &&ThresholdInForce, b: &&ThresholdInForce| {
        let (a, b) = (&a.threshold, &b.threshold);
        b.origin.cmp(&a.origin).then(a.from.cmp(&b.from)).then(a.value.total_cmp(&b.value))
    };
    let threshold = view.snapshot.thresholds.iter().filter(in_force).max_by(rank);
    let threshold = threshold.ok_or(MissingReason::missing(required_input(kind)))?;
    let speed = || {
        Speed::from_mps(threshold.value())
            .and_then(Speed::pace)
            .ok_or(MissingReason::missing(required_input(kind)))
    };
    let value = match kind {
        ThresholdKind::ThresholdSpeed | ThresholdKind::SwimSpeed => FactValue::Pace(speed()?),
        ThresholdKind::MaxHeartRate
        | ThresholdKind::RestingHeartRate
        | ThresholdKind::ThresholdHeartRate
        | ThresholdKind::ThresholdPower => FactValue::Number(threshold.value()),
    };
    // A threshold derived from another one has no row of its own.
    let row = threshold.share_of.unwrap_or(threshold.threshold);
    let source = SourceRow::Threshold { kind: row.kind, from: row.from, origin: row.origin };
    let method = if threshold.share_of.is_some() { "share of max heart rate" } else { row.origin.as_str() };
    let fact = FactValueDraft::new(value, view.today(), vec![source]);
    Ok(fact.with_quality(threshold.quality).with_method(method))
}

/// A predicted time and both ends of its range: all three or none.
fn add_prediction(view: &FactInput<'_>, distance: RaceDistance, book: &mut FactsBuilder) {
    let reason = match distance {
        RaceDistance::Race if active_plan(view).is_err() => MissingReason::missing(RequiredInput::Plan),
        _ => MissingReason::NotYet,
    };
    let found = view.snapshot.predictions.iter().find(|(name, _)| *name == distance);
    let finish = found.map_or(Err(reason), |(_, found)| finish_facts(view, distance, found));
    for (at, name) in distance.fact_names().into_iter().enumerate() {
        book.insert(name, finish.clone().map(|finish| finish[at].clone()));
    }
}

fn finish_facts(
    view: &FactInput<'_>,
    distance: RaceDistance,
    found: &MetricResult<Prediction>,
) -> MetricResult<[FactValueDraft; 3]> {
    let prediction = found.as_ref().map_err(Clone::clone)?;
    let target = match distance.distance() {
        Some(target) => target,
        None => race_distance(active_plan(view)?)?,
    };
    // A plan may say 21.1 km for a half marathon, so 0.2 % is allowed.
    if (target.mm() - prediction.target.mm()).abs() > target.mm() / 500 {
        return Err(MissingReason::Contradiction {
            what: "the prediction is for another distance".to_owned(),
        });
    }
    let mut sources: Vec<SourceRow> =
        prediction.sources.iter().map(|raced| source_row(view, raced)).collect();
    if distance == RaceDistance::Race {
        sources.push(SourceRow::Plan(active_plan(view)?.id));
    }
    let methods: Vec<&str> = prediction.members.iter().map(|member| member.method.as_str()).collect();
    let quality = prediction.quality.combine(FactInput::staleness(prediction.as_of, view.yesterday()));
    let told = |time| {
        FactValueDraft::new(FactValue::Time(time), prediction.as_of, sources.clone()).with_quality(quality)
    };
    let shown = prediction.shown;
    let point = told(shown.time).with_method(methods.join(", "));
    let band = [point, told(shown.low), told(shown.high)];
    // All three are left out if one of them cannot be shown.
    let fits = distance.fact_names().into_iter().zip(&band).all(|(name, told)| name.unit().fits(&told.value));
    if fits {
        Ok(band)
    } else {
        Err(MissingReason::OutOfRange { what: "the predicted time is too long".to_owned() })
    }
}

/// The row of a race that a prediction is based on; for a best effort in training, its day.
fn source_row(view: &FactInput<'_>, raced: &SourceRace) -> SourceRow {
    let same = |race: &&PastRace| {
        let result = &race.result;
        result.on == raced.on
            && (result.distance, result.time, result.effort)
                == (raced.mark.distance(), raced.mark.time(), raced.effort)
    };
    let race = view.snapshot.races.iter().filter(same).map(|race| race.id).min();
    race.map_or(SourceRow::Day(raced.on.unwrap_or(view.today())), SourceRow::Race)
}

/// The active plan; drafts have no facts.
pub(crate) fn active_plan<'a>(view: &FactInput<'a>) -> MetricResult<&'a Plan> {
    let plan = view.snapshot.plan.filter(|plan| plan.status == PlanStatus::Active);
    plan.ok_or(MissingReason::missing(RequiredInput::Plan))
}

fn add_plan(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let plan = active_plan(view);
    let mut put = |name: FactName, value: &dyn Fn(&Plan) -> MetricResult<FactValue>| {
        let told =
            |plan: &Plan| Ok(FactValueDraft::new(value(plan)?, view.today(), vec![SourceRow::Plan(plan.id)]));
        book.insert(name, plan.clone().and_then(told));
    };
    put(FactName::RaceDay, &|plan| Ok(FactValue::Day(plan.race_date)));
    put(FactName::DaysToRace, &|plan| match view.today().days_until(plan.race_date) {
        days @ 0.. => Ok(FactValue::Number(days as f64)),
        _ => Err(MissingReason::OutOfRange { what: "the race is over".to_owned() }),
    });
    put(FactName::RaceDistance, &|plan| race_distance(plan).map(FactValue::Distance));
    put(FactName::RaceGoalTime, &|plan| {
        plan.target_time.map(FactValue::Time).ok_or(MissingReason::missing(RequiredInput::GoalTime))
    });
}

fn race_distance(plan: &Plan) -> MetricResult<Distance> {
    plan.distance.or(plan.goal.distance()).ok_or(MissingReason::missing(RequiredInput::RaceDistance))
}

fn add_last_race(view: &FactInput<'_>, book: &mut FactsBuilder) {
    let raced = |race: &&PastRace| {
        race.result.effort == ResultKind::Race && race.result.on.is_some_and(|on| on <= view.today())
    };
    let last = view.snapshot.races.iter().filter(raced).max_by_key(|race| (race.result.on, race.id));
    let last = last
        .and_then(|race| Some((race, race.result.on?)))
        .ok_or(MissingReason::missing(RequiredInput::Race));
    let told = |value: &dyn Fn(&PastRace) -> FactValue| {
        let (race, on) = last.clone()?;
        Ok(FactValueDraft::new(value(race), on, vec![SourceRow::Race(race.id)]))
    };
    let day = last.clone().map(|(race, on)| {
        FactValueDraft::new(FactValue::Day(on), view.today(), vec![SourceRow::Race(race.id)])
    });
    book.insert(FactName::LastRaceDay, day);
    book.insert(FactName::LastRaceDistance, told(&|race| FactValue::Distance(race.result.distance)));
    book.insert(FactName::LastRaceTime, told(&|race| FactValue::Time(race.result.time)));
}
