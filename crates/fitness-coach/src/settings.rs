//! Who coaches an athlete: what they chose, in words and as it is stored.

use crate::model::Cost;
use fitness_core::domain::untrusted_text::visible;
use fitness_core::string_enum;
use serde::{Deserialize, Serialize};

/// The name of the setting that says who coaches.
pub const SETTING: &str = "coach";
/// The name of the setting with what was found out about the server of a model: no choice of anybody's.
pub const FOUND_SETTING: &str = "coach_found";
/// Where a model on this machine is when nobody says otherwise: Ollama's own address.
pub const LOCAL_MODEL: &str = "http://127.0.0.1:11434/v1";
/// The most dollars a day that can be allowed.
pub const MAX_DOLLARS: f64 = 1000.0;

string_enum! {
    /// Who coaches.
    #[derive(Default)]
    pub enum Provider("coach") {
        /// Rules only.
        #[default]
        BuiltIn = "built-in",
        /// Claude.
        Anthropic = "anthropic",
        /// Whatever speaks OpenAI's chat completions.
        Openai = "openai",
    }
}

/// What an athlete chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// Who.
    pub provider: Provider,
    /// Which model of theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where it is, when not where it usually is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Whether it was chosen at the terminal, and so may be in the network of the server whoever it is for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_terminal: bool,
    /// Tokens a day, all together.
    pub tokens_a_day: u64,
    /// Millionths of a US dollar a day.
    pub micros_a_day: u64,
}

impl Default for Chosen {
    fn default() -> Self {
        Self {
            provider: Provider::default(),
            model: None,
            address: None,
            at_terminal: false,
            tokens_a_day: 2_000_000,
            micros_a_day: 1_000_000,
        }
    }
}

impl Chosen {
    /// The model that would be asked, as the athlete knows it.
    #[must_use]
    pub fn model_name(&self) -> String {
        let usual = match self.provider {
            Provider::BuiltIn => Provider::BuiltIn.as_str(),
            Provider::Anthropic => "sonnet",
            Provider::Openai => "a model",
        };
        visible(self.model.as_deref().unwrap_or(usual)).to_string()
    }

    /// Who coaches, as a sentence.
    #[must_use]
    pub fn who(&self) -> String {
        match (self.provider, &self.address) {
            (Provider::BuiltIn, ..) => "The built-in coach: rules, no model, no key.".to_owned(),
            (Provider::Anthropic, address) => {
                let at = address.as_deref().map(|at| format!(" at {}", visible(at))).unwrap_or_default();
                format!("Claude, {}{at}.", self.model_name())
            }
            (Provider::Openai, address) => {
                format!("{} at {}.", self.model_name(), visible(address.as_deref().unwrap_or(LOCAL_MODEL)))
            }
        }
    }
}

/// Dollars a day, as a person writes them, in millionths.
///
/// # Errors
/// A sentence, when that is no limit.
pub fn micros_a_day(dollars: f64) -> Result<u64, String> {
    if !(0.0..=MAX_DOLLARS).contains(&dollars) {
        return Err("that is no limit: give dollars a day, 0 to 1000, such as 0.50".to_owned());
    }
    Ok((dollars * 1_000_000.0).round() as u64)
}

/// A key that the owner of the server lets everybody use, and how much each may use with it in a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shared {
    /// Whose key it is for.
    pub provider: Provider,
    /// The one place it was given for: no other is ever shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Tokens a day for each athlete, all together.
    pub tokens_a_day: u64,
    /// Millionths of a US dollar a day for each athlete.
    pub micros_a_day: u64,
    /// The key, sealed.
    pub sealed: String,
}

impl Shared {
    /// Whether it is for what an athlete chose.
    #[must_use]
    pub fn is_for(&self, chosen: &Chosen) -> bool {
        chosen.provider != Provider::BuiltIn
            && self.provider == chosen.provider
            && self.address == chosen.address
    }

    /// How much each may use, as words.
    #[must_use]
    pub fn allows(&self) -> String {
        format!("{} tokens and {} a day for each athlete", self.tokens_a_day, Cost(self.micros_a_day))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_ones_own_is_told() {
        let chosen = Chosen { provider: Provider::Anthropic, ..Chosen::default() };
        assert_eq!(chosen.who(), "Claude, sonnet.");
        let elsewhere = Chosen { address: Some("https://proxy.example".to_owned()), ..chosen };
        assert_eq!(elsewhere.who(), "Claude, sonnet at https://proxy.example.");
    }

    #[test]
    fn a_shared_key_is_for_the_place_it_was_given_for() {
        let shared = Shared {
            provider: Provider::Anthropic,
            address: None,
            tokens_a_day: 1,
            micros_a_day: 1,
            sealed: String::new(),
        };
        let chosen = |provider, address: Option<&str>| Chosen {
            provider,
            address: address.map(str::to_owned),
            ..Chosen::default()
        };
        assert!(shared.is_for(&chosen(Provider::Anthropic, None)));
        assert!(!shared.is_for(&chosen(Provider::Anthropic, Some("https://elsewhere.example"))));
        assert!(!shared.is_for(&chosen(Provider::Openai, None)));
        let built_in = Shared { provider: Provider::BuiltIn, ..shared };
        assert!(!built_in.is_for(&chosen(Provider::BuiltIn, None)));
    }

    #[test]
    fn a_limit_in_dollars_is_one_that_can_be() {
        assert_eq!(micros_a_day(0.5), Ok(500_000));
        for bad in [-0.01, 1000.01, f64::NAN, f64::INFINITY] {
            assert!(micros_a_day(bad).is_err(), "{bad}");
        }
    }
}
