//! Arguments of the coach: who coaches, what it says, and who else may ask.

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
    /// Show who coaches you, what leaves this machine, and what it cost today
    Show,
    /// Choose who coaches you
    Use(UseArgs),
    /// Limit what a model may use in a day
    Limit {
        /// Tokens a day, all together
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
        tokens: Option<u64>,
        /// US dollars a day, such as 0.50
        #[arg(long, value_name = "DOLLARS")]
        dollars: Option<f64>,
    },
    /// Print exactly what would leave this machine, without sending it
    Preview {
        /// What you would say in chat; the morning brief when not given
        text: Option<String>,
        /// As the next thing said in an earlier conversation, whose history leaves with it
        #[arg(long, value_name = "NUMBER", requires = "text")]
        chat: Option<ChatId>,
        /// For another model: haiku, sonnet, opus, or the name its server gives it
        #[arg(long)]
        model: Option<String>,
    },
    /// Try the model on a small fixed set of mornings: how often it keeps the rules, how long it takes, what it costs
    Test,
}

#[derive(Debug, Args)]
pub(crate) struct UseArgs {
    /// built-in (rules only: no key, no network), anthropic (Claude, with a key of your own) or openai (any server that speaks
    /// its chat completions: Ollama, llama.cpp, LM Studio)
    pub(crate) provider: Provider,
    /// Which model: haiku, sonnet or opus at Anthropic, else the name its server gives it
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Where the server is, such as http://127.0.0.1:11434/v1
    #[arg(long, value_name = "URL")]
    pub(crate) address: Option<String>,
    /// Read the key from a file, or from standard input with -
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// What you say; a conversation at the terminal when not given
    pub(crate) text: Option<String>,
    /// Go on with an earlier conversation
    #[arg(long, value_name = "NUMBER")]
    pub(crate) chat: Option<ChatId>,
    /// Which model, for this time: built-in, haiku, sonnet, opus, or the name its server gives it
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// List your conversations
    #[arg(long, conflicts_with_all = ["text", "chat"])]
    pub(crate) list: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BriefArgs {
    /// For another day, such as 2026-06-14
    #[arg(long, value_name = "DAY")]
    pub(crate) date: Option<Day>,
    /// Which model, for this time: built-in, haiku, sonnet, opus, or the name its server gives it
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Write it anew, even when there is one
    #[arg(long)]
    pub(crate) again: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PromptsCommand {
    /// List the prompts with their versions
    List,
    /// Score a prompt against the schema and the rules; exit 1 when it fails
    Score {
        /// A file; every registered prompt when not given
        ///
        /// An edited copy of one of ours is held to our rules for it, anything else to those that hold for every prompt; which
        /// rules were used is said.
        file: Option<PathBuf>,
        /// Hold the file to the rules of this prompt: brief or chat
        #[arg(long = "as", value_name = "PROMPT", requires = "file")]
        as_prompt: Option<PromptName>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token for another program; it is shown once
    Add {
        /// What to call it, such as the program's name
        name: String,
        /// read: look at your data; draft: also leave drafts and proposals for you
        #[arg(long, default_value = "read")]
        scope: Scope,
        /// How many days it works; until you revoke it when not given
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3650))]
        days: Option<u32>,
    },
    /// List the tokens that work
    List,
    /// Make a token stop working
    Revoke {
        /// Its number
        token: ApiTokenId,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The port on this machine; 8787 when nothing is said
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// The address to listen on; this machine alone when nothing is said
    ///
    /// Others reach the server only when every user has a password, and over TLS: with --tls-cert and --tls-key, or
    /// --behind-proxy when another server in front of it speaks TLS.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) bind: Option<IpAddr>,
    /// The certificate to speak TLS with, a PEM file with its chain
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's key, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Another server in front of this one speaks TLS; needs --site
    #[arg(long, conflicts_with = "tls_cert")]
    pub(crate) behind_proxy: bool,
    /// A proxy in front of this server, an address or a network; give it once for each
    ///
    /// Its X-Forwarded-For header says which client a request is from, and limits count that client. Without this the header
    /// is ignored, and everybody behind a proxy is counted as one client.
    #[arg(long = "trusted-proxy", value_name = "ADDRESS")]
    pub(crate) trusted_proxies: Vec<Network>,
    /// Where browsers reach it, such as `https://fitness.example.org`; FITNESS_SITE when not given
    #[arg(long, value_name = "URL")]
    pub(crate) site: Option<String>,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// What to note on standard error; FITNESS_LOG when not given
    #[arg(long, value_name = "WHAT")]
    pub(crate) log: Option<LogMode>,
    /// How many seconds a job waits for a server that is not heard of any more
    #[arg(long, value_name = "SECONDS", default_value_t = 60, hide = true, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(crate) lease: u32,
}

/// What a server notes. Neither values of anybody's data nor secrets are among it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogMode {
    /// Only what went wrong
    #[default]
    Problems,
    /// Every call and every job, a line each
    Text,
    /// The same as JSON, for programs
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
pub(crate) struct LoginArgs {
    /// Sign in to the demo, while `fitness demo` runs
    #[arg(long)]
    pub(crate) demo: bool,
    /// The port the server listens on; the one that is set when not given
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// A proxy in front of this server, an address or a network; give it once for each
    ///
    /// Its X-Forwarded-For header says which client a request is from, and limits count that client. Without this the header
    /// is ignored, and everybody behind a proxy is counted as one client.
    #[arg(long = "trusted-proxy", value_name = "ADDRESS")]
    pub(crate) trusted_proxies: Vec<Network>,
    /// Where browsers reach it, such as `https://fitness.example.org`; FITNESS_SITE when not given
    #[arg(long, value_name = "URL")]
    pub(crate) site: Option<String>,
}
