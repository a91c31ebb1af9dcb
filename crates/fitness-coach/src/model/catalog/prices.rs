//! The price table. Update the prices together with the date.
//!
//! Source: the model and pricing pages of platform.claude.com and the model list of the official
//! Python SDK 2.8.0, as of [`PRICES_AS_OF`]. Two numbers are not from there: the cache-read price
//! of Haiku is computed as a tenth of its input price, and for Sonnet the model page says 0.20 and
//! a third-party table 0.10, of which the higher one is used.

use super::{ModelInfo, Prices, ThinkingMode};

/// The day on which this was true.
pub const PRICES_AS_OF: &str = "2026-11-15";

/// Thousandths of a dollar for a million tokens, in the order of the price list.
const fn prices(input: u64, output: u64, cache_write: u64, cache_read: u64) -> Prices {
    Prices { input, cache_write, cache_read, output }
}

pub(super) const HAIKU: ModelInfo = ModelInfo {
    id: "claude-haiku-5-5",
    prices: prices(100, 500, 125, 10),
    // The cache above the step: in the same proportion, since the list gives no other.
    long_prompt_prices: Some((100_000, prices(500, 2_500, 625, 50))),
    context_tokens: 1_000_000,
    max_output_tokens: 128_000,
    thinking: ThinkingMode::Adaptive,
};

pub(super) const SONNET: ModelInfo = ModelInfo {
    id: "claude-sonnet-5-5",
    prices: prices(2_000, 10_000, 2_500, 200),
    long_prompt_prices: None,
    context_tokens: 1_000_000,
    max_output_tokens: 128_000,
    thinking: ThinkingMode::Adaptive,
};

pub(super) const OPUS: ModelInfo = ModelInfo {
    id: "claude-opus-5-5",
    prices: prices(4_000, 20_000, 5_000, 200),
    long_prompt_prices: None,
    context_tokens: 1_000_000,
    max_output_tokens: 128_000,
    thinking: ThinkingMode::Adaptive,
};
