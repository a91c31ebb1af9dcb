//! `fitness coach`: choose the coach, set its budget, preview requests.

use crate::cli::{CoachCommand, UseArgs};
use crate::clock;
use crate::coach::{self, ApiKey, CoachSettings, Provider};
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use crate::secret_input;
use anyhow::Result;
use fitness_coach::model::Cost;
use fitness_coach::settings::parse_dollars_per_day;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::ids::{ChatId, UserId};
use fitness_core::domain::note::Author;
use fitness_store::{Store, User};
use fitness_web::coach::chat::ChatTurn;
use serde_json::json;
use std::fmt::Write as _;

const KEY_PAGE: &str = "https://platform.claude.com/settings/keys";

pub(super) async fn run(context: &Context, command: CoachCommand) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let report = match command {
        CoachCommand::Show => show(&store, &user).await,
        CoachCommand::Use(args) => choose(&store, &user, args).await,
        CoachCommand::Limit { tokens, dollars } => limit(&store, &user, tokens, dollars).await,
        CoachCommand::Preview { text, chat, model } => {
            let site = context.settings.site();
            let previewed =
                preview_request(&store, user.id, text.as_deref(), chat, model.as_deref(), &site).await;
            previewed.map(|(name, bytes)| {
                CommandOutput::new(bytes.clone(), &json!({ "model": name, "sent": bytes }))
            })
        }
        CoachCommand::Test => super::coach_test::run(&store, &user).await,
    };
    store.close().await;
    report
}

async fn today(store: &Store, user: &User) -> Result<Day> {
    Ok(Day::at(clock::now(), store.profile(user.id).await?.zone))
}

async fn show(store: &Store, user: &User) -> Result<CommandOutput> {
    let chosen = coach::load_settings(store, user.id).await?;
    let spent = store.usage_on(user.id, today(store, user).await?).await?;
    let mut words = format!("{}\n", chosen.describe());
    match chosen.provider {
        Provider::BuiltIn => words.push_str("Your data stays on this machine.\n"),
        Provider::Anthropic | Provider::Openai => {
            let _ = writeln!(
                words,
                "Sent to the model: your messages, your notes, and the data the coach looks up. \
                 `fitness coach preview` prints a request."
            );
            let cost = spent.cost_micros.map(|micros| format!(", {}", Cost(micros))).unwrap_or_default();
            let _ = writeln!(words, "Today: {} of {} tokens{cost}.", spent.tokens(), chosen.tokens_a_day);
            if chosen.provider == Provider::Anthropic {
                let _ = writeln!(words, "Daily budget: {}.", Cost(chosen.micros_a_day));
            }
        }
    }
    Ok(CommandOutput::new(words, &json!({ "coach": chosen, "spent_today": spent })))
}

async fn choose(store: &Store, user: &User, args: UseArgs) -> Result<CommandOutput> {
    let before = coach::load_settings(store, user.id).await?;
    let provider = args.provider;
    if provider == Provider::BuiltIn && (args.model.is_some() || args.address.is_some()) {
        let help = "omit --model and --address, or choose anthropic or openai";
        return Err(CliError::new("the built-in coach has no model and no address", help).into());
    }
    let chosen =
        CoachSettings { provider, model: args.model, address: args.address, at_terminal: true, ..before };
    let known = coach::find_key(store, user.id, &chosen).await.unwrap_or_default();
    let key = match (provider, &args.key_file) {
        (Provider::Anthropic | Provider::Openai, Some(file)) => {
            Some(secret_input::read_key(Some(file), None, KEY_PAGE)?)
        }
        (Provider::Anthropic, None) if known.is_none() => {
            Some(secret_input::read_key(None, Some(coach::ANTHROPIC_VARIABLE), KEY_PAGE)?)
        }
        (Provider::Anthropic | Provider::Openai, None) => {
            // A shared key is not copied to the user.
            known.as_ref().and_then(|key| match key {
                ApiKey::Own(key) => Some(key.clone()),
                ApiKey::Shared(_) => None,
            })
        }
        (Provider::BuiltIn, _) => None,
    };
    // Refuse invalid settings before storing anything.
    coach::validate_and_save_settings(store, user.id, &chosen, key.as_ref()).await?;
    let mut words = format!("Saved. {}", chosen.describe());
    if provider != Provider::BuiltIn {
        words.push_str(
            " Test it with `fitness coach test`; `fitness coach preview` prints what would be sent.",
        );
    }
    Ok(CommandOutput::new(words, &chosen))
}

async fn limit(
    store: &Store,
    user: &User,
    tokens: Option<u64>,
    dollars: Option<f64>,
) -> Result<CommandOutput> {
    let mut chosen = coach::load_settings(store, user.id).await?;
    if tokens.is_none() && dollars.is_none() {
        let help = "use --tokens N, --dollars N, or both";
        return Err(CliError::new("no budget given", help).into());
    }
    if let Some(tokens) = tokens {
        chosen.tokens_a_day = tokens;
    }
    if let Some(dollars) = dollars {
        chosen.micros_a_day = parse_dollars_per_day(dollars)
            .map_err(|_| CliError::new("invalid budget", "use dollars a day from 0 to 1000, such as 0.50"))?;
    }
    coach::save_settings(store, user.id, &chosen, None).await?;
    let words = format!("Daily budget: {} tokens and {}.", chosen.tokens_a_day, Cost(chosen.micros_a_day));
    Ok(CommandOutput::new(words, &chosen))
}

/// The model's name and the exact request: for a chat message, or for the morning brief.
pub(crate) async fn preview_request(
    store: &Store,
    user: UserId,
    text: Option<&str>,
    chat: Option<ChatId>,
    model: Option<&str>,
    site: &str,
) -> Result<(String, String)> {
    let today = Day::at(clock::now(), store.profile(user).await?.zone);
    let chosen = coach::with_model(&coach::load_settings(store, user).await?, model)?;
    let model = coach::load_model(store, user, &chosen, today).await?;
    let request = match text {
        Some(text) => {
            let api = coach::open_coach_api(store, user, Author::Coach, site).await?;
            let turn = ChatTurn { store, user, chat, today, now: clock::now() };
            turn.first_request(&api, text).await?
        }
        None => super::brief::build_request(store, user, today).await?,
    };
    Ok((model.name().to_owned(), model.preview(&request)))
}
