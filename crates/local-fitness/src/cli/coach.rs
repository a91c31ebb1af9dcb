//! Arguments of `coach`, `chat`, `brief`, `prompts`, `token`, `serve` and `login`.

use crate::coach::Provider;
use clap::{Args, Subcommand, ValueEnum};
use fitness_coach::prompt::PromptName;
use fitness_core::coach_api::Scope;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ApiTokenId, ChatId};
use fitness_web::Network;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum CoachCommand {
    /// Show your coach, what leaves this machine, and today's cost
    Show,
    /// Choose your coach
    Use(UseArgs),
    /// Set the daily budget of the model
    Limit {
        /// Tokens a day, input and output
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
        tokens: Option<u64>,
        /// US dollars a day, such as 0.50
        #[arg(long, value_name = "DOLLARS")]
        dollars: Option<f64>,
    },
    /// Print the exact request to the model without sending it
    Preview {
        /// A chat message [default: the request for the morning brief]
        text: Option<String>,
        /// Continue this conversation, whose history is part of the request
        #[arg(long, value_name = "NUMBER", requires = "text")]
        chat: Option<ChatId>,
        /// Another model: haiku, sonnet, opus, or its name on the server
        #[arg(long)]
        model: Option<String>,
    },
    /// Test the model on five sample mornings: how often it follows the rules, time and cost
    Test,
}

#[derive(Debug, Args)]
pub(crate) struct UseArgs {
    /// built-in (rules only: no key, no network), anthropic (Claude, with your own key) or openai
    /// (any server with a compatible chat completions API: Ollama, llama.cpp, LM Studio)
    pub(crate) provider: Provider,
    /// The model: haiku, sonnet or opus at Anthropic, otherwise its name on the server
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// URL of the server, such as http://127.0.0.1:11434/v1
    #[arg(long, value_name = "URL")]
    pub(crate) address: Option<String>,
    /// Read the key from a file, or from standard input with -
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// Your message [default: starts a conversation in the terminal]
    pub(crate) text: Option<String>,
    /// Continue an earlier conversation
    #[arg(long, value_name = "NUMBER")]
    pub(crate) chat: Option<ChatId>,
    /// Use this model once: built-in, haiku, sonnet, opus, or its name on the server
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// List your conversations
    #[arg(long, conflicts_with_all = ["text", "chat"])]
    pub(crate) list: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BriefArgs {
    /// Another day, such as 2026-06-14
    #[arg(long, value_name = "DAY")]
    pub(crate) date: Option<Day>,
    /// Use this model once: built-in, haiku, sonnet, opus, or its name on the server
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Write it again, even if it exists
    #[arg(long)]
    pub(crate) again: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PromptsCommand {
    /// List the prompts with their versions
    List,
    /// Check a prompt for names that do not exist and for missing rules; exits 1 if it finds any
    #[command(alias = "score")]
    Check {
        /// A prompt file [default: every registered prompt]
        ///
        /// An edited copy of a registered prompt is checked against the rules of that prompt, any
        /// other file against the common rules. The output names the rules.
        file: Option<PathBuf>,
        /// Check the file against the rules of this prompt: brief or chat
        #[arg(long = "as", value_name = "PROMPT", requires = "file")]
        as_prompt: Option<PromptName>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token for another program; it is shown once
    Add {
        /// Name of the token, such as the program's name
        name: String,
        /// read: read your data; draft: also create drafts and proposals
        #[arg(long, default_value = "read")]
        scope: Scope,
        /// Days until it expires [default: never]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3650))]
        days: Option<u32>,
    },
    /// List valid tokens
    List,
    /// Revoke a token
    Revoke {
        /// Id of the token
        token: ApiTokenId,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Port [default: 8787]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Address to listen on [default: 127.0.0.1]
    ///
    /// Any other address requires a password for every user, and TLS: --tls-cert and --tls-key, or
    /// --behind-proxy if a reverse proxy terminates TLS.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) bind: Option<IpAddr>,
    /// TLS certificate with its chain, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key of the certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// A reverse proxy terminates TLS; requires --site
    #[arg(long, conflicts_with = "tls_cert")]
    pub(crate) behind_proxy: bool,
    /// Address or network of a reverse proxy whose X-Forwarded-For header is trusted; can be
    /// repeated
    ///
    /// Rate limits then count the client named in the header. Without this option the header is
    /// ignored, and all requests through a proxy count as one client.
    #[arg(long = "trusted-proxy", value_name = "ADDRESS")]
    pub(crate) trusted_proxies: Vec<Network>,
    /// URL that browsers use, such as `https://fitness.example.org` [default: FITNESS_SITE]
    #[arg(long, value_name = "URL")]
    pub(crate) site: Option<String>,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// What to log to standard error [default: FITNESS_LOG]
    #[arg(long, value_name = "WHAT")]
    pub(crate) log: Option<LogMode>,
    /// Job lease in seconds; a job is claimed again after its lease expired
    #[arg(long, value_name = "SECONDS", default_value_t = 60, hide = true, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(crate) lease: u32,
}

/// What the server logs; never values of training data, never secrets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogMode {
    /// Errors and warnings only
    #[default]
    Problems,
    /// Every request and job, one line each
    Text,
    /// Every request and job as JSON
    Json,
}

impl std::fmt::Display for LogMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Problems => "problems",
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct SignInLinkArgs {
    /// Sign in to the demo, while `fitness demo` runs
    #[arg(long)]
    pub(crate) demo: bool,
    /// Port of the server [default: the configured port]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// URL that browsers use, such as `https://fitness.example.org` [default: FITNESS_SITE]
    #[arg(long, value_name = "URL")]
    pub(crate) site: Option<String>,
}
