//! Who coaches an athlete: what they chose, the model behind it, and what it may use in a day.

use crate::clock;
use crate::error::Failure;
use crate::http_client;
use crate::secret_store::{Holder, Seal};
use anyhow::Result;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fitness_coach::agent_loop::{Budget, Caps};
use fitness_coach::grounding::Ledger;
use fitness_coach::model::anthropic::{self, Claude};
use fitness_coach::model::catalog::Choice;
use fitness_coach::model::endpoint_url::{Address, Reach};
use fitness_coach::model::openai::{Compatible, Found};
use fitness_coach::model::{Cost, Limits, Model};
use fitness_coach::prompt::{Prompt, PromptName};
use fitness_coach::rule_based::{self, BuiltIn};
pub(crate) use fitness_coach::settings::{Chosen, Provider};
use fitness_coach::settings::{FOUND_SETTING, LOCAL_MODEL, SETTING, Shared};
use fitness_coach::tools::{Tool, ToolName};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::UserId;
use fitness_core::domain::note::Author;
use fitness_core::llm_output::{Kind, check};
use fitness_mcp::Prompts;
use fitness_store::{COACH_KEY_SETTING, CoachingDesk, SHARED_COACH_KEY_SETTING, Store};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What Anthropic's own clients call their key.
pub(crate) const ANTHROPIC_VARIABLE: &str = "ANTHROPIC_API_KEY";

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
        store.put_setting(user, COACH_KEY_SETTING, &kept, clock::now()).await?;
    }
    store.put_setting(user, SETTING, chosen, clock::now()).await?;
    // Whoever chooses anew may have changed the server as well.
    store.remember(user, FOUND_SETTING, &Vec::<Found>::new()).await?;
    Ok(())
}

/// Keeps a choice when a model can be built from it, and the key with it where a new one was given.
pub(crate) async fn try_and_choose(
    store: &Store,
    user: UserId,
    chosen: &Chosen,
    key: Option<&SecretString>,
) -> Result<()> {
    let known = self::key(store, user, chosen).await.unwrap_or_default();
    let tried = key.or(known.as_ref().map(Key::secret));
    let today = Day::at(clock::now(), store.profile(user).await?.zone);
    build(chosen, tried, &[], reach(store, user, chosen).await?, today)?;
    choose(store, user, chosen, key).await
}

/// A key, and the one place it was given for: no other is ever shown it.
#[derive(Debug, Serialize, Deserialize)]
struct KeptKey {
    provider: Provider,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    sealed: String,
}

/// The key of an athlete's own for a choice, where there is one: that which was given for this very place.
async fn own_key(store: &Store, user: UserId, chosen: &Chosen) -> Result<Option<SecretString>> {
    let stored: Option<KeptKey> = store.find_setting(user, COACH_KEY_SETTING).await?;
    let stored = stored.filter(|kept| kept.provider == chosen.provider && kept.address == chosen.address);
    let Some(sealed) = stored.and_then(|kept| BASE64_STANDARD.decode(kept.sealed).ok()) else {
        return Ok(None);
    };
    let seal = Seal::open()?.ok_or_else(|| no_key(chosen.provider))?;
    seal.unseal(user, Holder::Coach, &sealed).map(Some)
}

/// A key, and whose it is.
#[derive(Debug)]
pub(crate) enum Key {
    /// The athlete's own, or that of the environment.
    Own(SecretString),
    /// The owner's, for everybody.
    Shared(SecretString),
}

impl Key {
    pub(crate) const fn secret(&self) -> &SecretString {
        match self {
            Self::Own(key) | Self::Shared(key) => key,
        }
    }
}

/// The key for a choice, where there is one: the athlete's own, that which the owner shares, or that of the environment.
pub(crate) async fn key(store: &Store, user: UserId, chosen: &Chosen) -> Result<Option<Key>> {
    if let Some(own) = own_key(store, user, chosen).await? {
        return Ok(Some(Key::Own(own)));
    }
    if let Some((owner, shared)) = shared(store, chosen).await?
        && let (Some(seal), Ok(sealed)) = (Seal::open()?, BASE64_STANDARD.decode(&shared.sealed))
    {
        return Ok(Some(Key::Shared(seal.unseal(owner, Holder::Everybody, &sealed)?)));
    }
    let given = std::env::var(ANTHROPIC_VARIABLE).ok().filter(|_| chosen.provider == Provider::Anthropic);
    let given = given.map(SecretString::from).filter(|key| !key.expose_secret().is_empty());
    Ok(given.map(Key::Own))
}

/// What the owner of this server shares for a choice, and who that is: whoever was here first.
async fn shared(store: &Store, chosen: &Chosen) -> Result<Option<(UserId, Shared)>> {
    let Some(owner) = store.owner().await? else { return Ok(None) };
    let shared: Option<Option<Shared>> = store.find_setting(owner, SHARED_COACH_KEY_SETTING).await?;
    Ok(shared.flatten().filter(|shared| shared.is_for(chosen)).map(|shared| (owner, shared)))
}

/// Lets everybody here use a key, or nobody any more. Without a new key the one that was given for the same place stays.
pub(crate) async fn share(
    store: &Store,
    owner: UserId,
    terms: Option<&Chosen>,
    key: Option<&SecretString>,
) -> Result<()> {
    let kept: Option<Option<Shared>> = store.find_setting(owner, SHARED_COACH_KEY_SETTING).await?;
    let kept = kept.flatten();
    let next = match terms {
        None => None,
        Some(terms) => {
            let sealed = match (key, kept.filter(|kept| kept.is_for(terms))) {
                (Some(key), _) => {
                    BASE64_STANDARD.encode(Seal::open_or_make()?.seal(owner, Holder::Everybody, key)?)
                }
                (None, Some(kept)) => kept.sealed,
                (None, None) => return Err(no_key(terms.provider).into()),
            };
            if let Some(key) = key {
                // What cannot be right is refused before anything is stored.
                let today = Day::at(clock::now(), store.profile(owner).await?.zone);
                build(terms, Some(key), &[], Reach::Anywhere, today)?;
            }
            Some(Shared {
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

fn no_key(provider: Provider) -> Failure {
    Failure::new(
        format!("there is no key for {provider}"),
        format!("give it with `fitness coach use {provider}`, or set {ANTHROPIC_VARIABLE}"),
    )
}

/// What a name given for one time means: another coach, or another model of the same.
pub(crate) fn this_time(chosen: &Chosen, model: Option<&str>) -> Result<Chosen> {
    let Some(name) = model else { return Ok(chosen.clone()) };
    if name == rule_based::NAME {
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
    let found: Option<Vec<Found>> = store.find_setting(user, FOUND_SETTING).await?;
    let reach = reach(store, user, chosen).await?;
    build(chosen, key.as_ref().map(Key::secret), &found.unwrap_or_default(), reach, today)
}

/// How far the model of an athlete may be. Into the network of the server goes who runs it, or who was let in by them: at the
/// terminal, or by a key that is shared for that very place.
async fn reach(store: &Store, user: UserId, chosen: &Chosen) -> Result<Reach> {
    let owns = store.owner().await? == Some(user);
    let let_in = owns || chosen.at_terminal || shared(store, chosen).await?.is_some();
    Ok(if let_in { Reach::Anywhere } else { Reach::Outside })
}

/// The same, with the key and what was found out about the server at hand. Nothing is contacted.
pub(crate) fn build(
    chosen: &Chosen,
    key: Option<&SecretString>,
    found: &[Found],
    reach: Reach,
    today: Day,
) -> Result<Box<dyn Model>> {
    let address = |home: &str| -> Result<Address> {
        let text = chosen.address.as_deref().unwrap_or(home);
        Address::within(text, reach).map_err(|why| {
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
            let means = http_client::model_means(reach)?;
            let claude = Claude::new(choice, address(anthropic::ADDRESS)?, key, means, Limits::default());
            Box::new(claude.map_err(refused)?)
        }
        Provider::Openai => {
            let name = chosen.model.clone().ok_or_else(|| {
                Failure::new("which model?", "name it with --model, as its server does, such as llama3.2")
            })?;
            let means = http_client::model_means(reach)?;
            let address = address(LOCAL_MODEL)?;
            let compatible = Compatible::new(name, address, key, means, Limits::default());
            Box::new(compatible.map_err(refused)?.knowing(found))
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
    let (mut tokens, mut micros) = (chosen.tokens_a_day, chosen.micros_a_day);
    // Whoever uses the owner's key keeps within what the owner allows.
    let own = own_key(store, user, chosen).await.is_ok_and(|own| own.is_some());
    if let Some((owner, shared)) = shared(store, chosen).await?
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
        day: Some(Budget { tokens, money: costs.then_some(Cost(micros)) }),
        ..Caps::default()
    })
}

/// Whether nothing may be used any more today.
pub(crate) fn used_up(caps: &Caps) -> bool {
    caps.tokens == 0 || caps.money.is_some_and(|money| money.0 == 0)
}

/// A desk for now, with everything worked out that it may be asked for.
pub(crate) async fn desk(store: &Store, user: UserId, author: Author, site: &str) -> Result<CoachingDesk> {
    Ok(fitness_web::settled_desk(store, user, author, clock::now(), site).await?)
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
    // What is looked up here links to nothing.
    let desk = desk(store, user, Author::Coach, "").await?;
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

/// What programs over MCP can be told to be.
pub(crate) fn prompts() -> Prompts {
    let text = |name| Prompt::current(name).system().to_owned();
    Prompts { coach: text(PromptName::Chat), brief: text(PromptName::Brief) }
}

/// Who coaches an athlete, in words, and the models they may ask for one time.
pub(crate) async fn told(store: &Store, user: UserId) -> (String, Vec<String>) {
    let chosen = chosen(store, user).await.unwrap_or_default();
    let name = chosen.model.clone().unwrap_or_else(|| chosen.provider.to_string());
    match chosen.provider {
        Provider::BuiltIn => {
            ("The built-in coach answers: rules, no model, nothing leaves.".to_owned(), Vec::new())
        }
        Provider::Anthropic => {
            let mut names: Vec<String> = Choice::ALL.iter().map(ToString::to_string).collect();
            names.sort_by_key(|known| *known != name);
            names.push(rule_based::NAME.to_owned());
            (format!("{name} by Anthropic answers."), names)
        }
        Provider::Openai => (format!("{name} answers."), vec![name, rule_based::NAME.to_owned()]),
    }
}
