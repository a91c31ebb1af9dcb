//! Who coaches an athlete: what they chose, the model behind it, and what it may use in a day.

use crate::clock;
use crate::error::CliError;
use crate::http_client;
use crate::secret_store::{SecretCipher, SecretOwner};
use anyhow::Result;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fitness_coach::agent_loop::{Budget, Caps};
use fitness_coach::grounding::Ledger;
use fitness_coach::model::anthropic::{self, Claude};
use fitness_coach::model::catalog::ClaudeModel;
use fitness_coach::model::endpoint_url::{EndpointUrl, NetworkScope};
use fitness_coach::model::openai::{OpenAiCompatible, ServerCapabilities};
use fitness_coach::model::{Cost, Model, Timeouts};
use fitness_coach::prompt::{Prompt, PromptName};
use fitness_coach::rule_based::{self, BuiltIn};
use fitness_coach::settings::{
    CAPABILITIES_SETTING_KEY, LOCAL_MODEL_URL, SETTING_KEY, SHARED_SETTING_KEY, SharedKey,
};
pub(crate) use fitness_coach::settings::{CoachSettings, Provider};
use fitness_coach::tools::{Tool, ToolName};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_core::llm_output::{ResponseKind, parse_response};
use fitness_mcp::Prompts;
use fitness_store::{Store, StoreCoachApi};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The name of the setting with the sealed key.
const KEY_SETTING: &str = "coach_key";
/// What Anthropic's own clients call their key.
pub(crate) const ANTHROPIC_VARIABLE: &str = "ANTHROPIC_API_KEY";

/// What an athlete chose; the built-in coach when they chose nothing.
pub(crate) async fn load_settings(store: &Store, user: UserId) -> Result<CoachSettings> {
    Ok(store.find_setting(user, SETTING_KEY).await?.unwrap_or_default())
}

/// Keeps a choice, and a key with it where one was given.
pub(crate) async fn save_settings(
    store: &Store,
    user: UserId,
    chosen: &CoachSettings,
    key: Option<&SecretString>,
) -> Result<()> {
    if let Some(key) = key {
        let sealed = SecretCipher::load_or_create()?.encrypt(user, SecretOwner::Coach, key)?;
        let kept = StoredKey {
            provider: chosen.provider,
            address: chosen.address.clone(),
            sealed: BASE64_STANDARD.encode(sealed),
        };
        store.put_setting(user, KEY_SETTING, &kept, clock::now()).await?;
    }
    store.put_setting(user, SETTING_KEY, chosen, clock::now()).await?;
    // Whoever chooses anew may have changed the server as well.
    store.cache_setting(user, CAPABILITIES_SETTING_KEY, &Vec::<ServerCapabilities>::new()).await?;
    Ok(())
}

/// Keeps a choice when a model can be built from it, and the key with it where a new one was given.
pub(crate) async fn validate_and_save_settings(
    store: &Store,
    user: UserId,
    chosen: &CoachSettings,
    key: Option<&SecretString>,
) -> Result<()> {
    let known = self::find_key(store, user, chosen).await.unwrap_or_default();
    let tried = key.or(known.as_ref().map(ApiKey::secret));
    let today = Day::at(clock::now(), store.profile(user).await?.zone);
    build_model(chosen, tried, &[], allowed_reach(store, user, chosen).await?, today)?;
    save_settings(store, user, chosen, key).await
}

/// A key, and the one place it was given for: no other is ever shown it.
#[derive(Debug, Serialize, Deserialize)]
struct StoredKey {
    provider: Provider,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    sealed: String,
}

/// The key of an athlete's own for a choice, where there is one: that which was given for this very place.
async fn find_own_key(store: &Store, user: UserId, chosen: &CoachSettings) -> Result<Option<SecretString>> {
    let stored: Option<StoredKey> = store.find_setting(user, KEY_SETTING).await?;
    let stored = stored.filter(|kept| kept.provider == chosen.provider && kept.address == chosen.address);
    let Some(sealed) = stored.and_then(|kept| BASE64_STANDARD.decode(kept.sealed).ok()) else {
        return Ok(None);
    };
    let seal = SecretCipher::load()?.ok_or_else(|| missing_key_error(chosen.provider))?;
    seal.decrypt(user, SecretOwner::Coach, &sealed).map(Some)
}

/// A key, and whose it is.
#[derive(Debug)]
pub(crate) enum ApiKey {
    /// The athlete's own, or that of the environment.
    Own(SecretString),
    /// The owner's, for everybody.
    Shared(SecretString),
}

impl ApiKey {
    pub(crate) const fn secret(&self) -> &SecretString {
        match self {
            Self::Own(key) | Self::Shared(key) => key,
        }
    }
}

/// The key for a choice, where there is one: the athlete's own, that which the owner shares, or that of the environment.
pub(crate) async fn find_key(store: &Store, user: UserId, chosen: &CoachSettings) -> Result<Option<ApiKey>> {
    if let Some(own) = find_own_key(store, user, chosen).await? {
        return Ok(Some(ApiKey::Own(own)));
    }
    if let Some((owner, shared)) = find_shared_key(store, chosen).await?
        && let (Some(seal), Ok(sealed)) = (SecretCipher::load()?, BASE64_STANDARD.decode(&shared.sealed))
    {
        return Ok(Some(ApiKey::Shared(seal.decrypt(owner, SecretOwner::SharedCoach, &sealed)?)));
    }
    let given = std::env::var(ANTHROPIC_VARIABLE).ok().filter(|_| chosen.provider == Provider::Anthropic);
    let given = given.map(SecretString::from).filter(|key| !key.expose_secret().is_empty());
    Ok(given.map(ApiKey::Own))
}

/// What the owner of this server shares for a choice, and who that is: whoever was here first.
async fn find_shared_key(store: &Store, chosen: &CoachSettings) -> Result<Option<(UserId, SharedKey)>> {
    let Some(owner) = store.owner().await? else { return Ok(None) };
    let shared: Option<Option<SharedKey>> = store.find_setting(owner, SHARED_SETTING_KEY).await?;
    Ok(shared.flatten().filter(|shared| shared.applies_to(chosen)).map(|shared| (owner, shared)))
}

/// Lets everybody here use a key, or nobody any more. Without a new key the one that was given for the same place stays.
pub(crate) async fn share_key(
    store: &Store,
    owner: UserId,
    terms: Option<&CoachSettings>,
    key: Option<&SecretString>,
) -> Result<()> {
    let kept: Option<Option<SharedKey>> = store.find_setting(owner, SHARED_SETTING_KEY).await?;
    let kept = kept.flatten();
    let next = match terms {
        None => None,
        Some(terms) => {
            let sealed = match (key, kept.filter(|kept| kept.applies_to(terms))) {
                (Some(key), _) => BASE64_STANDARD.encode(SecretCipher::load_or_create()?.encrypt(
                    owner,
                    SecretOwner::SharedCoach,
                    key,
                )?),
                (None, Some(kept)) => kept.sealed,
                (None, None) => return Err(missing_key_error(terms.provider).into()),
            };
            if let Some(key) = key {
                // What cannot be right is refused before anything is stored.
                let today = Day::at(clock::now(), store.profile(owner).await?.zone);
                build_model(terms, Some(key), &[], NetworkScope::Any, today)?;
            }
            Some(SharedKey {
                provider: terms.provider,
                address: terms.address.clone(),
                tokens_a_day: terms.tokens_a_day,
                micros_a_day: terms.micros_a_day,
                sealed,
            })
        }
    };
    store.put_setting(owner, SHARED_SETTING_KEY, &next, clock::now()).await?;
    Ok(())
}

fn missing_key_error(provider: Provider) -> CliError {
    CliError::new(
        format!("there is no key for {provider}"),
        format!("give it with `fitness coach use {provider}`, or set {ANTHROPIC_VARIABLE}"),
    )
}

/// What a name given for one time means: another coach, or another model of the same.
pub(crate) fn with_model(chosen: &CoachSettings, model: Option<&str>) -> Result<CoachSettings> {
    let Some(name) = model else { return Ok(chosen.clone()) };
    if name == rule_based::NAME {
        return Ok(CoachSettings { provider: Provider::BuiltIn, model: None, ..chosen.clone() });
    }
    if name.parse::<ClaudeModel>().is_ok() {
        let address = chosen.address.clone().filter(|_| chosen.provider == Provider::Anthropic);
        return Ok(CoachSettings {
            provider: Provider::Anthropic,
            model: Some(name.to_owned()),
            address,
            ..chosen.clone()
        });
    }
    if chosen.provider == Provider::Openai {
        return Ok(CoachSettings { model: Some(name.to_owned()), ..chosen.clone() });
    }
    let help = "say built-in, haiku, sonnet or opus; for another server, `fitness coach use openai --address URL` first";
    Err(CliError::new(format!("`{name}` is no model"), help).into())
}

/// The model an athlete chose, or another one for this time, and what it may still use today.
pub(crate) async fn open_model(
    store: &Store,
    user: UserId,
    model: Option<&str>,
    today: Day,
) -> Result<(Box<dyn Model>, Caps)> {
    let chosen = with_model(&load_settings(store, user).await?, model)?;
    let caps = remaining_caps(store, user, &chosen, today).await?;
    Ok((self::load_model(store, user, &chosen, today).await?, caps))
}

/// The model behind a choice.
pub(crate) async fn load_model(
    store: &Store,
    user: UserId,
    chosen: &CoachSettings,
    today: Day,
) -> Result<Box<dyn Model>> {
    let key = find_key(store, user, chosen).await?;
    let found: Option<Vec<ServerCapabilities>> = store.find_setting(user, CAPABILITIES_SETTING_KEY).await?;
    let reach = allowed_reach(store, user, chosen).await?;
    build_model(chosen, key.as_ref().map(ApiKey::secret), &found.unwrap_or_default(), reach, today)
}

/// How far the model of an athlete may be. Into the network of the server goes who runs it, or who was let in by them: at the
/// terminal, or by a key that is shared for that very place.
async fn allowed_reach(store: &Store, user: UserId, chosen: &CoachSettings) -> Result<NetworkScope> {
    let owns = store.owner().await? == Some(user);
    let let_in = owns || chosen.at_terminal || find_shared_key(store, chosen).await?.is_some();
    Ok(if let_in { NetworkScope::Any } else { NetworkScope::PublicOnly })
}

/// The same, with the key and what was found out about the server at hand. Nothing is contacted.
pub(crate) fn build_model(
    chosen: &CoachSettings,
    key: Option<&SecretString>,
    found: &[ServerCapabilities],
    reach: NetworkScope,
    today: Day,
) -> Result<Box<dyn Model>> {
    let address = |home: &str| -> Result<EndpointUrl> {
        let text = chosen.address.as_deref().unwrap_or(home);
        EndpointUrl::parse_within(text, reach).map_err(|why| {
            CliError::new(why.to_string(), "give another with `fitness coach use … --address URL`").into()
        })
    };
    let refused = |why: fitness_coach::model::ModelError| CliError::new(why.message, "copy the key again");
    Ok(match chosen.provider {
        Provider::BuiltIn => Box::new(BuiltIn { today }),
        Provider::Anthropic => {
            let choice = match chosen.model.as_deref() {
                Some(name) => name.parse().map_err(|_| {
                    CliError::new(format!("`{name}` is no model of Anthropic's"), "say haiku, sonnet or opus")
                })?,
                None => ClaudeModel::default(),
            };
            let key = key.ok_or_else(|| missing_key_error(chosen.provider))?;
            let means = http_client::model_http_env(reach)?;
            let claude = Claude::new(choice, address(anthropic::BASE_URL)?, key, means, Timeouts::default());
            Box::new(claude.map_err(refused)?)
        }
        Provider::Openai => {
            let name = chosen.model.clone().ok_or_else(|| {
                CliError::new("which model?", "name it with --model, as its server does, such as llama3.2")
            })?;
            let means = http_client::model_http_env(reach)?;
            let address = address(LOCAL_MODEL_URL)?;
            let compatible = OpenAiCompatible::new(name, address, key, means, Timeouts::default());
            Box::new(compatible.map_err(refused)?.with_capabilities(found))
        }
    })
}

/// What may still be used today.
pub(crate) async fn remaining_caps(
    store: &Store,
    user: UserId,
    chosen: &CoachSettings,
    today: Day,
) -> Result<Caps> {
    if chosen.provider == Provider::BuiltIn {
        // Rules take no tokens: it answers when every limit is used up.
        return Ok(Caps::default());
    }
    let spent = store.usage_on(user, today).await?;
    let (mut tokens, mut micros) = (chosen.tokens_a_day, chosen.micros_a_day);
    // Whoever uses the owner's key keeps within what the owner allows.
    let own = find_own_key(store, user, chosen).await.is_ok_and(|own| own.is_some());
    if let Some((owner, shared)) = find_shared_key(store, chosen).await?
        && !own
        && owner != user
    {
        (tokens, micros) = (tokens.min(shared.tokens_a_day), micros.min(shared.micros_a_day));
    }
    let money = micros.saturating_sub(spent.cost_micros.unwrap_or_default());
    let costs = chosen.provider == Provider::Anthropic;
    Ok(Caps {
        tokens: tokens.saturating_sub(spent.tokens()),
        money: costs.then_some(Cost(money)),
        daily_budget: Some(Budget { tokens, money: costs.then_some(Cost(micros)) }),
        ..Caps::default()
    })
}

/// Whether nothing may be used any more today.
pub(crate) fn is_exhausted(caps: &Caps) -> bool {
    caps.tokens == 0 || caps.money.is_some_and(|money| money.0 == 0)
}

/// A desk for now, with everything worked out that it may be asked for.
pub(crate) async fn open_coach_api(
    store: &Store,
    user: UserId,
    author: Author,
    site: &str,
) -> Result<StoreCoachApi> {
    Ok(fitness_web::open_coach_api(store, user, author, clock::now(), site).await?)
}

/// An answer that comes from no conversation here, with every number marked in its words that neither the day, the load nor
/// the plan tells. What the contract refuses is left as it is.
pub(crate) async fn mark_unverified_numbers(
    store: &Store,
    user: UserId,
    answer: Vec<u8>,
    kind: Option<ResponseKind>,
) -> Result<Vec<u8>> {
    if parse_response(&answer, kind).is_err() {
        return Ok(answer);
    }
    // What is looked up here links to nothing.
    let desk = open_coach_api(store, user, Author::Coach, "").await?;
    let mut ledger = Ledger::default();
    for name in [ToolName::DailySnapshot, ToolName::TrainingLoad, ToolName::PlanProgress] {
        let tool = Tool::find(name.as_str()).expect("every name has its tool");
        // Without a plan there is none to tell of.
        if let Ok(told) = tool.call(&desk, json!({})).await {
            ledger.record_result(&told);
        }
    }
    let mut read = serde_json::from_slice(&answer)?;
    ledger.mark_response(&mut read);
    Ok(serde_json::to_vec(&read)?)
}

/// What programs over MCP can be told to be.
pub(crate) fn mcp_prompts() -> Prompts {
    let text = |name| Prompt::current(name).system().to_owned();
    Prompts { coach: text(PromptName::Chat), brief: text(PromptName::Brief) }
}

/// Who coaches an athlete, in words, and the models they may ask for one time.
pub(crate) async fn describe_coach(store: &Store, user: UserId) -> (String, Vec<String>) {
    let chosen = load_settings(store, user).await.unwrap_or_default();
    let name = chosen.model.clone().unwrap_or_else(|| chosen.provider.to_string());
    match chosen.provider {
        Provider::BuiltIn => {
            ("The built-in coach answers: rules, no model, nothing leaves.".to_owned(), Vec::new())
        }
        Provider::Anthropic => {
            let mut names: Vec<String> = ClaudeModel::ALL.iter().map(ToString::to_string).collect();
            names.sort_by_key(|known| *known != name);
            names.push(rule_based::NAME.to_owned());
            (format!("{name} by Anthropic answers."), names)
        }
        Provider::Openai => (format!("{name} answers."), vec![name, rule_based::NAME.to_owned()]),
    }
}
