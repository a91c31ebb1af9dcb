//! Coach settings, API keys, model selection and daily budget.

use crate::clock;
use crate::error::CliError;
use crate::http_client;
use crate::secret_store::{SecretCipher, SecretPurpose};
use anyhow::Result;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fitness_coach::agent_loop::{DailyBudget, TurnLimits};
use fitness_coach::grounding::AllowedNumbers;
use fitness_coach::model::anthropic::{self, Claude};
use fitness_coach::model::catalog::ClaudeModel;
use fitness_coach::model::endpoint_url::{EndpointUrl, NetworkScope};
use fitness_coach::model::openai::{OpenAiCompatible, ServerCapabilities};
use fitness_coach::model::{Cost, Model, Timeouts};
use fitness_coach::prompt::{Prompt, PromptName};
use fitness_coach::rule_based::{self, BuiltInCoach};
use fitness_coach::settings::{
    CAPABILITIES_SETTING_KEY, LOCAL_MODEL_URL, SETTING_KEY, SharedKey, model_label,
};
pub(crate) use fitness_coach::settings::{CoachSettings, Provider};
use fitness_coach::tools::{Tool, ToolName};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_core::llm_output::{ResponseKind, parse_response};
use fitness_mcp::Prompts;
use fitness_store::{COACH_KEY_SETTING, SHARED_COACH_KEY_SETTING, Store, StoreCoachApi};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The variable that Anthropic's own clients use.
pub(crate) const ANTHROPIC_VARIABLE: &str = "ANTHROPIC_API_KEY";

/// Defaults to the built-in coach.
pub(crate) async fn load_settings(store: &Store, user: UserId) -> Result<CoachSettings> {
    Ok(store.find_setting(user, SETTING_KEY).await?.unwrap_or_default())
}

/// Stores the settings, and a new API key if there is one.
pub(crate) async fn save_settings(
    store: &Store,
    user: UserId,
    chosen: &CoachSettings,
    key: Option<&SecretString>,
) -> Result<()> {
    if let Some(key) = key {
        let sealed = SecretCipher::load_or_create()?.encrypt(user, SecretPurpose::Coach, key)?;
        let kept = StoredKey {
            provider: chosen.provider,
            address: chosen.address.clone(),
            sealed: BASE64_STANDARD.encode(sealed),
        };
        store.put_setting(user, COACH_KEY_SETTING, &kept, clock::now()).await?;
    }
    store.put_setting(user, SETTING_KEY, chosen, clock::now()).await?;
    // The model server may have changed too.
    store.cache_setting(user, CAPABILITIES_SETTING_KEY, &Vec::<ServerCapabilities>::new()).await?;
    Ok(())
}

/// Stores the settings only if a model can be built from them.
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

/// An API key with the provider and address it is for; it is never sent to another.
#[derive(Debug, Serialize, Deserialize)]
struct StoredKey {
    provider: Provider,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    sealed: String,
}

/// The user's own key for exactly this provider and address.
async fn find_own_key(store: &Store, user: UserId, chosen: &CoachSettings) -> Result<Option<SecretString>> {
    let stored: Option<StoredKey> = store.find_setting(user, COACH_KEY_SETTING).await?;
    let stored = stored.filter(|kept| kept.provider == chosen.provider && kept.address == chosen.address);
    let Some(sealed) = stored.and_then(|kept| BASE64_STANDARD.decode(kept.sealed).ok()) else {
        return Ok(None);
    };
    let cipher = SecretCipher::load()?.ok_or_else(|| missing_key_error(chosen.provider))?;
    cipher.decrypt(user, SecretPurpose::Coach, &sealed).map(Some)
}

#[derive(Debug)]
pub(crate) enum ApiKey {
    /// The user's own key, or the one in the environment.
    Own(SecretString),
    /// The key that the owner of the server shares.
    Shared(SecretString),
}

impl ApiKey {
    pub(crate) const fn secret(&self) -> &SecretString {
        match self {
            Self::Own(key) | Self::Shared(key) => key,
        }
    }
}

/// In this order: the user's own key, the shared key, the environment.
pub(crate) async fn find_key(store: &Store, user: UserId, chosen: &CoachSettings) -> Result<Option<ApiKey>> {
    if let Some(own) = find_own_key(store, user, chosen).await? {
        return Ok(Some(ApiKey::Own(own)));
    }
    if let Some((owner, shared)) = find_shared_key(store, chosen).await?
        && let (Some(cipher), Ok(sealed)) = (SecretCipher::load()?, BASE64_STANDARD.decode(&shared.sealed))
    {
        return Ok(Some(ApiKey::Shared(cipher.decrypt(owner, SecretPurpose::SharedCoach, &sealed)?)));
    }
    let given = std::env::var(ANTHROPIC_VARIABLE).ok().filter(|_| chosen.provider == Provider::Anthropic);
    let given = given.map(SecretString::from).filter(|key| !key.expose_secret().is_empty());
    Ok(given.map(ApiKey::Own))
}

/// The shared key for these settings, with the owner of the server (the first user).
async fn find_shared_key(store: &Store, chosen: &CoachSettings) -> Result<Option<(UserId, SharedKey)>> {
    let Some(owner) = store.owner().await? else { return Ok(None) };
    let shared: Option<Option<SharedKey>> = store.find_setting(owner, SHARED_COACH_KEY_SETTING).await?;
    Ok(shared.flatten().filter(|shared| shared.applies_to(chosen)).map(|shared| (owner, shared)))
}

/// Shares a key with all users, or stops sharing. Without a new key, the stored key for the same
/// provider and address stays.
pub(crate) async fn share_key(
    store: &Store,
    owner: UserId,
    terms: Option<&CoachSettings>,
    key: Option<&SecretString>,
) -> Result<()> {
    let kept: Option<Option<SharedKey>> = store.find_setting(owner, SHARED_COACH_KEY_SETTING).await?;
    let kept = kept.flatten();
    let next = match terms {
        None => None,
        Some(terms) => {
            let sealed = match (key, kept.filter(|kept| kept.applies_to(terms))) {
                (Some(key), _) => BASE64_STANDARD.encode(SecretCipher::load_or_create()?.encrypt(
                    owner,
                    SecretPurpose::SharedCoach,
                    key,
                )?),
                (None, Some(kept)) => kept.sealed,
                (None, None) => return Err(missing_key_error(terms.provider).into()),
            };
            if let Some(key) = key {
                // Refuse an invalid key before storing anything.
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
    store.put_setting(owner, SHARED_COACH_KEY_SETTING, &next, clock::now()).await?;
    Ok(())
}

fn missing_key_error(provider: Provider) -> CliError {
    let service = match provider {
        Provider::Anthropic => "Claude (Anthropic)",
        Provider::Openai => "the model server",
        Provider::BuiltIn => "the built-in coach",
    };
    CliError::new(
        format!("there is no API key for {service}"),
        format!("enter it with `fitness coach use {provider}`, or set {ANTHROPIC_VARIABLE}"),
    )
}

/// Settings with another model for one request: the built-in coach, a Claude model, or a name on
/// the server.
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
    let help = "use built-in, haiku, sonnet or opus; for another server, run `fitness coach use openai --address URL` first";
    Err(CliError::new(format!("unknown model `{name}`"), help).into())
}

/// The user's model, or another one for this request, with the remaining budget of today.
pub(crate) async fn open_model(
    store: &Store,
    user: UserId,
    model: Option<&str>,
    today: Day,
) -> Result<(Box<dyn Model>, TurnLimits)> {
    let chosen = with_model(&load_settings(store, user).await?, model)?;
    let caps = remaining_caps(store, user, &chosen, today).await?;
    Ok((self::load_model(store, user, &chosen, today).await?, caps))
}

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

/// Which addresses a user's model may have. The server's private network is allowed for the owner,
/// for settings made in the terminal, and for the address of the shared key.
async fn allowed_reach(store: &Store, user: UserId, chosen: &CoachSettings) -> Result<NetworkScope> {
    let owns = store.owner().await? == Some(user);
    let let_in = owns || chosen.at_terminal || find_shared_key(store, chosen).await?.is_some();
    Ok(if let_in { NetworkScope::Any } else { NetworkScope::PublicOnly })
}

/// Builds the model without contacting it.
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
            CliError::new(why.to_string(), "use another with `fitness coach use … --address URL`").into()
        })
    };
    let refused =
        |why: fitness_coach::model::ModelError| CliError::new(why.message, "copy the API key again");
    Ok(match chosen.provider {
        Provider::BuiltIn => Box::new(BuiltInCoach { today }),
        Provider::Anthropic => {
            let choice = match chosen.model.as_deref() {
                Some(name) => name.parse().map_err(|_| {
                    CliError::new(format!("`{name}` is not an Anthropic model"), "use haiku, sonnet or opus")
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
                CliError::new(
                    "no model selected",
                    "add --model with its name on the server, such as llama3.2",
                )
            })?;
            let means = http_client::model_http_env(reach)?;
            let address = address(LOCAL_MODEL_URL)?;
            let compatible = OpenAiCompatible::new(name, address, key, means, Timeouts::default());
            Box::new(compatible.map_err(refused)?.with_capabilities(found))
        }
    })
}

/// The remaining budget of today.
pub(crate) async fn remaining_caps(
    store: &Store,
    user: UserId,
    chosen: &CoachSettings,
    today: Day,
) -> Result<TurnLimits> {
    if chosen.provider == Provider::BuiltIn {
        // The built-in coach uses no tokens.
        return Ok(TurnLimits::default());
    }
    let spent = store.usage_on(user, today).await?;
    let (mut tokens, mut micros) = (chosen.tokens_a_day, chosen.micros_a_day);
    // The owner's budget also applies to users of the shared key.
    let own = find_own_key(store, user, chosen).await.is_ok_and(|own| own.is_some());
    if let Some((owner, shared)) = find_shared_key(store, chosen).await?
        && !own
        && owner != user
    {
        (tokens, micros) = (tokens.min(shared.tokens_a_day), micros.min(shared.micros_a_day));
    }
    let money = micros.saturating_sub(spent.cost_micros.unwrap_or_default());
    let costs = chosen.provider == Provider::Anthropic;
    Ok(TurnLimits {
        tokens: tokens.saturating_sub(spent.tokens()),
        money: costs.then_some(Cost(money)),
        daily_budget: Some(DailyBudget { tokens, money: costs.then_some(Cost(micros)) }),
        ..TurnLimits::default()
    })
}

/// Whether today's budget is used up.
pub(crate) fn is_exhausted(caps: &TurnLimits) -> bool {
    caps.tokens == 0 || caps.money.is_some_and(|money| money.0 == 0)
}

/// A coach API with up-to-date metrics.
pub(crate) async fn open_coach_api(
    store: &Store,
    user: UserId,
    author: Author,
    site: &str,
) -> Result<StoreCoachApi> {
    let now = clock::now();
    fitness_web::refresh(store, user, now).await?;
    Ok(store.coach_api(user, author, now, site).await?)
}

/// Marks the numbers in the texts of a response that are not in the day's data, the training load
/// or the plan. An invalid response is returned unchanged.
pub(crate) async fn mark_unverified_numbers(
    store: &Store,
    user: UserId,
    answer: Vec<u8>,
    kind: Option<ResponseKind>,
) -> Result<Vec<u8>> {
    if parse_response(&answer, kind).is_err() {
        return Ok(answer);
    }
    // Links are not needed, so there is no site.
    let api = open_coach_api(store, user, Author::Coach, "").await?;
    let mut ledger = AllowedNumbers::default();
    for name in [ToolName::DailySnapshot, ToolName::TrainingLoad, ToolName::PlanProgress] {
        let tool = Tool::find(name.as_str()).expect("every tool name has a tool");
        // Fails without an active plan.
        if let Ok(result) = tool.call(&api, json!({})).await {
            ledger.record_result(&result);
        }
    }
    let mut read = serde_json::from_slice(&answer)?;
    ledger.mark_response(&mut read);
    Ok(serde_json::to_vec(&read)?)
}

pub(crate) fn mcp_prompts() -> Prompts {
    let text = |name| Prompt::current(name).system().to_owned();
    Prompts { coach: text(PromptName::Chat), brief: text(PromptName::Brief) }
}

/// A sentence about the coach, and the models that can be chosen for one request.
pub(crate) async fn describe_coach(store: &Store, user: UserId) -> (String, Vec<String>) {
    let chosen = load_settings(store, user).await.unwrap_or_default();
    let name = chosen.model.clone().unwrap_or_else(|| chosen.provider.to_string());
    match chosen.provider {
        Provider::BuiltIn => {
            ("Built-in rule-based coach. Your data stays on this machine.".to_owned(), Vec::new())
        }
        Provider::Anthropic => {
            let mut names: Vec<String> = ClaudeModel::ALL.iter().map(ToString::to_string).collect();
            names.sort_by_key(|known| *known != name);
            names.push(rule_based::NAME.to_owned());
            (format!("Coach: {}.", model_label(&name)), names)
        }
        Provider::Openai => (format!("Coach: {name}."), vec![name, rule_based::NAME.to_owned()]),
    }
}
