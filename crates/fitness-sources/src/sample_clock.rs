//! Finds samples with a wrong clock time, and the time order of the others.
//!
//! One wrong stamp must not cost the rest of a recording, so nothing here trusts a single sample:
//! not the first, and not the one before.

/// A longer gap separates groups of samples, such as the two days of a tour.
const GROUP_GAP_MS: i64 = 6 * 3_600_000;
/// A few samples this far outside the times of their neighbours in the file have a wrong time.
/// Devices that write samples late are late by seconds.
const MAX_DISPLACEMENT_MS: i64 = 300_000;
/// Maximum number of samples in a row that are compared with their neighbours.
const MAX_DISPLACED_RUN: usize = 3;
/// 24 days. A longer recording does not fit an `i32` of milliseconds.
pub(crate) const MAX_SPAN_MS: i64 = 24 * 86_400_000;

/// Usable samples in time order, as indexes; `None` if all are usable and in order.
///
/// `at` is the time of a sample in milliseconds since the Unix epoch, `None` if impossible.
/// `spans` are the spans of the file's activities if it has several; samples within them are
/// used even far away from the others.
pub(crate) fn usable_order(
    count: usize,
    at: impl Fn(usize) -> Option<i64>,
    spans: &[(i64, i64)],
) -> Option<Vec<u32>> {
    if is_ordered(count, &at) {
        return None;
    }
    let mut order: Vec<(i64, u32)> =
        (0..count).filter_map(|index| Some((at(index)?, u32::try_from(index).ok()?))).collect();
    drop_displaced(&mut order);
    // Stable: samples of the same time stay in the order of the file.
    order.sort_by_key(|(time, _)| *time);
    Some(drop_isolated(&order, spans).into_iter().map(|(_, index)| index).collect())
}

fn is_ordered(count: usize, at: &impl Fn(usize) -> Option<i64>) -> bool {
    let mut span: Option<(i64, i64)> = None;
    (0..count).all(|index| {
        let Some(time) = at(index) else { return false };
        let (first, last) = *span.get_or_insert((time, time));
        span = Some((first, time));
        (last..=last.saturating_add(GROUP_GAP_MS)).contains(&time) && time - first <= MAX_SPAN_MS
    })
}

/// Drops up to three samples in a row whose times are far outside those of their neighbours, which
/// agree with each other.
fn drop_displaced(order: &mut Vec<(i64, u32)>) {
    let mut kept: Vec<(i64, u32)> = Vec::with_capacity(order.len());
    let mut index = 0;
    while let Some(sample) = order.get(index) {
        let displaced = kept.last().map_or(0, |(before, _)| displaced_run(order, index, *before));
        if displaced == 0 {
            kept.push(*sample);
        }
        index += displaced.max(1);
    }
    *order = kept;
}

/// Number of displaced samples from `index`, after a sample at `before`.
fn displaced_run(order: &[(i64, u32)], index: usize, before: i64) -> usize {
    for run in 1..=MAX_DISPLACED_RUN {
        let Some((after, _)) = order.get(index + run) else { return 0 };
        let agree = (before - MAX_DISPLACEMENT_MS..=before + GROUP_GAP_MS).contains(after);
        let (first, last) = (before.min(*after), before.max(*after));
        let outside = |(time, _): &(i64, u32)| {
            !(first - MAX_DISPLACEMENT_MS..=last + MAX_DISPLACEMENT_MS).contains(time)
        };
        if agree && order[index..index + run].iter().all(outside) {
            return run;
        }
    }
    0
}

/// Keeps the largest group of samples and what belongs to it. Groups are separated by gaps.
fn drop_isolated(order: &[(i64, u32)], spans: &[(i64, i64)]) -> Vec<(i64, u32)> {
    let groups: Vec<&[(i64, u32)]> =
        order.chunk_by(|(earlier, _), (later, _)| later - earlier <= GROUP_GAP_MS).collect();
    let Some(main) = (0..groups.len()).max_by_key(|group| groups[*group].len()) else { return Vec::new() };
    // A night's rest also makes a small group, so only a very small one is isolated.
    let most = 3.max(order.len() / 100);
    let isolated = |group: &[(i64, u32)]| group.len() <= most && groups[main].len() >= 10 * group.len();
    let ends = |group: &[(i64, u32)]| (group[0].0, group[group.len() - 1].0);
    let within_span = |group: &[(i64, u32)]| {
        let (first, last) = ends(group);
        spans.iter().any(|(start, end)| last >= start - GROUP_GAP_MS && first <= end + GROUP_GAP_MS)
    };
    let (mut first, mut last) = ends(groups[main]);
    let mut used = vec![false; groups.len()];
    used[main] = true;
    for group in main + 1..groups.len() {
        if !isolated(groups[group]) && ends(groups[group]).1 - first <= MAX_SPAN_MS {
            (used[group], last) = (true, ends(groups[group]).1);
        }
    }
    for group in (0..main).rev() {
        if !isolated(groups[group]) && last - ends(groups[group]).0 <= MAX_SPAN_MS {
            (used[group], first) = (true, ends(groups[group]).0);
        }
    }
    let mut kept = Vec::with_capacity(order.len());
    for (group, used) in groups.iter().zip(used) {
        if spans.len() > 1 && within_span(group) {
            kept.extend_from_slice(group);
        } else if used {
            kept.extend(group.iter().filter(|(time, _)| time - first <= MAX_SPAN_MS));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;
    /// 14 June 2026, 06:00 UTC.
    const START: i64 = 1_781_416_800_000;

    fn order(times: &[i64]) -> Option<Vec<u32>> {
        usable_order(times.len(), |index| Some(times[index]), &[])
    }

    /// A minute of samples with other times at some places.
    fn minute_with(others: &[(usize, i64)]) -> Vec<i64> {
        let mut times: Vec<i64> = (0..60).map(|second| START + second * 1000).collect();
        for (index, time) in others {
            times[*index] = *time;
        }
        times
    }

    #[test]
    fn one_wrong_time_costs_one_sample_at_any_place() {
        for wrong in [
            START + 24 * HOUR,
            START - 24 * HOUR,
            START + HOUR,
            // 2000-01-01, 2058-01-18 (0x7FFFFFFF in FIT time), 2099.
            946_684_800_000,
            (0x7fff_ffff + 631_065_600) * 1000,
            4_070_908_800_000,
        ] {
            // An hour is too little to drop the first or the last sample.
            let ends: &[usize] = if (wrong - START).abs() == HOUR { &[] } else { &[0, 59] };
            for place in [1, 30, 58].iter().chain(ends) {
                let used = order(&minute_with(&[(*place, wrong)])).unwrap();
                let all_but_one: Vec<u32> = (0..60).filter(|index| *index != *place as u32).collect();
                assert_eq!(used, all_but_one, "{wrong} at {place}");
            }
        }
    }

    #[test]
    fn samples_in_order_need_no_list() {
        assert_eq!(order(&minute_with(&[])), None);
        assert_eq!(order(&[]), None);
        assert_eq!(order(&[START, START, START + 5 * HOUR]), None);
    }

    #[test]
    fn samples_out_of_order_are_sorted_and_equal_times_keep_their_order() {
        assert_eq!(order(&[START, START + 2000, START + 1000, START + 2000]), Some(vec![0, 2, 1, 3]));
        // Two swapped halves.
        let swapped: Vec<i64> = (30..60).chain(0..30).map(|minute| START + minute * 60_000).collect();
        assert_eq!(order(&swapped).unwrap(), (30..60).chain(0..30).collect::<Vec<u32>>());
    }

    #[test]
    fn a_night_between_two_days_is_kept() {
        let tour: Vec<i64> =
            (0..100).map(|n| START + n * 60_000 + if n < 6 { 0 } else { 12 * HOUR }).collect();
        assert_eq!(order(&tour).unwrap().len(), 100);
        let sparse: Vec<i64> = (0..20).map(|n| START + n * 12 * HOUR).collect();
        assert_eq!(order(&sparse).unwrap().len(), 20);
    }

    #[test]
    fn a_recording_of_more_than_24_days_ends_there() {
        let long: Vec<i64> = (0..30).map(|day| START + day * 24 * HOUR).collect();
        assert_eq!(order(&long).unwrap().len(), 25);
        let dense: Vec<i64> = (0..30 * 24).map(|hour| START + hour * HOUR).collect();
        assert_eq!(order(&dense).unwrap().len(), 24 * 24 + 1);
    }

    #[test]
    fn activities_of_other_days_in_the_same_file_are_kept() {
        let times: Vec<i64> =
            (0..100).map(|n| START + n * 1000 + if n < 2 { 0 } else { 60 * 24 * HOUR }).collect();
        assert_eq!(order(&times).unwrap().len(), 98);
        let spans = [(START, START + 2000), (START + 60 * 24 * HOUR, START + 61 * 24 * HOUR)];
        let used = usable_order(times.len(), |index| Some(times[index]), &spans).unwrap();
        assert_eq!(used.len(), 100);
    }

    #[test]
    fn any_times_give_each_sample_at_most_once_in_time_order() {
        let mut state = 7_u64;
        for _ in 0..3000 {
            let mut times = Vec::new();
            for _ in 0..state % 40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let spread = [1000, 400_000, 7 * HOUR, 40 * 24 * HOUR][(state >> 60) as usize % 4];
                times.push(START + (state >> 20).cast_signed() % spread);
            }
            state = state.wrapping_add(1);
            let Some(used) = order(&times) else { continue };
            assert!(used.windows(2).all(|pair| times[pair[0] as usize] <= times[pair[1] as usize]));
            let distinct: std::collections::BTreeSet<u32> = used.iter().copied().collect();
            assert_eq!(distinct.len(), used.len());
            assert!(!used.is_empty() || times.is_empty());
            let span = |at: usize| times[used[at] as usize];
            assert!(used.is_empty() || span(used.len() - 1) - span(0) <= MAX_SPAN_MS);
        }
    }
}
