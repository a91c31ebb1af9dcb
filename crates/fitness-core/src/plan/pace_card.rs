//! Where a pace card comes from, in words.

use super::PaceCard;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::predict::PredictedFinish;
use crate::string_enum::string_enum;

string_enum! {
    /// What a card is made from.
    pub enum PaceCardBasis("basis of a card") {
        /// The target, which the data supports or nearly does.
        Target = "target",
        /// The target, with no result to hold it against.
        UnverifiedTarget = "target_alone",
        /// The prediction, as the target is beyond its band.
        PredictionOverTarget = "prediction_instead",
        /// The prediction, as there is no target.
        Prediction = "prediction",
    }
}

impl PaceCardBasis {
    /// Plan A says it: it is the target, or it is not.
    #[must_use]
    pub fn from_card(card: &PaceCard, target: Option<TimeSpan>, finish: Option<PredictedFinish>) -> Self {
        match (target, finish) {
            (None, _) => Self::Prediction,
            (Some(_), None) => Self::UnverifiedTarget,
            (Some(target), Some(_)) if target == card.a => Self::Target,
            (Some(_), Some(_)) => Self::PredictionOverTarget,
        }
    }

    /// Where the two plans come from.
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
            Some(PredictedFinish { low, time, high }) => (
                time.format_clock(),
                format!("{} to {}, where 8 of 10 land", low.format_clock(), high.format_clock()),
            ),
            None => Default::default(),
        };
        match self {
            Self::Target if faster => format!(
                "Plan A is your target; plan B is what your data points to on race day, about {middle} ({band})."
            ),
            Self::Target => format!(
                "Plan A is your target, which your data supports: it points to about {middle} on race day ({band}). Plan B \
                 is 3 % slower."
            ),
            Self::UnverifiedTarget => {
                "Plan A is your target, which no recent running of yours supports or denies; plan B is 3 % slower. A race or \
                 a hard 5 km will tell."
                    .to_owned()
            }
            Self::PredictionOverTarget => format!(
                "Your target of {target} is beyond what your data supports on race day ({band}), so the card is not made \
                 from it: plan A is the middle of that band, plan B half way to its slow end."
            ),
            Self::Prediction => format!(
                "You have no target: plan A is what your data points to on race day ({band}), plan B half way to the slow \
                 end."
            ),
        }
    }
}
