//! `fitness coach`: who coaches, and what leaves this machine for it.

use crate::args::{CoachCommand, UseArgs};
use crate::clock;
use crate::coaching::{self, Chosen, Provider};
use crate::context::Context;
use crate::failure::Failure;
use crate::keys;
use crate::report::Report;
use anyhow::Result;
use fitness_coach::model::Cost;
use fitness_core::calendar::Day;
use fitness_core::note::Author;
use fitness_core::text::visible;
use fitness_store::{Store, User};
use fitness_web::talk::Talk;
use serde_json::json;
use std::fmt::Write as _;

/// Where a key for Claude is made.
const KEY_PAGE: &str = "https://platform.claude.com/settings/keys";

pub(super) async fn run(context: &Context, command: CoachCommand) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    let report = match command {
        CoachCommand::Show => show(&store, &user).await,
        CoachCommand::Use(args) => choose(&store, &user, args).await,
        CoachCommand::Limit { tokens, dollars } => limit(&store, &user, tokens, dollars).await,
        CoachCommand::Preview { text } => preview(&store, &user, text).await,
        CoachCommand::Test => super::coach_test::run(&store, &user).await,
    };
    store.close().await;
    report
}

async fn today(store: &Store, user: &User) -> Result<Day> {
    Ok(Day::at(clock::now(), store.profile(user.id).await?.zone))
}

async fn show(store: &Store, user: &User) -> Result<Report> {
    let chosen = coaching::chosen(store, user.id).await?;
    let spent = store.spent_on(user.id, today(store, user).await?).await?;
    let mut words = format!("{}\n", who(&chosen));
    match chosen.provider {
        Provider::BuiltIn => words.push_str("Nothing leaves this machine.\n"),
        Provider::Anthropic | Provider::Openai => {
            let _ = writeln!(
                words,
                "What leaves this machine: what you say, your notes, and what the coach looks up to answer. \
                 `fitness coach preview` prints it."
            );
            let cost = spent.cost_micros.map(|micros| format!(", {}", Cost(micros))).unwrap_or_default();
            let _ = writeln!(words, "Today: {} of {} tokens{cost}.", spent.tokens(), chosen.tokens_a_day);
            if chosen.provider == Provider::Anthropic {
                let _ = writeln!(words, "At most {} a day.", Cost(chosen.micros_a_day));
            }
        }
    }
    Ok(Report::new(words, &json!({ "coach": chosen, "spent_today": spent })))
}

fn who(chosen: &Chosen) -> String {
    match (chosen.provider, &chosen.model, &chosen.address) {
        (Provider::BuiltIn, ..) => "The built-in coach: rules, no model, no key.".to_owned(),
        (Provider::Anthropic, model, _) => {
            format!("Claude, {}.", visible(model.as_deref().unwrap_or("sonnet")))
        }
        (Provider::Openai, model, address) => format!(
            "{} at {}.",
            visible(model.as_deref().unwrap_or("a model")),
            visible(address.as_deref().unwrap_or(coaching::LOCAL_MODEL))
        ),
    }
}

async fn choose(store: &Store, user: &User, args: UseArgs) -> Result<Report> {
    let before = coaching::chosen(store, user.id).await?;
    let provider = args.provider;
    if provider == Provider::BuiltIn && (args.model.is_some() || args.address.is_some()) {
        let help = "leave out --model and --address, or choose anthropic or openai";
        return Err(Failure::new("the built-in coach has no model and no address", help).into());
    }
    let chosen = Chosen { provider, model: args.model, address: args.address, ..before };
    let known = coaching::key(store, user.id, &chosen).await.unwrap_or_default();
    let key = match (provider, &args.key_file) {
        (Provider::Anthropic | Provider::Openai, Some(file)) => Some(keys::read(Some(file), None, KEY_PAGE)?),
        (Provider::Anthropic, None) if known.is_none() => {
            Some(keys::read(None, Some(coaching::ANTHROPIC_VARIABLE), KEY_PAGE)?)
        }
        (Provider::Anthropic | Provider::Openai, None) => known,
        (Provider::BuiltIn, _) => None,
    };
    // What cannot be right is refused before anything is stored.
    coaching::build(&chosen, key.as_ref(), today(store, user).await?)?;
    coaching::choose(store, user.id, &chosen, key.as_ref()).await?;
    let mut words = format!("From now on: {}", who(&chosen));
    if provider != Provider::BuiltIn {
        words.push_str(
            " `fitness coach test` tries it; `fitness coach preview` prints what leaves this machine.",
        );
    }
    Ok(Report::new(words, &chosen))
}

async fn limit(store: &Store, user: &User, tokens: Option<u64>, dollars: Option<f64>) -> Result<Report> {
    let mut chosen = coaching::chosen(store, user.id).await?;
    if tokens.is_none() && dollars.is_none() {
        let help = "say --tokens N, --dollars N, or both";
        return Err(Failure::new("what should be limited?", help).into());
    }
    if let Some(tokens) = tokens {
        chosen.tokens_a_day = tokens;
    }
    if let Some(dollars) = dollars {
        if !(0.0..=1000.0).contains(&dollars) {
            return Err(
                Failure::new("that is no limit", "give dollars a day, 0 to 1000, such as 0.50").into()
            );
        }
        chosen.micros_a_day = (dollars * 1_000_000.0).round() as u64;
    }
    coaching::choose(store, user.id, &chosen, None).await?;
    let words = format!("At most {} tokens and {} a day.", chosen.tokens_a_day, Cost(chosen.micros_a_day));
    Ok(Report::new(words, &chosen))
}

async fn preview(store: &Store, user: &User, text: Option<String>) -> Result<Report> {
    let today = today(store, user).await?;
    let chosen = coaching::chosen(store, user.id).await?;
    let model = coaching::model(store, user.id, &chosen, today).await?;
    let request = match text {
        Some(text) => {
            let desk = coaching::desk(store, user.id, Author::Coach).await?;
            let talk = Talk { store, user: user.id, chat: None, today, now: clock::now() };
            talk.first_request(&desk, &text).await?
        }
        None => super::brief::request(store, user.id, today).await?,
    };
    let bytes = model.preview(&request);
    Ok(Report::new(bytes.clone(), &json!({ "model": model.name(), "sent": bytes })))
}
