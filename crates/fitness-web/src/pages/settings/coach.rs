//! `/settings/coach`: who coaches, what that may cost, and exactly what leaves this machine.

use super::{Tab, again, page};
use crate::components::form::{Filling, Line};
use crate::http::error::{Problem, sentence};
use crate::http::extract::Query;
use crate::http::form::{Faults, Fields};
use crate::http::response::see_other;
use crate::page::View;
use crate::services::KeyFrom;
use axum::response::Response;
use fitness_coach::model::Cost;
use fitness_coach::model::catalog::Choice;
use fitness_coach::settings::{Chosen, LOCAL_MODEL, Provider, SETTING, micros_a_day};
use maud::{Markup, html};
use secrecy::SecretString;
use serde::Deserialize;

/// The most tokens a day that can be allowed.
const MAX_TOKENS: u64 = 1_000_000_000;
/// No key and no address is longer.
const MAX_KEY: usize = 16 * 1024;

/// What is asked to be shown.
#[derive(Debug, Deserialize)]
pub(crate) struct Said {
    #[serde(default)]
    say: String,
}

/// What an athlete chose.
pub(crate) async fn chosen(view: &View) -> Result<Chosen, Problem> {
    Ok(view.store().find_setting(view.user(), SETTING).await?.unwrap_or_default())
}

/// `GET /settings/coach`
pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let chosen = chosen(&view).await?;
    let fields = filled(&chosen);
    let body = body(&view, &chosen, &fields, &Faults::default()).await?;
    Ok(page(&view, Tab::Coach, &body))
}

/// `POST /settings/coach`
pub(crate) async fn save(view: View, fields: Fields) -> Result<Response, Problem> {
    let before = chosen(&view).await?;
    let mut faults = Faults::default();
    let limits = read_limits(&fields, &mut faults);
    if let (Some((wanted, key)), Some((tokens, micros))) = (read(&fields, &before, &mut faults), limits) {
        let wanted = Chosen { tokens_a_day: tokens, micros_a_day: micros, ..wanted };
        match view.app.outside.choose_coach(view.user(), &wanted, key.as_ref()).await {
            Ok(()) => return Ok(see_other("/settings/coach?done=saved")),
            Err(why) => faults.add(faulty(&wanted, &why), sentence(&why)),
        }
    }
    let body = body(&view, &before, &fields, &faults).await?;
    Ok(again(&view, Tab::Coach, &body))
}

/// `GET /settings/coach/preview`: what would leave this machine, byte for byte.
pub(crate) async fn preview(view: View, Query(said): Query<Said>) -> Result<Response, Problem> {
    let said = said.say.trim();
    let text = (!said.is_empty()).then_some(said);
    let sent = view.app.outside.preview(view.user(), text).await;
    let fields = Fields::default().with("say", said);
    let filling = Filling { fields: &fields, faults: &Faults::default() };
    let body = html! {
        p.lead { "This is what would be sent, exactly. Nothing is sent by looking." }
        section.card {
            h2 { @if text.is_some() { "What you would say in chat" } @else { "The morning brief" } }
            @match &sent {
                Ok(sent) => pre.sent tabindex="0" { (sent) },
                Err(why) => p.warn { (sentence(why)) },
            }
            form method="get" action="/settings/coach/preview" {
                (filling.line("say", "If you said", Line { hint: "Empty for the morning brief.", example: "How is my form?", ..Line::default() }))
                p.actions { button type="submit" { "Show" } a.btn href="/settings/coach" { "Back" } }
            }
        }
    };
    Ok(page(&view, Tab::Coach, &body))
}

/// Who coaches, as a form says it, and a new key where one was written; `None` when something is wrong with it.
pub(crate) fn read(
    fields: &Fields,
    before: &Chosen,
    faults: &mut Faults,
) -> Option<(Chosen, Option<SecretString>)> {
    let provider: Provider = faults.take("provider", fields.one("provider").unwrap_or_default().parse())?;
    let text = |name: &str| fields.text(name).map(str::to_owned);
    let (model, address) = match provider {
        Provider::BuiltIn => (None, None),
        Provider::Anthropic => (text("claude"), None),
        Provider::Openai => (text("model"), text("address")),
    };
    if provider == Provider::Openai && model.is_none() {
        faults.add("model", "Which model? Write its name as its server does, such as llama3.2.");
    }
    if address.as_ref().is_some_and(|address| address.len() > 2000) {
        faults.add("address", "That is far too long for an address.");
    }
    let key = text("key").filter(|_| provider != Provider::BuiltIn);
    if key.as_ref().is_some_and(|key| key.len() > MAX_KEY) {
        faults.add("key", "That is far too long for a key; copy the key alone.");
    }
    // What was allowed at the terminal was allowed for that place.
    let same = before.provider == provider && before.address == address;
    let at_terminal = before.at_terminal && same;
    let chosen = Chosen { provider, model, address, at_terminal, ..before.clone() };
    (!faults.any()).then(|| (chosen, key.map(SecretString::from)))
}

/// What may be used in a day, as a form says it: tokens, and millionths of a dollar.
pub(crate) fn read_limits(fields: &Fields, faults: &mut Faults) -> Option<(u64, u64)> {
    let tokens = fields.text("tokens").and_then(|text| text.parse().ok());
    let tokens = tokens.filter(|tokens| (1..=MAX_TOKENS).contains(tokens));
    if tokens.is_none() {
        faults.add("tokens", "Write a number of tokens, 1 to 1000000000.");
    }
    let dollars = fields.text("dollars").and_then(|text| text.parse().ok());
    let micros = dollars.and_then(|dollars| micros_a_day(dollars).ok());
    if micros.is_none() {
        faults.add("dollars", "Write dollars a day, 0 to 1000, such as 0.50.");
    }
    tokens.zip(micros)
}

/// The field a refusal is about.
pub(crate) fn faulty(wanted: &Chosen, why: &str) -> &'static str {
    match wanted.provider {
        _ if why.contains("key") => "key",
        Provider::Openai if why.contains("model") => "model",
        Provider::Openai => "address",
        _ => "provider",
    }
}

/// The form as it begins.
pub(crate) fn filled(chosen: &Chosen) -> Fields {
    let (model, address) =
        (chosen.model.clone().unwrap_or_default(), chosen.address.clone().unwrap_or_default());
    let (claude, model) = match chosen.provider {
        Provider::Anthropic if !model.is_empty() => (model, String::new()),
        _ => (Choice::default().as_str().to_owned(), model),
    };
    Fields::default()
        .with("provider", chosen.provider.as_str())
        .with("claude", claude)
        .with("model", model)
        .with("address", address)
        .with("tokens", chosen.tokens_a_day.to_string())
        .with("dollars", dollars(chosen.micros_a_day))
}

pub(crate) fn dollars(micros: u64) -> String {
    format!("{}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000)
}

/// The fields that say who coaches. Into the network of the server goes only who runs it, so the others are told before
/// they try.
pub(crate) fn who_fields(view: &View, filling: &Filling<'_>, key_hint: &'static str) -> Markup {
    let address_hint = if view.seat.owner {
        "Ollama on this machine when empty."
    } else {
        "One on the internet, with https. A model on this machine or in its network is for whoever runs this server to choose, or to share with you."
    };
    html! {
        (filling.choice("provider", "Coach", "Without a model everything works, chat with fixed rules.", &[
            ("built-in", "Built in: rules, nothing leaves this machine"),
            ("anthropic", "Claude, with a key"),
            ("openai", "Another server: Ollama, llama.cpp, LM Studio …"),
        ]))
        div.fields {
            (filling.choice("claude", "Claude model", "For Claude.", &[("haiku", "Haiku: quick and cheap"), ("sonnet", "Sonnet"), ("opus", "Opus: largest")]))
            (filling.line("model", "Model of another server", Line { hint: "The name its server gives it.", example: "llama3.2", ..Line::default() }))
            (filling.line("address", "Address of another server", Line { hint: address_hint, example: if view.seat.owner { LOCAL_MODEL } else { "https://" }, ..Line::default() }))
            (filling.line("key", "Key", Line { kind: "password", hint: key_hint, autocomplete: "off", ..Line::default() }))
        }
    }
}

/// The fields that say what may be used in a day.
pub(crate) fn limit_fields(filling: &Filling<'_>) -> Markup {
    html! {
        div.fields {
            (filling.line("tokens", "Tokens a day", Line { kind: "number", required: true, ..Line::default() }))
            (filling.line("dollars", "US dollars a day", Line { hint: "Counted for Claude.", required: true, ..Line::default() }))
        }
    }
}

async fn body(view: &View, chosen: &Chosen, fields: &Fields, faults: &Faults) -> Result<Markup, Problem> {
    let spent = view.store().spent_on(view.user(), view.today).await?;
    let from = view.app.outside.key_from(view.user(), chosen).await;
    let filling = Filling { fields, faults };
    Ok(html! {
        section.card {
            h2 { "Now" }
            p { (chosen.who()) " " @match (chosen.provider, from) {
                (Provider::BuiltIn, _) => "Nothing leaves this machine.",
                (_, KeyFrom::Own) => "Asked with your key, which is kept sealed.",
                (_, KeyFrom::Owner) => "Asked with the key that whoever runs this server shares, within what they allow.",
                (Provider::Anthropic, KeyFrom::Nobody) => "There is no key yet.",
                (Provider::Openai, KeyFrom::Nobody) => "Asked without a key.",
            } }
            @if chosen.provider != Provider::BuiltIn {
                p { "Today: " (spent.tokens()) " of " (chosen.tokens_a_day) " tokens" @if let Some(micros) = spent.cost_micros { ", " (Cost(micros)) " of " (Cost(chosen.micros_a_day)) } "." }
                p { "What leaves this machine: what you say, your notes, and what the coach looks up to answer. " a href="/settings/coach/preview" { "See exactly what is sent" } }
            } @else { p { a href="/settings/coach/preview" { "See what a model would be sent" } } }
        }
        section.card {
            h2 { "Choose" }
            (filling.summary())
            form method="post" action="/settings/coach" {
                (view.token_field())
                (who_fields(view, &filling, "Written here and never shown again; empty keeps the one there is."))
                (limit_fields(&filling))
                p.actions { button.primary type="submit" { "Save" } }
            }
        }
    })
}
