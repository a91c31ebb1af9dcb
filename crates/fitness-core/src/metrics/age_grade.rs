//! Age grading: a time as a share of the best anyone of that age and sex would be expected to run.
//!
//! The standards and factors (Jones, USATF Masters Long Distance Running, 2025) are passed in; this
//! module has no tables.

use super::{MetricResult, MissingReason, finite};
use crate::domain::units::{Distance, TimeSpan};

/// Percent = 100·(open standard/factor)/time.
///
/// A man of 50 over 5 km: 769 s, factor 0.8775, in 20:00 is 73.03 %.
///
/// # Errors
/// When a time is not above zero, or the factor is not above 0 and at most 1.
pub fn age_grade(open_standard: TimeSpan, factor: f64, time: TimeSpan) -> MetricResult<f64> {
    if open_standard <= TimeSpan::ZERO || time <= TimeSpan::ZERO {
        return Err(MissingReason::OutOfRange { what: "age grading needs times above zero".to_owned() });
    }
    if !(factor > 0.0 && factor <= 1.0) {
        return Err(MissingReason::OutOfRange {
            what: "an age factor must be above 0 and at most 1".to_owned(),
        });
    }
    finite(100.0 * (open_standard.seconds() / factor) / time.seconds(), "age grade")
}

/// Interpolates the standard of a distance between two others, linearly in the logarithm of the
/// distance.
///
/// Between 5 km in 769 s and 10 km in 1584 s, the standard of 8 km is 1321.6 s.
///
/// # Errors
/// When the distance is not between the two.
pub fn standard_between(
    shorter: (Distance, TimeSpan),
    longer: (Distance, TimeSpan),
    at: Distance,
) -> MetricResult<TimeSpan> {
    if shorter.0 <= Distance::ZERO || shorter.0 >= longer.0 || !(shorter.0..=longer.0).contains(&at) {
        return Err(MissingReason::OutOfRange {
            what: "the distance is outside the two standards".to_owned(),
        });
    }
    let share = (at.meters() / shorter.0.meters()).ln() / (longer.0.meters() / shorter.0.meters()).ln();
    let (from, to) = (shorter.1.seconds(), longer.1.seconds());
    TimeSpan::from_seconds(from + (to - from) * share)
        .ok_or_else(|| MissingReason::OutOfRange { what: "the standards are not valid times".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_standards_and_factors_give_the_published_figures() {
        let of = |standard: i64, factor: f64, seconds: f64| {
            age_grade(TimeSpan::from_secs(standard), factor, TimeSpan::from_seconds(seconds).unwrap())
                .unwrap()
        };
        assert!((of(769, 0.8775, 1200.0) - 73.03).abs() < 0.005, "a man of 50, 5 km in 20:00");
        // Running the standard of one's age is 100 %.
        for (standard, factor, aged) in [
            (769, 0.8775, 876.4),   // man of 50, 5 km
            (7235, 0.8963, 8072.1), // man of 50, marathon
            (3451, 0.9638, 3580.6), // man of 40, half marathon
            (1726, 0.8822, 1956.5), // woman of 50, 10 km
            (7796, 0.7965, 9787.8), // woman of 60, marathon
            (834, 0.9793, 851.6),   // woman of 35, 5 km
            (1584, 1.0, 1584.0),    // man, 10 km
        ] {
            assert!((of(standard, factor, aged) - 100.0).abs() < 0.01, "{standard} {factor}");
        }
    }

    #[test]
    fn a_distance_between_two_standards_has_one() {
        let km = |km: f64| Distance::from_km(km).unwrap();
        let (five, ten) = ((km(5.0), TimeSpan::from_secs(769)), (km(10.0), TimeSpan::from_secs(1584)));
        assert_eq!(standard_between(five, ten, km(5.0)), Ok(five.1));
        assert_eq!(standard_between(five, ten, km(10.0)), Ok(ten.1));
        assert!((standard_between(five, ten, km(8.0)).unwrap().seconds() - 1321.6).abs() < 0.05);
        for (a, b, at) in
            [(five, ten, km(4.9)), (five, ten, km(10.1)), (ten, five, km(8.0)), (five, five, km(5.0))]
        {
            assert!(standard_between(a, b, at).is_err());
        }
        assert!(standard_between((Distance::ZERO, five.1), ten, km(8.0)).is_err());
    }

    #[test]
    fn invalid_time_or_factor_gives_no_age_grade() {
        let minute = TimeSpan::from_secs(60);
        for (standard, factor, time) in [
            (TimeSpan::ZERO, 0.9, minute),
            (minute, 0.9, TimeSpan::ZERO),
            (minute, 0.0, minute),
            (minute, f64::NAN, minute),
            (minute, 1.1, minute),
            (minute, -1.0, minute),
        ] {
            assert!(age_grade(standard, factor, time).is_err());
        }
    }
}
