//! Session RPE: training load from perceived exertion.

use crate::domain::units::TimeSpan;
use crate::metrics::recovery::baseline::{median, to_u32};
use crate::metrics::{CountUnit, MetricResult, MissingReason, RequiredInput, finite};
use serde::{Deserialize, Serialize};

/// Activities with both a rating and a measured load needed to fit the conversion.
pub const MIN_SESSIONS: usize = 15;

/// Session RPE (Foster 1998, 2001): rating of 0 to 10 times minutes. An hour at 5 is 300. It is not
/// on the scale of TSS; an [`RpeLoadFactor`] converts it.
///
/// # Errors
/// When the rating is not between 0 and 10.
pub fn session_rpe(felt: f64, time: TimeSpan) -> MetricResult<f64> {
    if !(0.0..=10.0).contains(&felt) {
        return Err(MissingReason::missing(RequiredInput::PerceivedExertion));
    }
    if time <= TimeSpan::ZERO {
        return Err(MissingReason::missing(RequiredInput::Duration));
    }
    finite(felt * time.seconds() / 60.0, "session RPE")
}

/// One athlete's factor from session RPE to TSS.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RpeLoadFactor {
    /// TSS per unit of session RPE.
    factor: f64,
    /// Number of activities it was fitted on.
    sessions: u32,
}

impl RpeLoadFactor {
    /// Until an athlete's own factor is known: an hour at 5 is 60, an hour at 8 is 96. Common
    /// coaching practice gives 60 and 100.
    pub const TYPICAL: Self = Self { factor: 0.2, sessions: 0 };

    /// The median ratio of load to session RPE, from pairs of `(session RPE, load)`. An athlete
    /// whose hours at 5 have a load of 60 has a factor of 0.2.
    ///
    /// # Errors
    /// With fewer than 15 pairs.
    pub fn fit(sessions: &[(f64, f64)]) -> MetricResult<Self> {
        let sane = |(felt, load): &(f64, f64)| *felt > 0.0 && *load > 0.0;
        let ratio = |(felt, load): &(f64, f64)| load / felt;
        let ratios: Vec<f64> =
            sessions.iter().filter(|both| sane(both)).map(ratio).filter(|ratio| ratio.is_finite()).collect();
        if ratios.len() < MIN_SESSIONS {
            let (have, needed) = (to_u32(ratios.len()), to_u32(MIN_SESSIONS));
            return Err(MissingReason::TooFew { have, needed, what: CountUnit::Sessions });
        }
        let factor = median(&ratios).ok_or(MissingReason::missing(RequiredInput::PerceivedExertion))?;
        Ok(Self { factor: finite(factor, "ratio")?, sessions: to_u32(ratios.len()) })
    }

    /// TSS from session RPE.
    ///
    /// # Errors
    /// When it is not a number.
    pub fn load(&self, session_rpe: f64) -> MetricResult<f64> {
        finite(self.factor * session_rpe, "load from RPE")
    }

    #[must_use]
    pub const fn sessions(&self) -> u32 {
        self.sessions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_at_five_is_300() {
        assert_eq!(session_rpe(5.0, TimeSpan::from_mins(60)), Ok(300.0));
        assert_eq!(
            session_rpe(11.0, TimeSpan::from_mins(60)),
            Err(MissingReason::missing(RequiredInput::PerceivedExertion))
        );
        assert_eq!(
            session_rpe(f64::NAN, TimeSpan::from_mins(1)),
            Err(MissingReason::missing(RequiredInput::PerceivedExertion))
        );
        assert_eq!(session_rpe(5.0, TimeSpan::ZERO), Err(MissingReason::missing(RequiredInput::Duration)));
    }

    #[test]
    fn the_scale_is_the_median_of_fifteen_and_an_odd_one_does_not_move_it() {
        let mut sessions = vec![(300.0, 60.0); 14];
        let few = MissingReason::TooFew { have: 14, needed: 15, what: CountUnit::Sessions };
        assert_eq!(RpeLoadFactor::fit(&sessions), Err(few.clone()));
        sessions.push((0.0, 60.0));
        sessions.push((f64::NAN, 60.0));
        assert_eq!(RpeLoadFactor::fit(&sessions), Err(few), "what has no ratio does not count");
        sessions.push((10.0, 600.0));
        let scale = RpeLoadFactor::fit(&sessions).unwrap();
        assert_eq!((scale.load(300.0), scale.sessions()), (Ok(60.0), 15));
    }
}
