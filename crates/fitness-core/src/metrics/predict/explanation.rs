//! What a prediction was made from, in words a runner reads.

use super::race::is_course_distance;
use super::{EffortKind, Method, Prediction, SourceRace};
use crate::domain::athlete::Sex;
use crate::domain::units::{Distance, UnitSystem};

/// How many races are named; of the rest the number is told.
const MAX_NAMED_RACES: usize = 3;

impl Prediction {
    /// From which races on which days, which weekly distance and which formulas it was made, in plain sentences.
    #[must_use]
    pub fn basis(&self, units: UnitSystem) -> String {
        let mut said: Vec<String> =
            self.members.iter().map(|member| self.describe_member(member.method, units)).collect();
        let last = said.pop().unwrap_or_default();
        let parts = if said.is_empty() { last } else { format!("{} and {last}", said.join(", ")) };
        let mut text = format!("From {parts}.");
        if self.members.len() > 1 {
            text.push_str(" The time is the middle of these.");
        }
        let asked = self
            .members
            .iter()
            .any(|member| matches!(member.method, Method::LogLinear | Method::BrokenPowerLaw));
        if asked && self.weekly.is_none() {
            text.push_str(" Your weekly distance is not known well enough to be used.");
        }
        if self.training.is_some() && self.sex != Some(Sex::Male) {
            text.push_str(" The formula for training was fitted on men only.");
        }
        if self.own_events > 0 {
            text.push_str(&format!(" Corrected by how your last {} predicted races went.", self.own_events));
        }
        text
    }

    fn describe_member(&self, method: Method, units: UnitSystem) -> String {
        let volume = self.weekly.map_or_else(String::new, |weekly| {
            let over = weekly.weeks.map_or_else(String::new, |weeks| format!(" over {weeks} weeks"));
            format!(" with {} a week{over}", units.format_distance(weekly.distance))
        });
        let is_marathon = |race: &&SourceRace| is_course_distance(race.mark.distance(), Distance::MARATHON);
        match method {
            Method::OwnMarathon => self.sources.iter().rfind(is_marathon).map_or_else(
                || "your own last marathon".to_owned(),
                |race| {
                    format!(
                        "your own best marathon of two years ({}{})",
                        race.mark.time().format_clock(),
                        date_label(race)
                    )
                },
            ),
            Method::Tanda => self.training.map_or_else(
                || "your training".to_owned(),
                |training| {
                    let (weekly, pace) = (units.format_distance(training.weekly), units.format_pace(training.pace));
                    let weeks = training.weeks;
                    if self.weekly.is_some_and(|told| told.weeks.is_none()) {
                        return format!(
                            "the {weekly} a week you say at the {pace} of your last {weeks} weeks (Tanda's formula)"
                        );
                    }
                    format!("your training over {weeks} weeks ({weekly} a week at {pace}, Tanda's formula)")
                },
            ),
            Method::LogLinear => {
                let shorter: Vec<SourceRace> =
                    self.sources.iter().filter(|race| !is_marathon(race)).copied().collect();
                format!("{}{volume}", describe_races(&shorter, units))
            }
            _ => format!("{}{volume}", describe_races(&self.sources, units)),
        }
    }
}

fn describe_races(races: &[SourceRace], units: UnitSystem) -> String {
    let mut said: Vec<String> = races.iter().take(MAX_NAMED_RACES).map(|race| told(race, units)).collect();
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
    /// `a half marathon in 1:45:00 on 2026-10-04`, and how it was run when it was no race.
    #[must_use]
    pub fn describe(&self, units: UnitSystem) -> String {
        told(self, units)
    }
}

fn told(race: &SourceRace, units: UnitSystem) -> String {
    let distance = race.mark.distance();
    let name = if is_course_distance(distance, Distance::MARATHON) {
        "a marathon".to_owned()
    } else if is_course_distance(distance, Distance::HALF_MARATHON) {
        "a half marathon".to_owned()
    } else {
        units.format_distance(distance).to_string()
    };
    let how = match race.effort {
        EffortKind::Race => "",
        EffortKind::TimeTrial => " (time trial)",
        EffortKind::Training => " (training)",
    };
    format!("{name} in {}{}{how}", race.mark.time().format_clock(), date_label(race))
}

/// No day is made up for what was typed in without one.
fn date_label(race: &SourceRace) -> String {
    race.on.map_or_else(|| " (typed in, no date)".to_owned(), |on| format!(" on {on}"))
}
