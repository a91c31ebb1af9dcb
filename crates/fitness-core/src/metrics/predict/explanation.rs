//! Explanation of a prediction: the races, weekly distance and formulas it is based on.

use super::race::is_course_distance;
use super::{Prediction, PredictionMethod, ResultKind, SourceRace};
use crate::domain::athlete::Sex;
use crate::domain::units::{Distance, UnitSystem};

/// Maximum number of races listed; the rest is counted.
const MAX_NAMED_RACES: usize = 3;

impl Prediction {
    /// The races, weekly distance and formulas the prediction is based on, as sentences.
    #[must_use]
    pub fn basis(&self, units: UnitSystem) -> String {
        let mut said: Vec<String> =
            self.members.iter().map(|member| self.describe_member(member.method, units)).collect();
        let last = said.pop().unwrap_or_default();
        let parts = if said.is_empty() { last } else { format!("{} and {last}", said.join(", ")) };
        let mut text = format!("Based on {parts}.");
        if self.members.len() > 1 {
            text.push_str(" The prediction is the average of these.");
        }
        let asked = self.members.iter().any(|member| {
            matches!(member.method, PredictionMethod::LogLinear | PredictionMethod::BrokenPowerLaw)
        });
        if asked && self.weekly.is_none() {
            text.push_str(" There is not enough data on your weekly distance to use it.");
        }
        if self.training.is_some() && self.sex != Some(Sex::Male) {
            text.push_str(" Tanda's formula was fitted on men only.");
        }
        if self.own_events > 0 {
            text.push_str(&format!(
                " Adjusted for how far off the predictions of your last {} races were.",
                self.own_events
            ));
        }
        text
    }

    fn describe_member(&self, method: PredictionMethod, units: UnitSystem) -> String {
        let volume = self.weekly.map_or_else(String::new, |weekly| {
            let over = weekly.weeks.map_or_else(String::new, |weeks| format!(" over {weeks} weeks"));
            format!(" with {} a week{over}", units.format_distance(weekly.distance))
        });
        let is_marathon = |race: &&SourceRace| is_course_distance(race.mark.distance(), Distance::MARATHON);
        match method {
            PredictionMethod::OwnMarathon => self.sources.iter().rfind(is_marathon).map_or_else(
                || "your last marathon".to_owned(),
                |race| {
                    format!(
                        "your best marathon of the last two years ({}{})",
                        race.mark.time().format_clock(),
                        date_label(race)
                    )
                },
            ),
            PredictionMethod::Tanda => self.training.map_or_else(
                || "your training".to_owned(),
                |training| {
                    let (weekly, pace) = (units.format_distance(training.weekly), units.format_pace(training.pace));
                    let weeks = training.weeks;
                    if self.weekly.is_some_and(|told| told.weeks.is_none()) {
                        return format!(
                            "the {weekly} a week you entered, at the {pace} of your last {weeks} weeks (Tanda's formula)"
                        );
                    }
                    format!("your training over {weeks} weeks ({weekly} a week at {pace}, Tanda's formula)")
                },
            ),
            PredictionMethod::LogLinear => {
                let shorter: Vec<SourceRace> =
                    self.sources.iter().filter(|race| !is_marathon(race)).copied().collect();
                format!("{}{volume}", describe_races(&shorter, units))
            }
            _ => format!("{}{volume}", describe_races(&self.sources, units)),
        }
    }
}

fn describe_races(races: &[SourceRace], units: UnitSystem) -> String {
    let mut said: Vec<String> =
        races.iter().take(MAX_NAMED_RACES).map(|race| describe_race(race, units)).collect();
    match races.len().saturating_sub(MAX_NAMED_RACES) {
        0 => {}
        1 => said.push("one more".to_owned()),
        more => said.push(format!("{more} more")),
    }
    match said.pop() {
        Some(last) if said.is_empty() => last,
        Some(last) => format!("{} and {last}", said.join(", ")),
        None => "no race".to_owned(),
    }
}

impl SourceRace {
    /// `a half marathon in 1:45:00 on 2026-10-04`, plus `(time trial)` or `(hard effort in training)`.
    #[must_use]
    pub fn describe(&self, units: UnitSystem) -> String {
        describe_race(self, units)
    }
}

/// `a half marathon`, `a 10K` or `15.0 km`.
pub(crate) fn race_name(distance: Distance, units: UnitSystem) -> String {
    if is_course_distance(distance, Distance::MARATHON) {
        "a marathon".to_owned()
    } else if is_course_distance(distance, Distance::HALF_MARATHON) {
        "a half marathon".to_owned()
    } else if is_course_distance(distance, Distance::from_mm(10_000_000)) {
        "a 10K".to_owned()
    } else if is_course_distance(distance, Distance::from_mm(5_000_000)) {
        "a 5K".to_owned()
    } else {
        units.format_distance(distance).to_string()
    }
}

fn describe_race(race: &SourceRace, units: UnitSystem) -> String {
    let name = race_name(race.mark.distance(), units);
    let how = match race.effort {
        ResultKind::Race => "",
        ResultKind::TimeTrial => " (time trial)",
        ResultKind::Training => " (hard effort in training)",
    };
    format!("{name} in {}{}{how}", race.mark.time().format_clock(), date_label(race))
}

fn date_label(race: &SourceRace) -> String {
    race.on.map_or_else(|| " (entered without a date)".to_owned(), |on| format!(" on {on}"))
}
