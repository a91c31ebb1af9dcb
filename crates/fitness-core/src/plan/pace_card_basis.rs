//! Explains what a pace card is based on.

use super::PaceCard;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::predict::PredictedFinish;
use crate::string_enum::string_enum;
use std::cmp::Ordering;

string_enum! {
    /// What a pace card is based on.
    pub enum PaceCardBasis("pace card basis") {
        /// The target, supported by the data or nearly so.
        Target = "target",
        /// The target, without a result to check it.
        UnverifiedTarget = "target_alone",
        /// The prediction, because the target is faster than its range.
        PredictionOverTarget = "prediction_instead",
        /// The prediction, because there is no target.
        Prediction = "prediction",
    }
}

impl PaceCardBasis {
    /// Depends on whether plan A is the target.
    #[must_use]
    pub fn from_card(card: &PaceCard, target: Option<TimeSpan>, finish: Option<PredictedFinish>) -> Self {
        match (target, finish) {
            (None, _) => Self::Prediction,
            (Some(_), None) => Self::UnverifiedTarget,
            (Some(target), Some(_)) if target == card.a => Self::Target,
            (Some(_), Some(_)) => Self::PredictionOverTarget,
        }
    }

    /// Why the prediction for race day differs from today's; `None` if it does not.
    #[must_use]
    pub fn compare_with_today(race: Distance, today: TimeSpan, finish: PredictedFinish) -> Option<String> {
        let on_race_day = finish.rounded(race).time;
        let today_label = today.format_clock();
        match on_race_day.cmp(&today) {
            Ordering::Less => Some(format!(
                "Raced today it would be about {today_label}; race day assumes that you follow the plan."
            )),
            Ordering::Equal => None,
            Ordering::Greater => Some(format!(
                "Raced today it would be about {today_label}; race day is slower because there is too little time for \
                 the long runs."
            )),
        }
    }

    /// Explanation of plans A and B.
    #[must_use]
    pub fn describe(
        self,
        race: Distance,
        target: Option<TimeSpan>,
        finish: Option<PredictedFinish>,
    ) -> String {
        let faster = target.zip(finish).is_some_and(|(target, finish)| target < finish.time);
        let target = target.map(TimeSpan::format_clock).unwrap_or_default();
        let (middle, band) = match finish.map(|finish| finish.rounded(race)) {
            Some(PredictedFinish { low, time, high }) => {
                (time.format_clock(), format!("80% range: {} to {}", low.format_clock(), high.format_clock()))
            }
            None => Default::default(),
        };
        match self {
            Self::Target if faster => format!(
                "Plan A is your goal time. Plan B is the time your data predicts for race day, about {middle} ({band})."
            ),
            Self::Target => format!(
                "Plan A is your goal time, which is realistic: your data predicts about {middle} on race day ({band}). \
                 Plan B is 3% slower."
            ),
            Self::UnverifiedTarget => {
                "Plan A is your goal time, which cannot be checked without a recent result; plan B is 3% slower. A race \
                 or a hard 5 km will show where you stand."
                    .to_owned()
            }
            Self::PredictionOverTarget => format!(
                "Your goal time of {target} is faster than your data supports for race day ({band}), so plan A does not \
                 use it. Plan A is the middle of that range. Plan B is halfway between plan A and the slowest time of that range."
            ),
            Self::Prediction => format!(
                "You have no goal time, so plan A is the time your data predicts for race day ({band}). Plan B is halfway \
                 between plan A and the slowest time of that range."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn race_day_that_differs_from_today_is_explained() {
        let minutes = TimeSpan::from_mins;
        let finish = PredictedFinish { low: minutes(95), time: minutes(99), high: minutes(104) };
        let compare =
            |today| PaceCardBasis::compare_with_today(Distance::HALF_MARATHON, minutes(today), finish);
        let faster = compare(101).unwrap();
        assert!(faster.contains("1:41:00") && faster.contains("follow the plan"), "{faster}");
        assert!(compare(97).unwrap().contains("race day is slower"));
        assert_eq!(compare(99), None);
    }
}
