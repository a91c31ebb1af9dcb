//! What a prediction was made from, in words a runner reads.

use super::race::is_of;
use super::{Effort, Method, Prediction, Raced};
use crate::domain::athlete::Sex;
use crate::domain::units::{Distance, UnitSystem};

/// How many races are named; of the rest the number is told.
const NAMED: usize = 3;

impl Prediction {
    /// From which races on which days, which weekly distance and which formulas it was made, in plain sentences.
    #[must_use]
    pub fn basis(&self, units: UnitSystem) -> String {
        let mut said: Vec<String> =
            self.members.iter().map(|member| self.member(member.method, units)).collect();
        let last = said.pop().unwrap_or_default();
        let parts = if said.is_empty() { last } else { format!("{} and {last}", said.join(", ")) };
        let mut text = format!("From {parts}.");
        if self.members.len() > 1 {
            text.push_str(" The time is the middle of these.");
        }
        let asked =
            self.members.iter().any(|member| matches!(member.method, Method::LogModel | Method::Hinge));
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

    fn member(&self, method: Method, units: UnitSystem) -> String {
        let volume = self.weekly.map_or_else(String::new, |weekly| {
            let over = weekly.weeks.map_or_else(String::new, |weeks| format!(" over {weeks} weeks"));
            format!(" with {} a week{over}", units.distance(weekly.distance))
        });
        let is_marathon = |race: &&Raced| is_of(race.mark.distance(), Distance::MARATHON);
        match method {
            Method::OwnMarathon => self.sources.iter().rfind(is_marathon).map_or_else(
                || "your own last marathon".to_owned(),
                |race| {
                    format!(
                        "your own best marathon of two years ({}{})",
                        race.mark.time().clock(),
                        when(race)
                    )
                },
            ),
            Method::Tanda => self.training.map_or_else(
                || "your training".to_owned(),
                |training| {
                    let (weekly, pace) = (units.distance(training.weekly), units.pace(training.pace));
                    let weeks = training.weeks;
                    if self.weekly.is_some_and(|told| told.weeks.is_none()) {
                        return format!(
                            "the {weekly} a week you say at the {pace} of your last {weeks} weeks (Tanda's formula)"
                        );
                    }
                    format!("your training over {weeks} weeks ({weekly} a week at {pace}, Tanda's formula)")
                },
            ),
            Method::LogModel => {
                let shorter: Vec<Raced> =
                    self.sources.iter().filter(|race| !is_marathon(race)).copied().collect();
                format!("{}{volume}", list(&shorter, units))
            }
            _ => format!("{}{volume}", list(&self.sources, units)),
        }
    }
}

fn list(races: &[Raced], units: UnitSystem) -> String {
    let mut said: Vec<String> = races.iter().take(NAMED).map(|race| told(race, units)).collect();
    match races.len().saturating_sub(NAMED) {
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

impl Raced {
    /// `a half marathon in 1:45:00 on 2026-10-04`, and how it was run when it was no race.
    #[must_use]
    pub fn told(&self, units: UnitSystem) -> String {
        told(self, units)
    }
}

fn told(race: &Raced, units: UnitSystem) -> String {
    let distance = race.mark.distance();
    let name = if is_of(distance, Distance::MARATHON) {
        "a marathon".to_owned()
    } else if is_of(distance, Distance::HALF_MARATHON) {
        "a half marathon".to_owned()
    } else {
        units.distance(distance).to_string()
    };
    let how = match race.effort {
        Effort::Race => "",
        Effort::TimeTrial => " (time trial)",
        Effort::Training => " (training)",
    };
    format!("{name} in {}{}{how}", race.mark.time().clock(), when(race))
}

/// No day is made up for what was typed in without one.
fn when(race: &Raced) -> String {
    race.on.map_or_else(|| " (typed in, no date)".to_owned(), |on| format!(" on {on}"))
}
