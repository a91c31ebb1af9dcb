//! Folds repeated workout steps into blocks.
//!
//! A workout is a flat list of steps, so that each can be changed on its own. Watches, calendars
//! and people write `5 × (1 km hard, 2 min easy)`. [`fold_repeats`] finds that form, and [`unfold`]
//! restores the list.

use super::Step;

/// Steps and how often they are repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Block<'a> {
    /// Steps of one repetition; never empty.
    pub steps: &'a [Step],
    /// 1 for steps that are not repeated.
    pub times: usize,
}

/// Folds consecutive repeats, only where that makes the list shorter (a repeat counts as one more
/// entry). Nested repeats are not detected.
#[must_use]
pub fn fold_repeats(steps: &[Step]) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut at = 0;
    // Start of the current run of unrepeated steps.
    let mut plain = 0;
    while at < steps.len() {
        let rest = &steps[at..];
        let Some((length, times)) = best_group(rest) else {
            at += 1;
            continue;
        };
        if plain < at {
            blocks.push(Block { steps: &steps[plain..at], times: 1 });
        }
        blocks.push(Block { steps: &rest[..length], times });
        at += length * times;
        plain = at;
    }
    if plain < steps.len() {
        blocks.push(Block { steps: &steps[plain..], times: 1 });
    }
    blocks
}

/// Expands blocks to the flat list.
#[must_use]
pub fn unfold(blocks: &[Block<'_>]) -> Vec<Step> {
    let times =
        |block: &Block<'_>| std::iter::repeat_n(block.steps, block.times).flatten().cloned().collect();
    blocks.iter().flat_map(|block| -> Vec<Step> { times(block) }).collect()
}

/// Length and count of the leading group that saves the most entries; the shortest of equals.
fn best_group(steps: &[Step]) -> Option<(usize, usize)> {
    let mut found = None;
    let mut most = 0;
    for length in 1..=steps.len() / 2 {
        let group = &steps[..length];
        let times = steps.chunks_exact(length).take_while(|chunk| *chunk == group).count();
        let saved = (length * (times - 1)).saturating_sub(1);
        if saved > most {
            (found, most) = (Some((length, times)), saved);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{StepDuration, StepTarget, StepType};
    use super::*;
    use proptest::prelude::*;

    fn step(letter: char) -> Step {
        Step {
            step_type: StepType::Active,
            duration: StepDuration::Open,
            target: StepTarget::Open,
            max_heart_rate: None,
            notes: Some(letter.to_string()),
        }
    }

    fn steps(letters: &str) -> Vec<Step> {
        letters.chars().map(step).collect()
    }

    fn folded(letters: &str) -> String {
        let steps = steps(letters);
        let told = |block: &Block<'_>| {
            let letters: String = block.steps.iter().filter_map(|step| step.notes.clone()).collect();
            if block.times == 1 { letters } else { format!("{}({letters})", block.times) }
        };
        fold_repeats(&steps).iter().map(told).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn repeated_steps_are_folded() {
        for (letters, expected) in [
            ("", ""),
            ("w", "w"),
            ("warararc", "w 3(ar) c"),
            ("waraarac", "w 2(ara) c"),
            ("wararac", "w 2(ar) ac"),
            ("aa", "aa"),
            ("aaa", "3(a)"),
            ("warsarsarsc", "w 3(ars) c"),
            ("wararxbsbsc", "w 2(ar) x 2(bs) c"),
            ("ararararar", "5(ar)"),
        ] {
            assert_eq!(folded(letters), expected, "{letters}");
        }
    }

    proptest! {
        #[test]
        fn unfolding_gives_the_list_back(letters in "[abc]{0,100}") {
            let steps = steps(&letters);
            let blocks = fold_repeats(&steps);
            prop_assert_eq!(unfold(&blocks), steps.clone());
            // Never longer than the list, counting one entry for each repeat.
            let entries: usize = blocks.iter().map(|b| b.steps.len() + usize::from(b.times > 1)).sum();
            prop_assert!(entries <= steps.len());
        }
    }
}
