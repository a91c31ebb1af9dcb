//! `/settings/connect`: other programs, and the calendar.

use super::security::{CURRENT_PASSWORD_FIELD, check_current_password, current_password_field};
use super::{Tab, copyable, invalid_form_page, page};
use crate::components::form::{FormState, InputOptions};
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

/// The longest a token can be made for, in days.
const MAX_TOKEN_DAYS: i64 = 3650;
/// The longest name of a token.
const MAX_NAME_CHARS: usize = 100;

/// The field with the password where a calendar's address is asked for: the page has two such forms.
const CALENDAR_PASSWORD_FIELD: &str = "calendar_old";

/// `GET /settings/connect`
pub(crate) async fn show(view: PageContext) -> Result<Response, PageError> {
    let fields = FormFields::default().with("scope", Scope::Read.as_str());
    let body = body(&view, &fields, &FieldErrors::default()).await?;
    Ok(page(&view, Tab::Integrations, &body))
}

/// `POST /settings/tokens`: makes one. The answer shows its secret, once.
pub(crate) async fn create_token(view: PageContext, fields: FormFields) -> Result<Response, PageError> {
    let mut faults = FieldErrors::default();
    let name = fields.get_trimmed("name").unwrap_or_default();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || !is_storable(name) {
        faults.add("name", "Call it after the program it is for, in at most 100 characters.");
    }
    let scope: Option<Scope> = faults.ok_or_add("scope", fields.get("scope").unwrap_or_default().parse());
    let days = fields
        .get_trimmed("days")
        .map(|days| days.parse::<i64>().ok().filter(|days| (1..=MAX_TOKEN_DAYS).contains(days)));
    if days == Some(None) {
        faults.add("days", "Write a number of days, 1 to 3650, or leave it empty.");
    }
    // A browser left open must not hand out a way in that lasts.
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

/// `POST /settings/tokens/{id}/revoke`
pub(crate) async fn revoke_token(
    view: PageContext,
    PathId(id): PathId<ApiTokenId>,
) -> Result<Response, PageError> {
    view.store().revoke_api_token(view.user(), id, view.now).await?;
    Ok(see_other("/settings/connect?done=deleted"))
}

/// `POST /settings/calendar`: makes a new private address. The answer shows it, once; the old one ends.
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
            h2 { "Your calendar's address" }
            p { "Subscribe to it in a calendar. Whoever has it reads your coming workouts and nothing else. It is shown this once; a new one ends it." }
            (copyable("address", &address))
            p.actions { a.btn.primary href="/settings/connect" { "Done" } }
        }
    };
    Ok(page(&view, Tab::Integrations, &body))
}

/// `POST /settings/calendar/close`
pub(crate) async fn remove_calendar_feed(view: PageContext) -> Result<Response, PageError> {
    view.store().delete_calendar_feed(view.user(), view.now).await?;
    Ok(see_other("/settings/connect?done=deleted"))
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
            h2 { "A token for " (escape_invisible(name)) }
            p { "It may " (scope_description(scope)) ". " strong { "This is the only time it is shown." } }
            (copyable("token", secret))
            h3 { "Claude Code" }
            (copyable("claude-code", &code))
            h3 { "A program with a configuration file" }
            (copyable("configuration", &desktop.to_string()))
            h3 { "Claude Desktop, on this machine" }
            p { "It starts the program itself and needs no token:" }
            (copyable("claude-desktop", DESKTOP_CONFIG))
            p.actions { a.btn.primary href="/settings/connect" { "Done" } }
        }
    }
}

/// As `docs/mcp.md` says.
const DESKTOP_CONFIG: &str =
    r#"{"mcpServers": {"local-fitness": {"command": "/path/to/fitness", "args": ["mcp"], "env": {}}}}"#;

const fn scope_description(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "look at your data",
        Scope::Draft => "look at your data, and leave drafts and proposals that wait for you",
    }
}

async fn body(view: &PageContext, fields: &FormFields, faults: &FieldErrors) -> Result<Markup, PageError> {
    let tokens = view.store().list_api_tokens(view.user()).await?;
    let feed = view.store().calendar_feed_created_at(view.user()).await?;
    let (filling, zone, today) = (FormState { fields, errors: faults }, view.profile.zone, view.today);
    Ok(html! {
        section.card {
            h2 { "Other programs" }
            p {
                "Claude and other programs that speak MCP, a home automation, or a script. They can read your data and write "
                strong { "drafts" } ". They cannot commit, archive or delete: those functions are not there."
            }
            @if tokens.is_empty() { p.soft { "No program is connected." } }
            @else {
                div.scroll tabindex="0" role="region" aria-label="A table that may be wider than the screen" { table {
                    thead { tr { th scope="col" { "Token" } th scope="col" { "May" } th scope="col" { "Ends" } th scope="col" { "Last used" } th scope="col" { span.hidden { "Revoke" } } } }
                    tbody {
                        @for token in &tokens {
                            tr {
                                th scope="row" { (escape_invisible(&token.name)) }
                                td { (token.scope) }
                                td { @if let Some(at) = token.expires_at { (time::clock_or_date(at, zone, today)) } @else { "never" } }
                                td { @if let Some(at) = token.used_at { (time::clock_or_date(at, zone, today)) } @else { "never" } }
                                td { (view.post_button(&format!("/settings/tokens/{}/revoke", token.id), "Revoke", "small")) }
                            }
                        }
                    }
                } }
            }
            h3 { "Make a token" }
            (filling.error_summary())
            form method="post" action="/settings/tokens" {
                (view.token_field())
                div.fields {
                    (filling.input("name", "For which program", InputOptions { placeholder: "Claude Code", is_required: true, ..InputOptions::default() }))
                    (filling.select("scope", "It may", "", &[("read", "Read: look at your data"), ("draft", "Draft: also leave drafts and proposals")]))
                    (filling.input("days", "For how many days", InputOptions { input_type: "number", hint: "Until you revoke it when empty.", ..InputOptions::default() }))
                }
                (current_password_field(view, &filling, CURRENT_PASSWORD_FIELD, "Your password").await?)
                p.actions { button.primary type="submit" { "Make it" } }
            }
        }
        section.card {
            h2 { "Calendar" }
            p { "A private address with your coming workouts, for any calendar that can subscribe." }
            @if let Some(at) = feed { p { "There has been one since " (time::clock_or_date(at, zone, today)) ". It is not shown again; make a new one if you lost it." } }
            form method="post" action="/settings/calendar" {
                (view.token_field())
                (current_password_field(view, &filling, CALENDAR_PASSWORD_FIELD, "Your password").await?)
                p.actions { button type="submit" { @if feed.is_some() { "Make a new address" } @else { "Make an address" } } }
            }
            div.actions {
                @if feed.is_some() { (view.post_button("/settings/calendar/close", "End it", "")) }
            }
        }
    })
}
