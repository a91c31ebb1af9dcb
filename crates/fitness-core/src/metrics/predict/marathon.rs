//! The marathon: the middle of what a recent race, the training and the athlete's last marathons say.

use super::broken_power_law::Hinge;
use super::interval;
use super::log_linear::{LogModel, SOURCE_MM};
use super::race::{COURSE, Effort, Raced, is_of, span};
use super::tanda::tanda;
use super::{Inputs, Member, Method, Outline, SAME_FORM, WeeklyVolume, YEAR};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::{Absent, Found, Need};

/// Days for which an own marathon counts.
const TWO_YEARS: i64 = 730;
/// Distances closer than this are one distance: no exponent is made of them.
const ANOTHER_DISTANCE: f64 = 0.9;

/// The two races the formulas for the marathon start from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub(super) longest: Raced,
    pub(super) shortest: Option<Raced>,
}

/// The longest race of the last year between 5 km and the half marathon, and the shortest of another distance.
/// Training stands in only where there was neither a race nor a time trial.
pub(super) fn pair(races: &[Raced], as_of: Day) -> Option<Pair> {
    let usable = |trained: bool| -> Vec<Raced> {
        let fits = |race: &&Raced| {
            SOURCE_MM.contains(&race.mark.distance().mm())
                && race.age(as_of) <= YEAR
                && (race.effort == Effort::Training) == trained
        };
        races.iter().filter(fits).copied().collect()
    };
    let mut races = usable(false);
    if races.is_empty() {
        races = usable(true);
    }
    let lengths = || races.iter().map(|race| race.mark.meters());
    let (least, most) = (lengths().fold(f64::INFINITY, f64::min), lengths().fold(0.0, f64::max));
    let longest = telling(&races, as_of, |d| d >= most * COURSE.start())?;
    let shortest = telling(&races, as_of, |d| d <= least / COURSE.start())
        .filter(|race| race.mark.meters() <= longest.mark.meters() * ANOTHER_DISTANCE);
    Some(Pair { longest, shortest })
}

/// Of the races of one distance the one that tells the form: the fastest of the last 120 days, else the latest.
fn telling(races: &[Raced], as_of: Day, same: impl Fn(f64) -> bool) -> Option<Raced> {
    let pace = |race: &Raced| race.mark.seconds() / race.mark.meters();
    let of_it = || races.iter().filter(|race| same(race.mark.meters())).copied();
    of_it()
        .filter(|race| race.age(as_of) <= SAME_FORM)
        .min_by(|a, b| pace(a).total_cmp(&pace(b)).then_with(|| a.cmp(b)))
        .or_else(|| {
            of_it().max_by(|a, b| a.day(as_of).cmp(&b.day(as_of)).then_with(|| pace(b).total_cmp(&pace(a))))
        })
}

/// The athlete's best marathon of the last two years, and its time. A short course is stretched to the full distance;
/// a long one is not shrunk, because it is the watch that measures long.
fn own_marathon(races: &[Raced], inputs: &Inputs<'_>) -> Option<(Raced, TimeSpan)> {
    let law = Hinge::for_volume(inputs.firm_volume());
    races
        .iter()
        .filter(|race| is_of(race.mark.distance(), Distance::MARATHON))
        .filter(|race| race.age(inputs.as_of) <= TWO_YEARS && race.effort != Effort::Training)
        .filter_map(|race| {
            let stretched = law.seconds(race.mark, Distance::MARATHON);
            Some((*race, span(stretched.max(race.mark.seconds())).ok()?))
        })
        .min_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)))
}

/// The geometric mean of the members present. Training alone makes no prediction: a race must anchor it.
pub(super) fn outline(races: &[Raced], inputs: &Inputs<'_>) -> Found<Outline> {
    let weekly = inputs.firm_volume();
    let pair = pair(races, inputs.as_of);
    let mut outline = Outline::default();
    let mut refused = None;
    if let Some(pair) = pair {
        let model = if weekly.is_some() { LogModel::WITH_VOLUME } else { LogModel::WITHOUT_VOLUME };
        match model.marathon(pair.longest.mark, pair.shortest.map(|race| race.mark), weekly) {
            Ok(time) => {
                outline.members.push(Member { method: Method::LogModel, time });
                outline.sources.push(pair.longest);
                outline.sources.extend(pair.shortest);
                outline.spread = Some(interval::beyond_the_half(pair.longest.mark.distance(), weekly));
                outline.weekly = inputs.weekly.filter(WeeklyVolume::is_firm);
            }
            Err(why) => refused = Some(why),
        }
    }
    if let Some((race, time)) = own_marathon(races, inputs) {
        outline.members.push(Member { method: Method::OwnMarathon, time });
        outline.sources.push(race);
        outline.spread.get_or_insert(interval::from_a_marathon());
    }
    if outline.members.is_empty() && pair.is_none() {
        from_a_long_race(races, inputs, &mut outline);
    }
    if outline.members.is_empty() {
        return Err(refused.unwrap_or(Absent::missing(Need::RaceOf5Km)));
    }
    if let Some((training, time)) = inputs.training.and_then(|t| Some((t, tanda(&t).ok()?))) {
        outline.members.push(Member { method: Method::Tanda, time });
        outline.training = Some(training);
    }
    let logs: f64 = outline.members.iter().map(|member| member.time.seconds().ln()).sum();
    outline.seconds = (logs / outline.members.len() as f64).exp();
    Ok(outline)
}

/// Races beyond the half that are no marathon, where there is nothing else: the latest, by the bent power law.
fn from_a_long_race(races: &[Raced], inputs: &Inputs<'_>, outline: &mut Outline) {
    let weekly = inputs.firm_volume();
    let long = |race: &&Raced| race.mark.distance().mm() > *SOURCE_MM.end() && race.age(inputs.as_of) <= YEAR;
    let Some(race) = races.iter().filter(long).max_by_key(|race| (race.day(inputs.as_of), **race)) else {
        return;
    };
    if let Ok(time) = span(Hinge::for_volume(weekly).seconds(race.mark, Distance::MARATHON)) {
        outline.members.push(Member { method: Method::Hinge, time });
        outline.sources.push(*race);
        outline.spread = Some(interval::beyond_the_half(race.mark.distance(), weekly));
        outline.weekly = inputs.weekly.filter(WeeklyVolume::is_firm);
    }
}
