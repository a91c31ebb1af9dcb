//! Race review: the result compared with target and prediction, and recovery.

use super::training_norms::RaceClass;
use super::{GoalSupport, Plan, goal_support};
use crate::domain::calendar::Day;
use crate::domain::units::{Distance, TimeSpan};
use crate::metrics::predict::PredictedFinish;
use serde::Serialize;

/// Result of a race and the recovery after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RaceReview {
    /// `None` if no result is known.
    #[serde(rename = "result_ms")]
    pub result: Option<TimeSpan>,
    /// Seconds slower than the target; negative when faster.
    pub over_target: Option<i64>,
    /// Prediction on the day before.
    pub predicted: Option<PredictedFinish>,
    /// Where in the predicted range the result lies.
    pub luck: Option<GoalSupport>,
    /// No hard running before this day.
    pub easy_until: Day,
    /// Weeks of easy running usual after such a race.
    pub recovery_weeks: u8,
}

/// Reviews a plan whose race is over; `None` before that, and without a race. `races` are day,
/// distance and time of the runs on race day.
#[must_use]
pub fn review_race(
    plan: &Plan,
    races: &[(Day, Distance, TimeSpan)],
    predicted: Option<PredictedFinish>,
    today: Day,
) -> Option<RaceReview> {
    let distance = plan.distance.filter(|_| today > plan.race_date)?;
    let of_the_course =
        |far: Distance| (0.98..=1.05).contains(&(far.mm() as f64 / distance.mm().max(1) as f64));
    let result = races
        .iter()
        .filter(|(day, far, time)| *day == plan.race_date && of_the_course(*far) && *time > TimeSpan::ZERO)
        .map(|(_, _, time)| *time)
        .min();
    let recovery_weeks = match RaceClass::for_distance(distance) {
        RaceClass::FiveK | RaceClass::TenK => 1,
        RaceClass::Half => 2,
        RaceClass::Full => 3,
    };
    Some(RaceReview {
        result,
        over_target: result
            .zip(plan.target_time)
            .map(|(ran, hoped)| ran.whole_seconds() - hoped.whole_seconds()),
        luck: result.zip(predicted).map(|(ran, finish)| goal_support(ran, finish)),
        predicted,
        easy_until: plan.race_date.plus_days((distance.km() / 5.0).ceil() as i64),
        recovery_weeks,
    })
}

impl RaceReview {
    /// The review as sentences.
    #[must_use]
    pub fn sentences(&self, distance: Distance) -> Vec<String> {
        let mut said = Vec::new();
        match self.result {
            Some(ran) => said.push(format!("You ran {}.", ran.format_clock())),
            None => said
                .push("There is no result for your race yet. Import the activity to see it here.".to_owned()),
        }
        if let Some(over) = self.over_target {
            let by = TimeSpan::from_secs(over.abs()).format_clock();
            said.push(match over {
                0 => "That is exactly your goal time.".to_owned(),
                1.. => format!("That is {by} slower than your goal time."),
                _ => format!("That is {by} faster than your goal time."),
            });
        }
        if let (Some(ran), Some(finish)) = (self.result, self.predicted) {
            let shown = finish.rounded(distance);
            let place = if ran < finish.low {
                "faster than predicted"
            } else if ran > finish.high {
                "slower than predicted"
            } else {
                "within that range"
            };
            said.push(format!("The prediction on the day before was {shown}: your result is {place}."));
        }
        said.push(format!(
            "Do not run hard before {}, and run mostly easy for about {}.",
            self.easy_until,
            match self.recovery_weeks {
                1 => "a week".to_owned(),
                weeks => format!("{weeks} weeks"),
            }
        ));
        said
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::half_marathon;
    use super::*;

    fn half() -> Plan {
        Plan { target_time: Some(TimeSpan::from_mins(105)), ..half_marathon() }
    }

    #[test]
    fn race_review_compares_result_with_target_and_prediction() {
        let minutes = TimeSpan::from_mins;
        let day = |text: &str| text.parse::<Day>().unwrap();
        let finish = PredictedFinish { low: minutes(102), time: minutes(107), high: minutes(114) };
        let raced = [(day("2026-09-20"), Distance::from_km(21.3).unwrap(), TimeSpan::from_secs(6342))];
        assert_eq!(
            review_race(&half(), &raced, Some(finish), day("2026-09-20")),
            None,
            "not before it is over"
        );
        let after = review_race(&half(), &raced, Some(finish), day("2026-09-21")).unwrap();
        assert_eq!((after.over_target, after.luck), (Some(42), Some(GoalSupport::Supported)));
        assert_eq!((after.easy_until, after.recovery_weeks), (day("2026-09-25"), 2));
        let said = after.sentences(Distance::HALF_MARATHON).join(" ");
        for part in [
            "You ran 1:45:42.",
            "0:42 slower than your goal time",
            "your result is within that range",
            "run mostly easy for about 2 weeks",
        ] {
            assert!(said.contains(part), "{said}");
        }
        // A warm-up on race day is not the result.
        let jog = [(day("2026-09-20"), Distance::from_km(3.0).unwrap(), minutes(20))];
        let unknown = review_race(&half(), &jog, None, day("2026-09-21")).unwrap();
        assert_eq!(unknown.result, None);
        assert!(unknown.sentences(Distance::HALF_MARATHON)[0].contains("no result for your race yet"));
    }
}
