//! `/settings/coach`: provider, API key, daily budget, and a preview of what is sent.

use super::{Tab, invalid_form_page, page};
use crate::components::core_message;
use crate::components::form::{InputOptions, SubmittedForm};
use crate::http::error::PageError;
use crate::http::extract::Query;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use crate::services::KeyOwner;
use axum::response::Response;
use fitness_coach::model::Cost;
use fitness_coach::model::catalog::ClaudeModel;
use fitness_coach::settings::{CoachSettings, LOCAL_MODEL_URL, Provider, SETTING_KEY, parse_dollars_per_day};
use fitness_core::domain::untrusted_text::group_thousands;
use maud::{Markup, html};
use secrecy::SecretString;
use serde::Deserialize;

/// Upper bound of the daily token limit.
const MAX_TOKENS: u64 = 1_000_000_000;
const MAX_KEY_BYTES: usize = 16 * 1024;

#[derive(Debug, Deserialize)]
pub(crate) struct PreviewQuery {
    #[serde(default)]
    say: String,
}

pub(crate) async fn load_settings(view: &PageContext) -> Result<CoachSettings, PageError> {
    Ok(view.store().find_setting(view.user(), SETTING_KEY).await?.unwrap_or_default())
}

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let chosen = load_settings(&view).await?;
    let fields = initial_fields(&chosen);
    let body = body(&view, &chosen, &fields, &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Coach, &body))
}

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
            Err(why) => faults.add(error_field(&wanted, &why), core_message::sentence(&why)),
        }
    }
    let body = body(&view, &before, &fields, &faults).await?;
    Ok(invalid_form_page(&view, Tab::Coach, &body))
}

/// `GET /settings/coach/preview`: the exact request a model would get.
pub(crate) async fn preview(
    view: PageContext,
    Query(said): Query<PreviewQuery>,
) -> Result<Response, PageError> {
    let said = said.say.trim();
    let text = (!said.is_empty()).then_some(said);
    let uses_model = load_settings(&view).await?.provider != Provider::BuiltIn;
    let sent = view.app.services.preview_request(view.user(), text).await;
    let fields = FormFields::default().with("say", said);
    let filling = SubmittedForm { fields: &fields, errors: &FieldErrors::default() };
    let body = html! {
        p.lead {
            @if uses_model { "This is exactly what would be sent. Viewing it sends nothing." }
            @else { "You use the built-in coach. Choose an AI model to see what it would receive." }
        }
        section.card {
            h2 { @if text.is_some() { "Chat message" } @else { "Morning brief" } }
            @match &sent {
                Ok(sent) => pre.sent tabindex="0" { (sent) },
                Err(why) => p.warn { (core_message::sentence(why)) },
            }
            form method="get" action="/settings/coach/preview" {
                (filling.input("say", "Your message", InputOptions { hint: "Leave empty for the morning brief.", placeholder: "How is my form?", ..InputOptions::default() }))
                p.actions { button type="submit" { "Show" } a.btn href="/settings/coach" { "Back" } }
            }
        }
    };
    Ok(page(&view, Tab::Coach, &body))
}

/// Provider settings and, if entered, a new key; `None` when a field is invalid.
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
        faults.add("model", "Enter the name of the model on that server, such as llama3.2.");
    }
    if address.as_ref().is_some_and(|address| address.len() > 2000) {
        faults.add("address", "That address is too long.");
    }
    let key = text("key").filter(|_| provider != Provider::BuiltIn);
    if key.as_ref().is_some_and(|key| key.len() > MAX_KEY_BYTES) {
        faults.add("key", "That key is too long. Paste only the key.");
    }
    // Permission given at the terminal is for one provider and address only.
    let same = before.provider == provider && before.address == address;
    let at_terminal = before.at_terminal && same;
    let chosen = CoachSettings { provider, model, address, at_terminal, ..before.clone() };
    (!faults.has_any()).then(|| (chosen, key.map(SecretString::from)))
}

/// The daily budget: tokens, and millionths of a US dollar.
pub(crate) fn parse_budget(fields: &FormFields, faults: &mut FieldErrors) -> Option<(u64, u64)> {
    let tokens = fields.get_trimmed("tokens").and_then(|text| text.parse().ok());
    let tokens = tokens.filter(|tokens| (1..=MAX_TOKENS).contains(tokens));
    if tokens.is_none() {
        faults.add("tokens", "Enter a number of tokens from 1 to 1,000,000,000.");
    }
    let dollars = fields.get_trimmed("dollars").and_then(|text| text.parse().ok());
    let micros = dollars.and_then(|dollars| parse_dollars_per_day(dollars).ok());
    if micros.is_none() {
        faults.add("dollars", "Enter US dollars per day from 0 to 1000, such as 0.50.");
    }
    tokens.zip(micros)
}

/// The field an error of the services belongs to.
pub(crate) fn error_field(wanted: &CoachSettings, why: &str) -> &'static str {
    match wanted.provider {
        _ if why.contains("key") => "key",
        Provider::Openai if why.contains("model") => "model",
        Provider::Openai => "address",
        _ => "provider",
    }
}

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

/// What the provider of a form is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProviderUse {
    /// The user's own coach, which may be the built-in one.
    OwnCoach,
    /// A key shared with all users.
    SharedKey,
}

/// Only the owner may use a model on the server's own network; the hint tells other users.
pub(crate) fn provider_fields(
    view: &PageContext,
    filling: &SubmittedForm<'_>,
    usage: ProviderUse,
    key_hint: &'static str,
) -> Markup {
    let models =
        [("anthropic", "Claude, with an API key"), ("openai", "Other server: Ollama, llama.cpp, LM Studio…")];
    let built_in = ("built-in", "Built-in: rule-based, no AI");
    let (label, hint, choices) = match usage {
        ProviderUse::OwnCoach => (
            "Coach",
            "Everything works without AI, but chat can answer only a fixed set of questions.",
            [&[built_in][..], &models[..]].concat(),
        ),
        ProviderUse::SharedKey => ("AI service", "", models.to_vec()),
    };
    let address_hint = if view.current_user.is_owner {
        "Leave empty for Ollama on this machine."
    } else {
        "A public https address. Only the owner of this server can use a model on its own network, or share one with you."
    };
    html! {
        (filling.select("provider", label, hint, &choices))
        div.fields {
            (filling.select("claude", "Claude model", "Only for Claude.", &[("haiku", "Haiku: fast and cheap"), ("sonnet", "Sonnet"), ("opus", "Opus: most capable")]))
            (filling.input("model", "Model on the other server", InputOptions { hint: "The name the server uses for it.", placeholder: "llama3.2", ..InputOptions::default() }))
            (filling.input("address", "Address of the other server", InputOptions { hint: address_hint, placeholder: if view.current_user.is_owner { LOCAL_MODEL_URL } else { "https://" }, ..InputOptions::default() }))
            (filling.input("key", "API key", InputOptions { input_type: "password", hint: key_hint, autocomplete: "off", ..InputOptions::default() }))
        }
    }
}

/// The hint below the key field.
pub(crate) const fn key_hint(is_saved: bool) -> &'static str {
    if is_saved { "Leave empty to keep the saved key." } else { "Stored encrypted and never shown again." }
}

pub(crate) fn budget_fields(filling: &SubmittedForm<'_>) -> Markup {
    html! {
        div.fields {
            (filling.input("tokens", "AI usage per day (tokens)", InputOptions { input_type: "number", is_required: true, ..InputOptions::default() }))
            (filling.input("dollars", "US dollars per day", InputOptions { hint: "Only for Claude.", is_required: true, ..InputOptions::default() }))
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
    let filling = SubmittedForm { fields, errors: faults };
    Ok(html! {
        section.card {
            h2 { "Your coach" }
            p { (chosen.describe()) " " @match (chosen.provider, from) {
                (Provider::BuiltIn, _) => "Your data stays on this machine.",
                (_, KeyOwner::Own) => "Uses your API key, which is stored encrypted.",
                (_, KeyOwner::ServerOwner) => "Uses the API key shared by the owner of this server, within their limit.",
                (Provider::Anthropic, KeyOwner::NoKey) => "No API key yet.",
                (Provider::Openai, KeyOwner::NoKey) => "No API key is used.",
            } }
            @if chosen.provider != Provider::BuiltIn {
                p { "Used today: " (group_thousands(spent.tokens())) " of " (group_thousands(chosen.tokens_a_day)) " tokens" @if let Some(micros) = spent.cost_micros { ", " (Cost(micros)) " of " (Cost(chosen.micros_a_day)) } "." }
                p { "The model gets your messages, your notes, and the data the coach looks up to reply. " a href="/settings/coach/preview" { "See exactly what is sent" } }
            }
        }
        section.card {
            h2 { "Change coach" }
            (filling.error_summary())
            form method="post" action="/settings/coach" {
                (view.token_field())
                (provider_fields(view, &filling, ProviderUse::OwnCoach, key_hint(from == KeyOwner::Own)))
                (budget_fields(&filling))
                p.actions { button.primary type="submit" { "Save" } }
            }
        }
    })
}
