//! `fitness plan card`: splits for race day.

use super::chosen;
use crate::clock;
use crate::commands::settled;
use crate::context::Context;
use crate::failure::Failure;
use crate::report::Report;
use crate::table::table;
use anyhow::Result;
use fitness_core::calendar::Day;
use fitness_core::ids::PlanId;
use fitness_core::metrics::predict::Finish;
use fitness_core::plan::{PaceCard, finish_on_race_day, pace_card};
use fitness_core::units::{Distance, TimeSpan};
use serde_json::json;

pub(super) async fn run(context: &Context, plan: Option<PlanId>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    settled(&store, user.id).await?;
    let plan = chosen(&store, &user, plan).await?;
    let profile = store.profile(user.id).await?;
    let today = Day::at(clock::now(), profile.zone);
    let athlete = store.background_of(user.id, &plan, today).await?;
    store.close().await;
    let Some(race) = plan.distance else {
        return Err(Failure::new("this plan has no race", "`fitness plan list` shows your plans").into());
    };
    let finish = finish_on_race_day(&athlete, plan.start_date, plan.race_date);
    let units = profile.units;
    let Some(card) = pace_card(race, plan.target_time, finish, units) else {
        let help = "enter a race with `fitness race add`, or draft the plan with a --target";
        return Err(Failure::new("there is neither a target nor a result to pace by", help).into());
    };
    let basis = Basis::of(&card, plan.target_time, finish);
    let half = Distance::from_mm(race.mm() / 2);
    let rows: Vec<_> = card
        .splits
        .iter()
        .map(|split| {
            let at = units.distance(split.distance).to_string();
            let at = if split.distance == half { format!("{at} (half way)") } else { at };
            [at, split.a.clock(), split.b.clock()]
        })
        .collect();
    let words = format!(
        "{}\n\nPlan A {} ({}), plan B {} ({}), evenly run.\n\n{}",
        basis.told(race, plan.target_time, finish),
        card.a.clock(),
        units.pace(card.a_pace),
        card.b.clock(),
        units.pace(card.b_pace),
        table(["at", "A", "B"], &rows)
    );
    let mut data = serde_json::to_value(&card)?;
    data["made_from"] = json!(basis);
    data["target_ms"] = json!(plan.target_time);
    data["finish"] = json!(finish);
    Ok(Report::new(words, &data))
}

fitness_core::words! {
    /// What a card is made from.
    enum Basis("basis of a card") {
        /// The target, which the data supports or nearly does.
        Target = "target",
        /// The target, with no result to hold it against.
        TargetAlone = "target_alone",
        /// The prediction, as the target is beyond its band.
        PredictionInstead = "prediction_instead",
        /// The prediction, as there is no target.
        Prediction = "prediction",
    }
}

impl Basis {
    /// Plan A says it: it is the target, or it is not.
    fn of(card: &PaceCard, target: Option<TimeSpan>, finish: Option<Finish>) -> Self {
        match (target, finish) {
            (None, _) => Self::Prediction,
            (Some(_), None) => Self::TargetAlone,
            (Some(target), Some(_)) if target == card.a => Self::Target,
            (Some(_), Some(_)) => Self::PredictionInstead,
        }
    }

    /// Where the two plans come from.
    fn told(self, race: Distance, target: Option<TimeSpan>, finish: Option<Finish>) -> String {
        let faster = target.zip(finish).is_some_and(|(target, finish)| target < finish.time);
        let target = target.map(TimeSpan::clock).unwrap_or_default();
        let (middle, band) = match finish.map(|finish| finish.rounded(race)) {
            Some(Finish { low, time, high }) => {
                (time.clock(), format!("{} to {}, where 8 of 10 land", low.clock(), high.clock()))
            }
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
            Self::TargetAlone => {
                "Plan A is your target, which no result of yours supports or denies yet; plan B is 3 % slower. A race or a \
                 hard 5 km will tell: `fitness race add`."
                    .to_owned()
            }
            Self::PredictionInstead => format!(
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
