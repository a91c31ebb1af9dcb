//! The athlete's current VDOT.

use super::race::usable_results;
use super::{CURRENT_FORM_DAYS, RaceResult, ResultKind, SourceRace, Vdot, YEAR, interval};
use crate::domain::calendar::Day;
use crate::metrics::{MetricResult, MissingReason, Quality, RequiredInput};
use serde::Serialize;

/// A VDOT and the result it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurrentVdot {
    pub vdot: Vdot,
    pub source: SourceRace,
    pub as_of: Day,
    /// Hard training is `provisional`, an old result `stale`.
    pub quality: Quality,
}

impl CurrentVdot {
    /// Whether the result is too old to reflect current form.
    #[must_use]
    pub fn is_old(&self) -> bool {
        self.source.age(self.as_of) > CURRENT_FORM_DAYS
    }
}

/// VDOT for training paces: the highest of the races and time trials of the last 120 days, else of
/// the latest within a year. Hard training counts only if there are neither.
///
/// 5 km in 20:00 last week and a half marathon in 1:45:00 in spring: 49.8, from the 5 km.
///
/// # Errors
/// When there is no result of the last year, or none is plausible and took 3.5 to 240 minutes.
pub fn current_vdot(results: &[RaceResult], as_of: Day) -> MetricResult<CurrentVdot> {
    let (races, left_out) = usable_results(results, as_of);
    let (mut rated, mut refused): (Vec<(SourceRace, Vdot)>, Option<MissingReason>) = (Vec::new(), None);
    for race in races.iter().filter(|race| race.age(as_of) <= YEAR) {
        match Vdot::from_race(race.mark) {
            Ok(vdot) => rated.push((*race, vdot)),
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    let refused = refused.or_else(|| left_out.first().map(|left| left.why.clone()));
    let telling = |trained: bool| {
        let fits = |(race, _): &&(SourceRace, Vdot)| (race.effort == ResultKind::Training) == trained;
        let fresh = rated.iter().filter(fits).filter(|(race, _)| race.age(as_of) <= CURRENT_FORM_DAYS);
        let best = fresh.max_by(|a, b| a.1.value().total_cmp(&b.1.value()).then_with(|| a.0.cmp(&b.0)));
        best.or_else(|| rated.iter().filter(fits).max_by_key(|(race, _)| (race.day(as_of), *race)))
    };
    let (source, vdot) = telling(false)
        .or_else(|| telling(true))
        .copied()
        .ok_or(refused.unwrap_or(MissingReason::missing(RequiredInput::RaceOf1500M)))?;
    let mut quality = if source.effort == ResultKind::Training { Quality::Provisional } else { Quality::Ok };
    if source.age(as_of) > interval::STALE_AFTER_DAYS {
        quality = quality.combine(Quality::Stale);
    }
    Ok(CurrentVdot { vdot, source, as_of, quality })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::units::{Distance, TimeSpan};

    fn ran(km: f64, minutes: i64, ago: i64, effort: ResultKind) -> RaceResult {
        let on = Some(today().plus_days(-ago));
        RaceResult {
            distance: Distance::from_km(km).unwrap(),
            time: TimeSpan::from_mins(minutes),
            on,
            effort,
        }
    }

    fn today() -> Day {
        "2026-11-15".parse().unwrap()
    }

    #[test]
    fn the_best_of_this_form_counts_then_the_latest_and_training_last() {
        let five = ran(5.0, 20, 7, ResultKind::Race);
        let half = ran(21.0975, 105, 100, ResultKind::Race);
        let old = ran(5.0, 18, 200, ResultKind::Race);
        let trained = ran(5.0, 17, 3, ResultKind::Training);
        let of = |results: &[RaceResult]| current_vdot(results, today()).unwrap();
        let best = of(&[five, half, old, trained]);
        assert!((best.vdot.value() - 49.806).abs() < 0.001, "{best:?}");
        assert_eq!((best.source.on, best.quality), (five.on, Quality::Ok));
        assert_eq!(of(&[old, trained]).source.on, old.on);
        assert_eq!(of(&[old, trained]).quality, Quality::Stale);
        assert_eq!((of(&[trained]).source.on, of(&[trained]).quality), (trained.on, Quality::Provisional));
        let gone = ran(5.0, 20, 400, ResultKind::Race);
        let coming = ran(5.0, 20, -1, ResultKind::Race);
        assert_eq!(
            current_vdot(&[gone, coming], today()),
            Err(MissingReason::missing(RequiredInput::RaceOf1500M))
        );
        let why = |result| current_vdot(&[result], today()).unwrap_err().to_string();
        assert!(why(ran(100.0, 720, 7, ResultKind::Race)).contains("3.5 to 240 minutes"));
        assert!(why(ran(5.0, 5, 7, ResultKind::Race)).contains("faster than any human"));
        // An undated one counts as of today.
        assert_eq!(of(&[RaceResult { on: None, ..five }, half]).source.on, None);
    }
}
