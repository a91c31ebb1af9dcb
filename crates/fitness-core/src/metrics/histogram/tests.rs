//! Serialization of histograms.

use super::*;
use proptest::prelude::*;

#[test]
fn a_histogram_is_written_as_steps_and_seconds() {
    let histogram: Histogram = [(130, 25), (131, 3), (140, 7)].into_iter().collect();
    let text = serde_json::to_string(&histogram).unwrap();
    assert_eq!(text, "[130,25,1,3,9,7]");
    assert_eq!(serde_json::from_str::<Histogram>(&text).unwrap(), histogram);
}

#[test]
fn invalid_histogram_is_refused() {
    for text in ["[1]", "[1,0]", "[1,2,0,3]", "[4294967295,1,1,1]", "[1,2,3]", "[-1,2]", "[[1,2]]", "{}"] {
        assert!(serde_json::from_str::<Histogram>(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn histogram_round_trips(bins in prop::collection::vec(any::<(u32, u32)>(), 0..50)) {
        let histogram: Histogram = bins.into_iter().collect();
        let text = serde_json::to_string(&histogram).unwrap();
        prop_assert_eq!(serde_json::from_str::<Histogram>(&text).unwrap(), histogram);
    }

    #[test]
    fn parsed_histogram_is_ascending(row in prop::collection::vec(any::<u32>(), 0..9)) {
        let read = serde_json::from_str::<Histogram>(&serde_json::to_string(&row).unwrap());
        if let Ok(histogram) = read {
            let bins: Vec<(u32, u32)> = histogram.bins().collect();
            prop_assert!(bins.windows(2).all(|pair| pair[0].0 < pair[1].0));
            prop_assert_eq!(bins.len() * 2, row.len());
        }
    }
}
