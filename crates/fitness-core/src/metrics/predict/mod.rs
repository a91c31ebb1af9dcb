//! The predicted finish: a time, the band around it, and what both were made from.
//!
//! Start at [`predict`]. Up to the half marathon every recent race has its say by a power law; the marathon is the middle
//! of a fitted formula, the training and the athlete's last marathons; distances between and up to 50 km follow a power
//! law with a bend. The formulas stand alone in their files, the band in [`Finish`], and [`backtest`] shows on the
//! athlete's own races what all of this was worth.
//!
//! Deliberately absent: a prediction without a race behind it, a point without its band, and anything learned by a
//! machine at run time.

mod backtest;
mod broken_power_law;
mod current_vdot;
mod explanation;
mod interval;
mod log_linear;
mod marathon;
mod personal_bias;
mod race;
mod riegel;
mod tanda;
#[cfg(test)]
mod tests;
mod training_log;
mod vdot;
mod vickers;
mod weekly_volume;
mod weighted_power_law;

pub use backtest::{Backtest, Context, Event, Pinball, Row, Score, backtest, foresee};
pub use broken_power_law::Hinge;
pub use current_vdot::{CurrentVdot, current_vdot};
pub use interval::Finish;
pub use log_linear::LogModel;
pub use personal_bias::Past;
pub use race::{Effort, LeftOut, Mark, RaceResult, Raced};
pub(crate) use riegel::UP_TO_THE_HALF;
pub use riegel::riegel;
pub use tanda::{TrainingPace, tanda};
pub use training_log::{LOOK_BACK_DAYS, Run, TrainingLog, course_of};
pub use vdot::{Paces, Vdot, vdot_time};
pub use vickers::{vickers_one, vickers_two};
pub use weekly_volume::WeeklyVolume;

use super::{Absent, Found, Need, Quality};
use crate::domain::athlete::Sex;
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::string_enum::string_enum;
use interval::Spread;
use marathon::Pair;
use serde::Serialize;

/// Days for which a race counts.
const YEAR: i64 = 365;
/// Days within which the best result shows the form; before that the latest does.
const SAME_FORM: i64 = 120;
const SHORTEST_TARGET: Distance = Distance::from_mm(1_500_000);
const LONGEST_TARGET: Distance = Distance::from_mm(50_000_000);
/// A race for a target of 5 km or more, and for a shorter one, with what a measured course may be short.
const SHORTEST_RACE: Distance = Distance::from_mm(4_900_000);
const SHORTEST_RACE_FOR_A_SHORT_TARGET: Distance = Distance::from_mm(1_470_000);
/// The longest race that says anything, with what a measured course may be long.
const LONGEST_RACE: Distance = Distance::from_mm(52_500_000);

string_enum! {
    /// How a time was come by.
    pub enum Method("method of prediction") {
        /// What is shown to the athlete.
        Combined = "combined",
        /// Every race of the year by a power law with the exponent 1.07.
        PowerLaw = "power_law",
        /// A power law with a bend at the half marathon.
        Hinge = "hinge",
        /// The fitted marathon formula.
        LogModel = "log_model",
        /// Tanda 2011, from training.
        Tanda = "tanda",
        /// The athlete's best marathon of two years.
        OwnMarathon = "own_marathon",
        /// Riegel 1981, exponent 1.06.
        Riegel = "riegel",
        /// Daniels & Gilbert 1979.
        Vdot = "vdot",
        /// Vickers & Vertosick 2016, from one race.
        VickersOne = "vickers_one",
        /// Vickers & Vertosick 2016, from two races.
        VickersTwo = "vickers_two",
    }
}

/// What a prediction may be made from. The order of results and history makes no difference.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Races, time trials and hard training, with or without a day. What is later than `as_of` is not looked at.
    pub results: &'a [RaceResult],
    /// Measured weekly distance.
    pub weekly: Option<WeeklyVolume>,
    /// Measured training, for Tanda's formula.
    pub training: Option<TrainingPace>,
    /// Tanda's formula was fitted on men, and says so to everybody else.
    pub sex: Option<Sex>,
    /// Races that had been predicted and were then run.
    pub history: &'a [Past],
    /// The day of asking.
    pub as_of: Day,
}

impl Inputs<'_> {
    /// The weekly distance, when enough weeks are behind it.
    fn firm_volume(&self) -> Option<Distance> {
        self.weekly.filter(WeeklyVolume::is_firm).map(|weekly| weekly.distance)
    }
}

/// What one method says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Member {
    /// Which.
    pub method: Method,
    /// Its time.
    #[serde(rename = "time_ms")]
    pub time: TimeSpan,
}

/// What well-known formulas say from the same race, to be compared with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Baselines {
    /// Riegel, exponent 1.06.
    pub riegel: Found<TimeSpan>,
    /// Equal VDOT.
    pub vdot: Found<TimeSpan>,
    /// Vickers & Vertosick 2016 from one race and the weekly distance; for the marathon only.
    pub vickers_one: Found<TimeSpan>,
    /// The same from two races.
    pub vickers_two: Found<TimeSpan>,
}

/// A predicted finish and everything behind it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// Over which distance.
    #[serde(rename = "target_mm")]
    pub target: Distance,
    /// Seen from which day.
    pub as_of: Day,
    /// As it may be shown, rounded.
    pub shown: Finish,
    /// As it was computed.
    pub exact: Finish,
    /// The point before the athlete's own past corrected it: what [`Past::predicted`] wants to know later.
    #[serde(rename = "uncorrected_ms")]
    pub uncorrected: TimeSpan,
    /// From how many own events it was corrected.
    pub own_events: u32,
    /// How far to lean on it.
    pub quality: Quality,
    /// What it is the middle of.
    pub members: Vec<Member>,
    /// The races it was made from; the first one counts most.
    pub sources: Vec<Raced>,
    /// The weekly distance, where it was used.
    pub weekly: Option<WeeklyVolume>,
    /// The training, where Tanda's formula used it.
    pub training: Option<TrainingPace>,
    /// The athlete's sex, as far as they said.
    pub sex: Option<Sex>,
    /// Results that cannot be, and why.
    pub left_out: Vec<LeftOut>,
    /// What others would have said.
    pub baselines: Baselines,
}

/// A prediction before its band is final.
#[derive(Debug, Clone, Default)]
struct Outline {
    seconds: f64,
    members: Vec<Member>,
    sources: Vec<Raced>,
    weekly: Option<WeeklyVolume>,
    training: Option<TrainingPace>,
    spread: Option<Spread>,
}

/// Predicts the finish over a distance of 1500 m to 50 km.
///
/// ```
/// use fitness_core::metrics::predict::{Effort, Inputs, RaceResult, WeeklyVolume, predict};
/// use fitness_core::domain::units::{Distance, TimeSpan};
///
/// let half = RaceResult {
///     distance: Distance::HALF_MARATHON,
///     time: TimeSpan::from_mins(105),
///     on: None,
///     effort: Effort::Race,
/// };
/// let inputs = Inputs {
///     results: &[half],
///     weekly: Some(WeeklyVolume { distance: Distance::from_miles(30.0).unwrap(), weeks: Some(8) }),
///     training: None,
///     sex: None,
///     history: &[],
///     as_of: "2026-11-15".parse().unwrap(),
/// };
/// let marathon = predict(Distance::MARATHON, &inputs).unwrap();
/// assert_eq!(marathon.shown.to_string(), "3:52:00 (8 of 10 between 3:33:00 and 4:11:00)");
/// ```
///
/// # Errors
/// When the distance is out of range, there is no race to start from, or the formula was not made for such a finish.
pub fn predict(target: Distance, inputs: &Inputs<'_>) -> Found<Prediction> {
    if !(SHORTEST_TARGET..=LONGEST_TARGET).contains(&target) {
        return Err(Absent::OutOfRange { what: "finishes are predicted for 1.5 to 50 km".to_owned() });
    }
    let target = nominal(target);
    let (mut races, mut left_out) = race::known(inputs.results, inputs.as_of);
    let shortest = if target.mm() < 5_000_000 { SHORTEST_RACE_FOR_A_SHORT_TARGET } else { SHORTEST_RACE };
    let too_long = |race: &&Raced| race.mark.distance() > LONGEST_RACE && race.age(inputs.as_of) <= YEAR;
    left_out.extend(races.iter().filter(too_long).map(LeftOut::too_long));
    races.retain(|race| (shortest..=LONGEST_RACE).contains(&race.mark.distance()));

    let outline = match target {
        Distance::MARATHON => marathon::outline(&races, inputs),
        _ if target <= Distance::HALF_MARATHON => shorter(target, &races, inputs),
        _ => between(target, &races, inputs),
    };
    let outline = outline.map_err(|why| explained(why, &left_out, shortest))?;
    finish(target, &races, outline, left_out, inputs)
}

/// `21.1 km` and `42.2 km` are how people write a half and a full marathon. This is about a wish, not about what a watch
/// measured: whoever asks for 43 km means it.
fn nominal(target: Distance) -> Distance {
    [Distance::HALF_MARATHON, Distance::MARATHON]
        .into_iter()
        .find(|known| (target.mm() - known.mm()).abs() <= known.mm() / 500)
        .unwrap_or(target)
}

/// Where a result would have served but cannot be, that is a better reason than that there is none.
fn explained(why: Absent, left_out: &[LeftOut], shortest: Distance) -> Absent {
    let long_enough = |left: &&LeftOut| left.result.distance >= shortest;
    match (&why, left_out.iter().find(long_enough)) {
        (Absent::Missing { .. }, Some(first)) => first.why.clone(),
        _ => why,
    }
}

/// Up to the half marathon.
fn shorter(target: Distance, races: &[Raced], inputs: &Inputs<'_>) -> Found<Outline> {
    let law = Hinge::up_to_the_half(inputs.firm_volume());
    let mut outline = by_every_race(target, races, inputs, law, Method::PowerLaw)?;
    outline.spread =
        outline.sources.first().map(|race| interval::up_to_the_half(race.mark.distance(), target));
    // The weekly distance says only how much a race beyond the half had faded.
    let faded = outline.sources.iter().any(|race| race.mark.distance() > Distance::HALF_MARATHON);
    outline.weekly = inputs.weekly.filter(|weekly| faded && weekly.is_firm());
    Ok(outline)
}

/// Between the half and the full marathon, and on to 50 km: the bent power law, kept in step with the predictions for
/// those two, so that a longer way never takes less time.
fn between(target: Distance, races: &[Raced], inputs: &Inputs<'_>) -> Found<Outline> {
    let weekly = inputs.firm_volume();
    let mut outline = by_every_race(target, races, inputs, Hinge::for_volume(weekly), Method::Hinge)?;
    outline.weekly = inputs.weekly.filter(WeeklyVolume::is_firm);
    outline.spread =
        outline.sources.first().map(|race| interval::beyond_the_half(race.mark.distance(), weekly));
    let half = shorter(Distance::HALF_MARATHON, races, inputs)?.seconds;
    let full = marathon::outline(races, inputs).map(|full| full.seconds);
    // No faster than the pace of the half, no slower than that of the marathon before it is reached, and no faster
    // after. Where the two contradict each other, the line between them takes the place of an even pace.
    let from_half = |slope: f64| half * (target.meters() / Distance::HALF_MARATHON.meters()).powf(slope);
    let from_full =
        |full: f64, slope: f64| full * (target.meters() / Distance::MARATHON.meters()).powf(slope);
    outline.seconds = match full {
        Ok(full) if full > half => {
            let slope = ((full / half).ln() / std::f64::consts::LN_2).min(1.0);
            if target < Distance::MARATHON {
                outline.seconds.max(from_half(slope)).min(from_full(full, slope))
            } else {
                outline.seconds.max(from_full(full, 1.0))
            }
        }
        _ => outline.seconds.max(from_half(1.0)),
    };
    outline.members = vec![Member { method: Method::Hinge, time: race::span(outline.seconds)? }];
    Ok(outline)
}

/// The weighed mean of the last year's races and of the training that says more, the heaviest first among the sources.
fn by_every_race(
    target: Distance,
    races: &[Raced],
    inputs: &Inputs<'_>,
    law: Hinge,
    method: Method,
) -> Found<Outline> {
    let as_of = inputs.as_of;
    let recent: Vec<Raced> = races.iter().filter(|race| race.age(as_of) <= YEAR).copied().collect();
    let mut races = weighted_power_law::telling(recent, target, as_of, law);
    races.sort_by(|a, b| {
        let weight = |race| weighted_power_law::weight(race, target, as_of);
        weight(b).total_cmp(&weight(a)).then_with(|| a.cmp(b))
    });
    let need = if target.mm() < 5_000_000 { Need::RaceOf1500M } else { Need::RaceOf5Km };
    let seconds = weighted_power_law::weighed(&races, target, as_of, law).ok_or(Absent::missing(need))?;
    Ok(Outline {
        seconds,
        members: vec![Member { method, time: race::span(seconds)? }],
        sources: races,
        ..Outline::default()
    })
}

/// Puts the band around the point, corrects both by the athlete's own past, and says how far to lean on them.
fn finish(
    target: Distance,
    races: &[Raced],
    outline: Outline,
    left_out: Vec<LeftOut>,
    inputs: &Inputs<'_>,
) -> Found<Prediction> {
    let (Some(source), Some(spread)) = (outline.sources.first().copied(), outline.spread) else {
        return Err(Absent::missing(Need::RaceOf5Km));
    };
    let age = source.age(inputs.as_of);
    let training_only = outline.sources.iter().all(|race| race.effort == Effort::Training);
    let spread = spread.for_input(training_only, age);
    let own = personal_bias::correction(inputs.history, target, inputs.as_of, spread);
    let exact = Finish::around(outline.seconds * own.shift.exp(), own.spread)?;

    let mut quality = Quality::Ok;
    let unknown_volume = target > Distance::HALF_MARATHON && outline.weekly.is_none();
    if training_only || unknown_volume || target > Distance::MARATHON {
        quality = quality.with(Quality::Provisional);
    }
    if age > interval::STALE_AFTER {
        quality = quality.with(Quality::Stale);
    }
    Ok(Prediction {
        target,
        as_of: inputs.as_of,
        shown: exact.rounded(target),
        exact,
        uncorrected: race::span(outline.seconds)?,
        own_events: own.events,
        quality,
        members: outline.members,
        sources: outline.sources,
        weekly: outline.weekly,
        training: outline.training,
        sex: inputs.sex,
        left_out,
        baselines: baselines(target, source, marathon::pair(races, inputs.as_of), inputs.firm_volume()),
    })
}

fn baselines(target: Distance, source: Raced, pair: Option<Pair>, weekly: Option<Distance>) -> Baselines {
    let published = || -> Found<(Pair, Distance)> {
        if target != Distance::MARATHON {
            return Err(Absent::OutOfRange { what: "the published models are for the marathon".to_owned() });
        }
        let pair = pair.ok_or(Absent::missing(Need::RaceOf5Km))?;
        Ok((pair, weekly.ok_or(Absent::missing(Need::WeeklyDistance))?))
    };
    Baselines {
        riegel: riegel(source.mark, target),
        vdot: vdot_time(source.mark, target),
        vickers_one: published().and_then(|(pair, weekly)| vickers_one(pair.longest.mark, weekly)),
        vickers_two: published().and_then(|(pair, weekly)| {
            let shortest =
                pair.shortest.ok_or(Absent::TooFew { have: 1, needed: 2, what: super::Counted::Efforts })?;
            vickers_two(shortest.mark, pair.longest.mark, weekly)
        }),
    }
}
