//! `/settings/coach`: who coaches, what that may cost, and exactly what leaves this machine.

use super::{Tab, invalid_form_page, page};
use crate::components::form::{FormState, InputOptions};
use crate::http::error::{PageError, to_sentence};
use crate::http::extract::Query;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use crate::services::KeyOwner;
use axum::response::Response;
use fitness_coach::model::Cost;
use fitness_coach::model::catalog::ClaudeModel;
use fitness_coach::settings::{CoachSettings, LOCAL_MODEL_URL, Provider, SETTING_KEY, parse_dollars_per_day};
use maud::{Markup, html};
use secrecy::SecretString;
use serde::Deserialize;

/// The most tokens a day that can be allowed.
const MAX_TOKENS: u64 = 1_000_000_000;
/// No key and no address is longer.
const MAX_KEY_BYTES: usize = 16 * 1024;

/// What is asked to be shown.
#[derive(Debug, Deserialize)]
pub(crate) struct PreviewQuery {
    #[serde(default)]
    say: String,
}

/// What an athlete chose.
pub(crate) async fn load_settings(view: &PageContext) -> Result<CoachSettings, PageError> {
    Ok(view.store().find_setting(view.user(), SETTING_KEY).await?.unwrap_or_default())
}

/// `GET /settings/coach`
pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let chosen = load_settings(&view).await?;
    let fields = initial_fields(&chosen);
    let body = body(&view, &chosen, &fields, &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Coach, &body))
}

/// `POST /settings/coach`
pub(crate) async fn update(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let before = load_settings(&view).await?;
    let mut faults = FieldErrors::default();
    let limits = parse_budget(&fields, &mut faults);
    if let (Some((wanted, key)), Some((tokens, micros))) =
        (parse_settings(&fields, &before, &mut faults), limits)
    {
        let wanted = CoachSettings { tokens_a_day: tokens, micros_a_day: micros, ..wanted };
        match view.app.services.save_coach_settings(view.user(), &wanted, key.as_ref()).await {
            Ok(()) => return Ok(see_other("/settings/coach?done=saved")),
            Err(why) => faults.add(error_field(&wanted, &why), to_sentence(&why)),
        }
    }
    let body = body(&view, &before, &fields, &faults).await?;
    Ok(invalid_form_page(&view, Tab::Coach, &body))
}

/// `GET /settings/coach/preview`: what would leave this machine, byte for byte.
pub(crate) async fn preview(
    view: PageContext,
    Query(said): Query<PreviewQuery>,
) -> Result<Response, PageError> {
    let said = said.say.trim();
    let text = (!said.is_empty()).then_some(said);
    let sent = view.app.services.preview_request(view.user(), text).await;
    let fields = FormFields::default().with("say", said);
    let filling = FormState { fields: &fields, errors: &FieldErrors::default() };
    let body = html! {
        p.lead { "This is what would be sent, exactly. Nothing is sent by looking." }
        section.card {
            h2 { @if text.is_some() { "What you would say in chat" } @else { "The morning brief" } }
            @match &sent {
                Ok(sent) => pre.sent tabindex="0" { (sent) },
                Err(why) => p.warn { (to_sentence(why)) },
            }
            form method="get" action="/settings/coach/preview" {
                (filling.input("say", "If you said", InputOptions { hint: "Empty for the morning brief.", placeholder: "How is my form?", ..InputOptions::default() }))
                p.actions { button type="submit" { "Show" } a.btn href="/settings/coach" { "Back" } }
            }
        }
    };
    Ok(page(&view, Tab::Coach, &body))
}

/// Who coaches, as a form says it, and a new key where one was written; `None` when something is wrong with it.
pub(crate) fn parse_settings(
    fields: &FormFields,
    before: &CoachSettings,
    faults: &mut FieldErrors,
) -> Option<(CoachSettings, Option<SecretString>)> {
    let provider: Provider =
        faults.ok_or_add("provider", fields.get("provider").unwrap_or_default().parse())?;
    let text = |name: &str| fields.get_trimmed(name).map(str::to_owned);
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
    if key.as_ref().is_some_and(|key| key.len() > MAX_KEY_BYTES) {
        faults.add("key", "That is far too long for a key; copy the key alone.");
    }
    // What was allowed at the terminal was allowed for that place.
    let same = before.provider == provider && before.address == address;
    let at_terminal = before.at_terminal && same;
    let chosen = CoachSettings { provider, model, address, at_terminal, ..before.clone() };
    (!faults.has_any()).then(|| (chosen, key.map(SecretString::from)))
}

/// What may be used in a day, as a form says it: tokens, and millionths of a dollar.
pub(crate) fn parse_budget(fields: &FormFields, faults: &mut FieldErrors) -> Option<(u64, u64)> {
    let tokens = fields.get_trimmed("tokens").and_then(|text| text.parse().ok());
    let tokens = tokens.filter(|tokens| (1..=MAX_TOKENS).contains(tokens));
    if tokens.is_none() {
        faults.add("tokens", "Write a number of tokens, 1 to 1000000000.");
    }
    let dollars = fields.get_trimmed("dollars").and_then(|text| text.parse().ok());
    let micros = dollars.and_then(|dollars| parse_dollars_per_day(dollars).ok());
    if micros.is_none() {
        faults.add("dollars", "Write dollars a day, 0 to 1000, such as 0.50.");
    }
    tokens.zip(micros)
}

/// The field a refusal is about.
pub(crate) fn error_field(wanted: &CoachSettings, why: &str) -> &'static str {
    match wanted.provider {
        _ if why.contains("key") => "key",
        Provider::Openai if why.contains("model") => "model",
        Provider::Openai => "address",
        _ => "provider",
    }
}

/// The form as it begins.
pub(crate) fn initial_fields(chosen: &CoachSettings) -> FormFields {
    let (model, address) =
        (chosen.model.clone().unwrap_or_default(), chosen.address.clone().unwrap_or_default());
    let (claude, model) = match chosen.provider {
        Provider::Anthropic if !model.is_empty() => (model, String::new()),
        _ => (ClaudeModel::default().as_str().to_owned(), model),
    };
    FormFields::default()
        .with("provider", chosen.provider.as_str())
        .with("claude", claude)
        .with("model", model)
        .with("address", address)
        .with("tokens", chosen.tokens_a_day.to_string())
        .with("dollars", format_dollars(chosen.micros_a_day))
}

pub(crate) fn format_dollars(micros: u64) -> String {
    format!("{}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000)
}

/// The fields that say who coaches. Into the network of the server goes only who runs it, so the others are told before
/// they try.
pub(crate) fn provider_fields(view: &PageContext, filling: &FormState<'_>, key_hint: &'static str) -> Markup {
    let address_hint = if view.current_user.is_owner {
        "Ollama on this machine when empty."
    } else {
        "One on the internet, with https. A model on this machine or in its network is for whoever runs this server to choose, or to share with you."
    };
    html! {
        (filling.select("provider", "Coach", "Without a model everything works, chat with fixed rules.", &[
            ("built-in", "Built in: rules, nothing leaves this machine"),
            ("anthropic", "Claude, with a key"),
            ("openai", "Another server: Ollama, llama.cpp, LM Studio …"),
        ]))
        div.fields {
            (filling.select("claude", "Claude model", "For Claude.", &[("haiku", "Haiku: quick and cheap"), ("sonnet", "Sonnet"), ("opus", "Opus: largest")]))
            (filling.input("model", "Model of another server", InputOptions { hint: "The name its server gives it.", placeholder: "llama3.2", ..InputOptions::default() }))
            (filling.input("address", "Address of another server", InputOptions { hint: address_hint, placeholder: if view.current_user.is_owner { LOCAL_MODEL_URL } else { "https://" }, ..InputOptions::default() }))
            (filling.input("key", "Key", InputOptions { input_type: "password", hint: key_hint, autocomplete: "off", ..InputOptions::default() }))
        }
    }
}

/// The fields that say what may be used in a day.
pub(crate) fn budget_fields(filling: &FormState<'_>) -> Markup {
    html! {
        div.fields {
            (filling.input("tokens", "Tokens a day", InputOptions { input_type: "number", is_required: true, ..InputOptions::default() }))
            (filling.input("dollars", "US dollars a day", InputOptions { hint: "Counted for Claude.", is_required: true, ..InputOptions::default() }))
        }
    }
}

async fn body(
    view: &PageContext,
    chosen: &CoachSettings,
    fields: &FormFields,
    faults: &FieldErrors,
) -> Result<Markup, PageError> {
    let spent = view.store().usage_on(view.user(), view.today).await?;
    let from = view.app.services.key_owner(view.user(), chosen).await;
    let filling = FormState { fields, errors: faults };
    Ok(html! {
        section.card {
            h2 { "Now" }
            p { (chosen.describe()) " " @match (chosen.provider, from) {
                (Provider::BuiltIn, _) => "Nothing leaves this machine.",
                (_, KeyOwner::Own) => "Asked with your key, which is kept sealed.",
                (_, KeyOwner::ServerOwner) => "Asked with the key that whoever runs this server shares, within what they allow.",
                (Provider::Anthropic, KeyOwner::NoKey) => "There is no key yet.",
                (Provider::Openai, KeyOwner::NoKey) => "Asked without a key.",
            } }
            @if chosen.provider != Provider::BuiltIn {
                p { "Today: " (spent.tokens()) " of " (chosen.tokens_a_day) " tokens" @if let Some(micros) = spent.cost_micros { ", " (Cost(micros)) " of " (Cost(chosen.micros_a_day)) } "." }
                p { "What leaves this machine: what you say, your notes, and what the coach looks up to answer. " a href="/settings/coach/preview" { "See exactly what is sent" } }
            } @else { p { a href="/settings/coach/preview" { "See what a model would be sent" } } }
        }
        section.card {
            h2 { "Choose" }
            (filling.error_summary())
            form method="post" action="/settings/coach" {
                (view.token_field())
                (provider_fields(view, &filling, "Written here and never shown again; empty keeps the one there is."))
                (budget_fields(&filling))
                p.actions { button.primary type="submit" { "Save" } }
            }
        }
    })
}
