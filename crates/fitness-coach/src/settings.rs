//! Coach settings of an athlete: provider, model, endpoint and daily limits.

use crate::model::Cost;
use crate::model::catalog::ClaudeModel;
use fitness_core::domain::untrusted_text::{capitalize, escape_invisible, group_thousands};
use fitness_core::string_enum;
use serde::{Deserialize, Serialize};

/// Setting key of [`CoachSettings`].
pub const SETTING_KEY: &str = "coach";
/// Setting key of the detected capabilities of a model server.
pub const CAPABILITIES_SETTING_KEY: &str = "coach_found";
/// Default URL of a local model: Ollama.
pub const LOCAL_MODEL_URL: &str = "http://127.0.0.1:11434/v1";
/// Maximum daily limit in US dollars.
pub const MAX_DOLLARS_PER_DAY: f64 = 1000.0;

string_enum! {
    #[derive(Default)]
    pub enum Provider("coach") {
        #[default]
        BuiltIn = "built-in",
        Anthropic = "anthropic",
        /// Any server with OpenAI's chat completions API.
        Openai = "openai",
    }
}

/// Coach settings of an athlete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoachSettings {
    pub provider: Provider,
    /// Model name; default depends on the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Set at the terminal, so the URL may be in the server's own network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_terminal: bool,
    /// Daily token limit, input and output.
    pub tokens_a_day: u64,
    /// Daily spending limit in millionths of a US dollar.
    pub micros_a_day: u64,
}

impl Default for CoachSettings {
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

impl CoachSettings {
    /// Name of the model for display.
    #[must_use]
    pub fn model_name(&self) -> String {
        let usual = match self.provider {
            Provider::BuiltIn => Provider::BuiltIn.as_str(),
            Provider::Anthropic => "sonnet",
            Provider::Openai => "a model",
        };
        escape_invisible(self.model.as_deref().unwrap_or(usual)).to_string()
    }

    /// The settings as a sentence.
    #[must_use]
    pub fn describe(&self) -> String {
        match (self.provider, &self.address) {
            (Provider::BuiltIn, ..) => "Built-in coach: rules, no AI, no API key.".to_owned(),
            (Provider::Anthropic, address) => {
                let at =
                    address.as_deref().map(|at| format!(" at {}", escape_invisible(at))).unwrap_or_default();
                format!("{}{at}.", model_label(&self.model_name()))
            }
            (Provider::Openai, address) => {
                format!("{} {}.", self.model_name(), place(address.as_deref().unwrap_or(LOCAL_MODEL_URL)))
            }
        }
    }
}

/// A model as people write it: `Claude Haiku` for `haiku`, `Built-in coach` for `built-in`.
#[must_use]
pub fn model_label(name: &str) -> String {
    match name.parse::<ClaudeModel>() {
        Ok(claude) => format!("Claude {}", capitalize(claude.as_str())),
        Err(_) if name == Provider::BuiltIn.as_str() => "Built-in coach".to_owned(),
        Err(_) => name.to_owned(),
    }
}

/// `on this machine (127.0.0.1:11434)` or `at models.example.org`, without the rest of the URL.
fn place(address: &str) -> String {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or(host);
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_local = name == "localhost" || name == "[::1]" || name.starts_with("127.");
    let host = escape_invisible(host);
    if is_local { format!("on this machine ({host})") } else { format!("at {host}") }
}

/// Converts US dollars per day to millionths.
pub fn parse_dollars_per_day(dollars: f64) -> Result<u64, String> {
    if !(0.0..=MAX_DOLLARS_PER_DAY).contains(&dollars) {
        return Err("not a valid limit; give dollars per day from 0 to 1000, such as 0.50".to_owned());
    }
    Ok((dollars * 1_000_000.0).round() as u64)
}

/// An API key that the server owner shares with all users, with daily limits per user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedKey {
    pub provider: Provider,
    /// The only base URL the key is sent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Daily token limit per user.
    pub tokens_a_day: u64,
    /// Daily spending limit per user in millionths of a US dollar.
    pub micros_a_day: u64,
    pub sealed: String,
}

impl SharedKey {
    /// Whether the key can be used with these settings.
    #[must_use]
    pub fn applies_to(&self, chosen: &CoachSettings) -> bool {
        chosen.provider != Provider::BuiltIn
            && self.provider == chosen.provider
            && self.address == chosen.address
    }

    /// The limits as text.
    #[must_use]
    pub fn describe_allowance(&self) -> String {
        format!(
            "{} tokens and {} per day for each user",
            group_thousands(self.tokens_a_day),
            Cost(self.micros_a_day)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describe_names_a_custom_address() {
        let chosen = CoachSettings { provider: Provider::Anthropic, ..CoachSettings::default() };
        assert_eq!(chosen.describe(), "Claude Sonnet.");
        let elsewhere = CoachSettings { address: Some("https://proxy.example".to_owned()), ..chosen };
        assert_eq!(elsewhere.describe(), "Claude Sonnet at https://proxy.example.");
    }

    #[test]
    fn describe_says_where_another_server_is() {
        let server = |address: Option<&str>| CoachSettings {
            provider: Provider::Openai,
            model: Some("llama3.2".to_owned()),
            address: address.map(str::to_owned),
            ..CoachSettings::default()
        };
        for (address, says) in [
            (None, "llama3.2 on this machine (127.0.0.1:11434)."),
            (Some("http://localhost:9/v1"), "llama3.2 on this machine (localhost:9)."),
            (Some("http://[::1]:9/v1"), "llama3.2 on this machine ([::1]:9)."),
            (Some("https://models.example/v1"), "llama3.2 at models.example."),
        ] {
            assert_eq!(server(address).describe(), says);
        }
        assert_eq!(
            ["opus", "built-in", "llama3.2"].map(model_label),
            ["Claude Opus", "Built-in coach", "llama3.2"]
        );
    }

    #[test]
    fn shared_key_applies_only_to_its_provider_and_address() {
        let shared = SharedKey {
            provider: Provider::Anthropic,
            address: None,
            tokens_a_day: 1,
            micros_a_day: 1,
            sealed: String::new(),
        };
        let chosen = |provider, address: Option<&str>| CoachSettings {
            provider,
            address: address.map(str::to_owned),
            ..CoachSettings::default()
        };
        assert!(shared.applies_to(&chosen(Provider::Anthropic, None)));
        assert!(!shared.applies_to(&chosen(Provider::Anthropic, Some("https://elsewhere.example"))));
        assert!(!shared.applies_to(&chosen(Provider::Openai, None)));
        let built_in = SharedKey { provider: Provider::BuiltIn, ..shared };
        assert!(!built_in.applies_to(&chosen(Provider::BuiltIn, None)));
    }

    #[test]
    fn invalid_dollar_limit_is_refused() {
        assert_eq!(parse_dollars_per_day(0.5), Ok(500_000));
        for bad in [-0.01, 1000.01, f64::NAN, f64::INFINITY] {
            assert!(parse_dollars_per_day(bad).is_err(), "{bad}");
        }
    }
}
