//! Which models there are behind a key, and what they cost.
//!
//! The table itself is in `catalog/prices.rs`: one place, dated, with where each number comes from. Nothing is ever guessed from a
//! model's name.

mod prices;

use super::{Cost, Usage};
use fitness_core::string_enum;

pub use prices::AS_OF;

string_enum! {
    /// Which of the three an athlete chose.
    #[derive(Default)]
    pub enum Choice("model") {
        /// The smallest and cheapest.
        Haiku = "haiku",
        /// The one in the middle, and the one that is taken when nobody chose.
        #[default]
        Sonnet = "sonnet",
        /// The largest.
        Opus = "opus",
    }
}

impl Choice {
    /// What is known about it.
    #[must_use]
    pub const fn entry(self) -> &'static Entry {
        match self {
            Self::Haiku => &prices::HAIKU,
            Self::Sonnet => &prices::SONNET,
            Self::Opus => &prices::OPUS,
        }
    }
}

/// How a model may be told to think. All of them decide for themselves how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    /// `adaptive`; a summary of it must be asked for, or nothing is shown.
    Adaptive,
}

/// Prices in billionths of a US dollar for one token, which are thousandths of a dollar for a million: whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// Read anew.
    pub input: u64,
    /// Written to the cache, for five minutes.
    pub cache_write: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written as an answer, thinking included.
    pub output: u64,
}

/// One model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What it is called on the wire.
    pub id: &'static str,
    /// What it costs.
    pub prices: Prices,
    /// What it costs instead when the prompt is longer than so many tokens.
    pub above: Option<(u64, Prices)>,
    /// The most tokens it reads and writes together.
    pub context: u32,
    /// The most tokens it writes.
    pub max_output: u32,
    /// How it thinks.
    pub thinking: Thinking,
}

impl Entry {
    /// What one answer cost, rounded up to a millionth of a dollar. For the sum of several answers it may say more than
    /// they cost, never less: a longer prompt is dearer.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Cost {
        let prompt = usage.input.saturating_add(usage.cache_write).saturating_add(usage.cache_read);
        let prices = match self.above {
            Some((limit, prices)) if prompt > limit => prices,
            _ => self.prices,
        };
        let of = |tokens: u64, price: u64| u128::from(tokens).saturating_mul(u128::from(price));
        let billionths = of(usage.input, prices.input)
            .saturating_add(of(usage.cache_write, prices.cache_write))
            .saturating_add(of(usage.cache_read, prices.cache_read))
            .saturating_add(of(usage.output, prices.output));
        Cost(u64::try_from(billionths.div_ceil(1000)).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLION: u64 = 1_000_000;

    #[test]
    fn nobody_chose_means_sonnet() {
        assert_eq!(Choice::default().entry().id, "claude-sonnet-5-5");
        let ids: Vec<&str> = Choice::ALL.iter().map(|choice| choice.entry().id).collect();
        assert_eq!(ids, ["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"]);
    }

    #[test]
    fn a_million_tokens_of_each_kind_cost_what_the_list_says() {
        let costs = |choice: Choice, usage: Usage| choice.entry().cost(&usage).to_string();
        let input = Usage { input: MILLION, ..Usage::default() };
        let write = Usage { cache_write: MILLION, ..Usage::default() };
        let read = Usage { cache_read: MILLION, ..Usage::default() };
        let output = Usage { output: MILLION, ..Usage::default() };
        let of = |choice| [input, write, read, output].map(|usage| costs(choice, usage));
        assert_eq!(of(Choice::Sonnet), ["$2.0000", "$2.5000", "$0.2000", "$10.0000"]);
        assert_eq!(of(Choice::Opus), ["$4.0000", "$5.0000", "$0.2000", "$20.0000"]);
        // A prompt of a million tokens is above the step; what is written for a short one is not.
        assert_eq!(of(Choice::Haiku), ["$0.5000", "$0.6250", "$0.0500", "$0.5000"]);
    }

    #[test]
    fn haiku_has_a_step_at_a_hundred_thousand_tokens_of_prompt_cached_or_not() {
        let haiku = Choice::Haiku.entry();
        let at = Usage { input: 40_000, cache_write: 30_000, cache_read: 30_000, output: 1000 };
        // 40,000 x 100 + 30,000 x 125 + 30,000 x 10 + 1,000 x 500 billionths.
        assert_eq!(haiku.cost(&at), Cost(8_550));
        let above = Usage { input: 40_001, ..at };
        assert_eq!(haiku.cost(&above), Cost(42_751));
    }

    #[test]
    fn a_cost_is_rounded_up_and_never_overflows() {
        let one = Usage { cache_read: 1, ..Usage::default() };
        assert_eq!(Choice::Haiku.entry().cost(&one), Cost(1));
        assert_eq!(Choice::Haiku.entry().cost(&Usage::default()), Cost(0));
        let most = Usage { input: u64::MAX, cache_write: u64::MAX, cache_read: u64::MAX, output: u64::MAX };
        assert_eq!(Choice::Opus.entry().cost(&most), Cost(u64::MAX));
    }
}
