//! Who coaches an athlete: what they chose, the model behind it, and what it may use in a day.

use crate::clock;
use crate::egress;
use crate::failure::Failure;
use crate::seal::{Holder, Seal};
use anyhow::Result;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fitness_coach::built_in::{self, BuiltIn};
use fitness_coach::model::address::Address;
use fitness_coach::model::anthropic::{self, Claude};
use fitness_coach::model::catalog::Choice;
use fitness_coach::model::openai::Compatible;
use fitness_coach::model::{Cost, Limits, Model, Usage};
use fitness_coach::numbers::Ledger;
use fitness_coach::prompt::{Prompt, PromptName};
use fitness_coach::tools::{Tool, ToolName};
use fitness_coach::turn::Caps;
use fitness_core::calendar::Day;
use fitness_core::contract::{Kind, check};
use fitness_core::ids::UserId;
use fitness_core::note::Author;
use fitness_core::words;
use fitness_mcp::Prompts;
use fitness_store::{CoachingDesk, Purpose, Store};
use fitness_web::talk::spent;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The name of the setting that says who coaches.
const SETTING: &str = "coach";
/// The name of the setting with the sealed key.
const KEY_SETTING: &str = "coach_key";
/// What Anthropic's own clients call their key.
pub(crate) const ANTHROPIC_VARIABLE: &str = "ANTHROPIC_API_KEY";
/// Names where the athlete's pages are, when not on this machine.
const SITE_VARIABLE: &str = "FITNESS_SITE";
/// The port the server listens on when nobody says otherwise.
pub(crate) const DEFAULT_PORT: u16 = 8787;
/// Where a model on this machine is when nobody says otherwise: Ollama's own address.
pub(crate) const LOCAL_MODEL: &str = "http://127.0.0.1:11434/v1";

words! {
    /// Who coaches.
    #[derive(Default)]
    pub(crate) enum Provider("coach") {
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
pub(crate) struct Chosen {
    pub(crate) provider: Provider,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) address: Option<String>,
    /// Tokens a day, all together.
    pub(crate) tokens_a_day: u64,
    /// Millionths of a US dollar a day.
    pub(crate) micros_a_day: u64,
}

impl Default for Chosen {
    fn default() -> Self {
        Self {
            provider: Provider::default(),
            model: None,
            address: None,
            tokens_a_day: 2_000_000,
            micros_a_day: 1_000_000,
        }
    }
}

/// What an athlete chose; the built-in coach when they chose nothing.
pub(crate) async fn chosen(store: &Store, user: UserId) -> Result<Chosen> {
    Ok(store.find_setting(user, SETTING).await?.unwrap_or_default())
}

/// Keeps a choice, and a key with it where one was given.
pub(crate) async fn choose(
    store: &Store,
    user: UserId,
    chosen: &Chosen,
    key: Option<&SecretString>,
) -> Result<()> {
    if let Some(key) = key {
        let sealed = Seal::open_or_make()?.seal(user, Holder::Coach, key)?;
        let kept = KeptKey {
            provider: chosen.provider,
            address: chosen.address.clone(),
            sealed: BASE64_STANDARD.encode(sealed),
        };
        store.put_setting(user, KEY_SETTING, &kept, clock::now()).await?;
    }
    store.put_setting(user, SETTING, chosen, clock::now()).await?;
    Ok(())
}

/// A key, and the one place it was given for: no other is ever shown it.
#[derive(Debug, Serialize, Deserialize)]
struct KeptKey {
    provider: Provider,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    sealed: String,
}

/// The key for a choice, where there is one: that which was given for this very place, or that of the environment.
pub(crate) async fn key(store: &Store, user: UserId, chosen: &Chosen) -> Result<Option<SecretString>> {
    let stored: Option<KeptKey> = store.find_setting(user, KEY_SETTING).await?;
    let stored = stored.filter(|kept| kept.provider == chosen.provider && kept.address == chosen.address);
    if let Some(sealed) = stored.and_then(|kept| BASE64_STANDARD.decode(kept.sealed).ok()) {
        let seal = Seal::open()?.ok_or_else(|| no_key(chosen.provider))?;
        return seal.unseal(user, Holder::Coach, &sealed).map(Some);
    }
    let given = std::env::var(ANTHROPIC_VARIABLE).ok().filter(|_| chosen.provider == Provider::Anthropic);
    Ok(given.map(SecretString::from).filter(|key| !key.expose_secret().is_empty()))
}

fn no_key(provider: Provider) -> Failure {
    Failure::new(
        format!("there is no key for {provider}"),
        format!("give it with `fitness coach use {provider}`, or set {ANTHROPIC_VARIABLE}"),
    )
}

/// What a name given for one time means: another coach, or another model of the same.
pub(crate) fn this_time(chosen: &Chosen, model: Option<&str>) -> Result<Chosen> {
    let Some(name) = model else { return Ok(chosen.clone()) };
    if name == built_in::NAME {
        return Ok(Chosen { provider: Provider::BuiltIn, model: None, ..chosen.clone() });
    }
    if name.parse::<Choice>().is_ok() {
        let address = chosen.address.clone().filter(|_| chosen.provider == Provider::Anthropic);
        return Ok(Chosen {
            provider: Provider::Anthropic,
            model: Some(name.to_owned()),
            address,
            ..chosen.clone()
        });
    }
    if chosen.provider == Provider::Openai {
        return Ok(Chosen { model: Some(name.to_owned()), ..chosen.clone() });
    }
    let help = "say built-in, haiku, sonnet or opus; for another server, `fitness coach use openai --address URL` first";
    Err(Failure::new(format!("`{name}` is no model"), help).into())
}

/// The model an athlete chose, or another one for this time, and what it may still use today.
pub(crate) async fn open(
    store: &Store,
    user: UserId,
    model: Option<&str>,
    today: Day,
) -> Result<(Box<dyn Model>, Caps)> {
    let chosen = this_time(&chosen(store, user).await?, model)?;
    let caps = caps(store, user, &chosen, today).await?;
    Ok((self::model(store, user, &chosen, today).await?, caps))
}

/// The model behind a choice.
pub(crate) async fn model(
    store: &Store,
    user: UserId,
    chosen: &Chosen,
    today: Day,
) -> Result<Box<dyn Model>> {
    let key = key(store, user, chosen).await?;
    build(chosen, key.as_ref(), today)
}

/// The same, with the key at hand. Nothing is contacted.
pub(crate) fn build(chosen: &Chosen, key: Option<&SecretString>, today: Day) -> Result<Box<dyn Model>> {
    let address = |home: &str| -> Result<Address> {
        let text = chosen.address.as_deref().unwrap_or(home);
        Address::parse(text).map_err(|why| {
            Failure::new(why.to_string(), "give another with `fitness coach use … --address URL`").into()
        })
    };
    let refused = |why: fitness_coach::model::ModelError| Failure::new(why.message, "copy the key again");
    Ok(match chosen.provider {
        Provider::BuiltIn => Box::new(BuiltIn { today }),
        Provider::Anthropic => {
            let choice = match chosen.model.as_deref() {
                Some(name) => name.parse().map_err(|_| {
                    Failure::new(format!("`{name}` is no model of Anthropic's"), "say haiku, sonnet or opus")
                })?,
                None => Choice::default(),
            };
            let key = key.ok_or_else(|| no_key(chosen.provider))?;
            let means = egress::model_means()?;
            let claude = Claude::new(choice, address(anthropic::ADDRESS)?, key, means, Limits::default());
            Box::new(claude.map_err(refused)?)
        }
        Provider::Openai => {
            let name = chosen.model.clone().ok_or_else(|| {
                Failure::new("which model?", "name it with --model, as its server does, such as llama3.2")
            })?;
            let means = egress::model_means()?;
            let address = address(LOCAL_MODEL)?;
            Box::new(Compatible::new(name, address, key, means, Limits::default()).map_err(refused)?)
        }
    })
}

/// What may still be used today.
pub(crate) async fn caps(store: &Store, user: UserId, chosen: &Chosen, today: Day) -> Result<Caps> {
    if chosen.provider == Provider::BuiltIn {
        // Rules take no tokens: it answers when every limit is used up.
        return Ok(Caps::default());
    }
    let spent = store.spent_on(user, today).await?;
    let money = chosen.micros_a_day.saturating_sub(spent.cost_micros.unwrap_or_default());
    Ok(Caps {
        tokens: chosen.tokens_a_day.saturating_sub(spent.tokens()),
        money: (chosen.provider == Provider::Anthropic).then_some(Cost(money)),
        ..Caps::default()
    })
}

/// Whether nothing may be used any more today.
pub(crate) fn used_up(caps: &Caps) -> bool {
    caps.tokens == 0 || caps.money.is_some_and(|money| money.0 == 0)
}

/// Notes what a model took.
pub(crate) async fn note(
    store: &Store,
    user: UserId,
    purpose: Purpose,
    model: &str,
    usage: Usage,
    cost: Option<Cost>,
    today: Day,
) -> Result<()> {
    if usage == Usage::default() {
        return Ok(());
    }
    store.note_spending(user, purpose, model, spent(usage, cost), today, clock::now()).await?;
    Ok(())
}

/// A desk for now, with everything worked out that it may be asked for.
pub(crate) async fn desk(store: &Store, user: UserId, author: Author) -> Result<CoachingDesk> {
    Ok(fitness_web::settled_desk(store, user, author, clock::now(), &site()).await?)
}

/// An answer that comes from no conversation here, with every number marked in its words that neither the day, the load nor
/// the plan tells. What the contract refuses is left as it is.
pub(crate) async fn with_marks(
    store: &Store,
    user: UserId,
    answer: Vec<u8>,
    kind: Option<Kind>,
) -> Result<Vec<u8>> {
    if check(&answer, kind).is_err() {
        return Ok(answer);
    }
    let desk = desk(store, user, Author::Coach).await?;
    let mut ledger = Ledger::default();
    for name in [ToolName::DailySnapshot, ToolName::TrainingLoad, ToolName::PlanProgress] {
        let tool = Tool::find(name.as_str()).expect("every name has its tool");
        // Without a plan there is none to tell of.
        if let Ok(told) = tool.call(&desk, json!({})).await {
            ledger.hear(&told);
        }
    }
    let mut read = serde_json::from_slice(&answer)?;
    ledger.mark_answer(&mut read);
    Ok(serde_json::to_vec(&read)?)
}

/// Where the athlete decides, when the server is where it usually is.
pub(crate) fn site() -> String {
    site_at(DEFAULT_PORT)
}

/// Where the athlete decides, with the server on a port.
pub(crate) fn site_at(port: u16) -> String {
    std::env::var(SITE_VARIABLE).unwrap_or_else(|_| format!("http://127.0.0.1:{port}"))
}

/// What programs over MCP can be told to be.
pub(crate) fn prompts() -> Prompts {
    let text = |name| Prompt::current(name).system().to_owned();
    Prompts { coach: text(PromptName::Chat), brief: text(PromptName::Brief) }
}
