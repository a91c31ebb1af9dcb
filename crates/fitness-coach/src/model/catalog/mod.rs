//! Known models and their prices.
//!
//! The table is in `catalog/prices.rs`, dated and with its sources. Prices are never guessed from a
//! model's name.

mod prices;

use super::{Cost, Usage};
use fitness_core::string_enum;

pub use prices::PRICES_AS_OF;

string_enum! {
    #[derive(Default)]
    pub enum ClaudeModel("model") {
        Haiku = "haiku",
        #[default]
        Sonnet = "sonnet",
        Opus = "opus",
    }
}

impl ClaudeModel {
    #[must_use]
    pub const fn info(self) -> &'static ModelInfo {
        match self {
            Self::Haiku => &prices::HAIKU,
            Self::Sonnet => &prices::SONNET,
            Self::Opus => &prices::OPUS,
        }
    }
}

/// Thinking mode; the model decides how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingMode {
    /// `adaptive`; without a requested summary nothing is streamed.
    Adaptive,
}

/// Prices per token in billionths of a US dollar, as integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    pub input: u64,
    /// Input written to the 5-minute cache.
    pub cache_write: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    pub output: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelInfo {
    pub id: &'static str,
    pub prices: Prices,
    /// Prices above this prompt length in tokens.
    pub long_prompt_prices: Option<(u64, Prices)>,
    /// Context window in tokens.
    pub context_tokens: u32,
    pub max_output_tokens: u32,
    pub thinking: ThinkingMode,
}

impl ModelInfo {
    /// Cost of a reply, rounded up to a millionth of a dollar. For the sum of several replies this
    /// is an upper bound, because long prompts cost more.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Cost {
        let prompt = usage.input.saturating_add(usage.cache_write).saturating_add(usage.cache_read);
        let prices = match self.long_prompt_prices {
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
    fn default_model_is_sonnet() {
        assert_eq!(ClaudeModel::default().info().id, "claude-sonnet-5-5");
        let ids: Vec<&str> = ClaudeModel::ALL.iter().map(|choice| choice.info().id).collect();
        assert_eq!(ids, ["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"]);
    }

    #[test]
    fn a_million_tokens_of_each_kind_cost_what_the_list_says() {
        let costs = |choice: ClaudeModel, usage: Usage| choice.info().cost(&usage).to_string();
        let input = Usage { input: MILLION, ..Usage::default() };
        let write = Usage { cache_write: MILLION, ..Usage::default() };
        let read = Usage { cache_read: MILLION, ..Usage::default() };
        let output = Usage { output: MILLION, ..Usage::default() };
        let of = |choice| [input, write, read, output].map(|usage| costs(choice, usage));
        assert_eq!(of(ClaudeModel::Sonnet), ["$2.0000", "$2.5000", "$0.2000", "$10.0000"]);
        assert_eq!(of(ClaudeModel::Opus), ["$4.0000", "$5.0000", "$0.2000", "$20.0000"]);
        // A prompt of a million tokens is above the step; output of a short prompt is not.
        assert_eq!(of(ClaudeModel::Haiku), ["$0.5000", "$0.6250", "$0.0500", "$0.5000"]);
    }

    #[test]
    fn haiku_has_a_step_at_a_hundred_thousand_tokens_of_prompt_cached_or_not() {
        let haiku = ClaudeModel::Haiku.info();
        let at = Usage { input: 40_000, cache_write: 30_000, cache_read: 30_000, output: 1000 };
        // 40,000 x 100 + 30,000 x 125 + 30,000 x 10 + 1,000 x 500 billionths.
        assert_eq!(haiku.cost(&at), Cost(8_550));
        let above = Usage { input: 40_001, ..at };
        assert_eq!(haiku.cost(&above), Cost(42_751));
    }

    #[test]
    fn a_cost_is_rounded_up_and_never_overflows() {
        let one = Usage { cache_read: 1, ..Usage::default() };
        assert_eq!(ClaudeModel::Haiku.info().cost(&one), Cost(1));
        assert_eq!(ClaudeModel::Haiku.info().cost(&Usage::default()), Cost(0));
        let most = Usage { input: u64::MAX, cache_write: u64::MAX, cache_read: u64::MAX, output: u64::MAX };
        assert_eq!(ClaudeModel::Opus.info().cost(&most), Cost(u64::MAX));
    }
}
