//! `/settings/integrations`: API tokens and the calendar feed.

use super::security::{CURRENT_PASSWORD_FIELD, check_current_password, current_password_field};
use super::{Tab, copyable, invalid_form_page, page};
use crate::components::form::{InputOptions, SubmittedForm};
use crate::components::time;
use crate::http::error::PageError;
use crate::http::extract::PathId;
use crate::http::form::{FieldErrors, FormFields};
use crate::http::response::see_other;
use crate::page::PageContext;
use axum::response::Response;
use chrono::TimeDelta;
use fitness_core::coach_api::Scope;
use fitness_core::domain::ids::ApiTokenId;
use fitness_core::domain::untrusted_text::{escape_invisible, is_storable};
use maud::{Markup, html};

/// Upper bound of a token's lifetime.
const MAX_TOKEN_DAYS: i64 = 3650;
const MAX_NAME_CHARS: usize = 100;

/// Password field of the calendar form; the page has two password fields.
const CALENDAR_PASSWORD_FIELD: &str = "calendar_old";

pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let fields = FormFields::default().with("scope", Scope::Read.as_str());
    let body = body(&view, &fields, &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Integrations, &body))
}

/// `POST /settings/tokens`: creates a token. Only this response shows its secret.
pub(crate) async fn create_token(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let name = fields.get_trimmed("name").unwrap_or_default();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || !is_storable(name) {
        faults.add("name", "Enter the name of the program, in at most 100 characters.");
    }
    let scope: Option<Scope> = faults.ok_or_add("scope", fields.get("scope").unwrap_or_default().parse());
    let days = fields
        .get_trimmed("days")
        .map(|days| days.parse::<i64>().ok().filter(|days| (1..=MAX_TOKEN_DAYS).contains(days)));
    if days == Some(None) {
        faults.add("days", "Enter a number of days from 1 to 3650, or leave it empty.");
    }
    // An unattended browser must not hand out permanent access.
    check_current_password(&view, &fields, CURRENT_PASSWORD_FIELD, &mut faults).await?;
    let Some(scope) = scope.filter(|_| !faults.has_any()) else {
        let body = body(&view, &fields, &faults).await?;
        return Ok(invalid_form_page(&view, Tab::Integrations, &body));
    };
    let ends = days.flatten().map(|days| view.now + TimeDelta::days(days));
    let (_, token) = view.store().mint_api_token(view.user(), name, scope, ends, view.now).await?;
    let body = new_token_page(&view, name, scope, token.reveal());
    Ok(page(&view, Tab::Integrations, &body))
}

pub(crate) async fn revoke_token(
    view: PageContext,
    PathId(id): PathId<ApiTokenId>,
) -> Result<Response, PageError> {
    view.store().revoke_api_token(view.user(), id, view.now).await?;
    Ok(see_other("/settings/integrations?done=deleted"))
}

/// `POST /settings/calendar`: creates a new private link and disables the old one. Only this
/// response shows it.
pub(crate) async fn create_calendar_feed(
    view: PageContext,
    fields: FormFields,
) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    check_current_password(&view, &fields, CALENDAR_PASSWORD_FIELD, &mut faults).await?;
    if faults.has_any() {
        let first = FormFields::default().with("scope", Scope::Read.as_str());
        let body = body(&view, &first, &faults).await?;
        return Ok(invalid_form_page(&view, Tab::Integrations, &body));
    }
    let token = view.store().create_calendar_feed(view.user(), view.now).await?;
    let address = format!("{}/calendar/{}.ics", view.app.base_url, token.reveal());
    let body = html! {
        section.card {
            h2 { "Your calendar link" }
            p { "Subscribe to this link in your calendar app. Anyone with this link can see your planned workouts. It is shown only once; creating a new link disables this one." }
            (copyable("address", &address))
            p.actions { a.btn.primary href="/settings/integrations" { "Done" } }
        }
    };
    Ok(page(&view, Tab::Integrations, &body))
}

pub(crate) async fn remove_calendar_feed(view: PageContext) -> Result<Response, PageError> {
    view.store().delete_calendar_feed(view.user(), view.now).await?;
    Ok(see_other("/settings/integrations?done=link-disabled"))
}

fn new_token_page(view: &PageContext, name: &str, scope: Scope, secret: &str) -> Markup {
    let site = &view.app.base_url;
    let code = format!(
        "claude mcp add --scope user --transport http local-fitness {site}/mcp --header \"Authorization: Bearer {secret}\""
    );
    let desktop = serde_json::json!({ "mcpServers": { "local-fitness": {
        "type": "http", "url": format!("{site}/mcp"), "headers": { "Authorization": format!("Bearer {secret}") } } } });
    html! {
        section.card {
            h2 { "Token for " (escape_invisible(name)) }
            p { "It can " (scope_description(scope)) ". " strong { "Copy it now: it won't be shown again." } }
            (copyable("token", secret))
            h3 { "Claude Code" }
            (copyable("claude-code", &code))
            h3 { "Programs with a configuration file" }
            (copyable("configuration", &desktop.to_string()))
            h3 { "Claude Desktop, on this machine" }
            p { "Claude Desktop starts the program itself and needs no token:" }
            (copyable("claude-desktop", DESKTOP_CONFIG))
            p.actions { a.btn.primary href="/settings/integrations" { "Done" } }
        }
    }
}

const DESKTOP_CONFIG: &str =
    r#"{"mcpServers": {"local-fitness": {"command": "/path/to/fitness", "args": ["mcp"], "env": {}}}}"#;

const fn scope_label(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "Read only",
        Scope::Draft => "Read and draft",
    }
}

const fn scope_description(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "read your data",
        Scope::Draft => "read your data and create drafts and proposals for you to review",
    }
}

async fn body(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Result<Markup, PageError> {
    let tokens = view.store().list_api_tokens(view.user()).await?;
    let feed = view.store().calendar_feed_created_at(view.user()).await?;
    let (filling, zone, today) = (SubmittedForm { fields, errors: faults }, view.profile.zone, view.today);
    Ok(html! {
        section.card {
            h2 { "API tokens" }
            p {
                "For Claude and other MCP clients, home automation, or your own scripts. They can read your data and create "
                strong { "drafts" } ". They can't make a plan active, archive it or delete it: the API has no such functions."
            }
            @if tokens.is_empty() { p.soft { "No tokens yet." } }
            @else {
                div.scroll tabindex="0" role="region" aria-label="API tokens, scrollable" { table {
                    thead { tr { th scope="col" { "Token" } th scope="col" { "Scope" } th scope="col" { "Expires" } th scope="col" { "Last used" } th scope="col" { span.hidden { "Revoke" } } } }
                    tbody {
                        @for token in &tokens {
                            tr {
                                th scope="row" { (escape_invisible(&token.name)) }
                                td { (scope_label(token.scope)) }
                                td { @if let Some(at) = token.expires_at { (time::clock_or_date(at, zone, today)) } @else { "never" } }
                                td { @if let Some(at) = token.used_at { (time::clock_or_date(at, zone, today)) } @else { "never" } }
                                td { (view.post_button(&format!("/settings/tokens/{}/revoke", token.id), "Revoke", "small")) }
                            }
                        }
                    }
                } }
            }
            h3 { "Create a token" }
            (filling.error_summary())
            form method="post" action="/settings/tokens" {
                (view.token_field())
                div.fields {
                    (filling.input("name", "Name", InputOptions { placeholder: "Claude Code", is_required: true, ..InputOptions::default() }))
                    (filling.select("scope", "Scope", "", &[("read", "Read only: see your data"), ("draft", "Read and draft: also create drafts and proposals")]))
                    (filling.input("days", "Valid for (days)", InputOptions { input_type: "number", hint: "Leave empty for no expiry.", ..InputOptions::default() }))
                }
                (current_password_field(view, &filling, CURRENT_PASSWORD_FIELD, "Your password").await?)
                p.actions { button.primary type="submit" { "Create token" } }
            }
        }
        section.card {
            h2 { "Calendar" }
            p { "A private link with your planned workouts, for any calendar app that can subscribe." }
            @if let Some(at) = feed { p { "Link created: " (time::clock_or_date(at, zone, today)) ". It can't be shown again; create a new one if you lost it." } }
            form method="post" action="/settings/calendar" {
                (view.token_field())
                (current_password_field(view, &filling, CALENDAR_PASSWORD_FIELD, "Your password").await?)
                p.actions { button type="submit" { @if feed.is_some() { "Create a new link" } @else { "Create a link" } } }
            }
            div.actions {
                @if feed.is_some() { (view.post_button("/settings/calendar/close", "Disable the link", "")) }
            }
        }
    })
}
