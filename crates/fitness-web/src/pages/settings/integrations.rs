//! `/settings/connect`: other programs, and the calendar.

use super::security::{OLD, check_old, old_field};
use super::{Tab, again, copyable, page};
use crate::components::form::{Filling, Line};
use crate::components::time;
use crate::http::error::Problem;
use crate::http::extract::Numbered;
use crate::http::form::{Faults, Fields};
use crate::http::response::see_other;
use crate::page::View;
use axum::response::Response;
use chrono::TimeDelta;
use fitness_core::coach_api::Scope;
use fitness_core::domain::ids::ApiTokenId;
use fitness_core::domain::untrusted_text::{is_storable, visible};
use maud::{Markup, html};

/// The longest a token can be made for, in days.
const MAX_DAYS: i64 = 3650;
/// The longest name of a token.
const MAX_NAME: usize = 100;

/// The field with the password where a calendar's address is asked for: the page has two such forms.
const CALENDAR_OLD: &str = "calendar_old";

/// `GET /settings/connect`
pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let fields = Fields::default().with("scope", Scope::Read.as_str());
    let body = body(&view, &fields, &Faults::default()).await?;
    Ok(page(&view, Tab::Connect, &body))
}

/// `POST /settings/tokens`: makes one. The answer shows its secret, once.
pub(crate) async fn make(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    let name = fields.text("name").unwrap_or_default();
    if name.is_empty() || name.chars().count() > MAX_NAME || !is_storable(name) {
        faults.add("name", "Call it after the program it is for, in at most 100 characters.");
    }
    let scope: Option<Scope> = faults.take("scope", fields.one("scope").unwrap_or_default().parse());
    let days =
        fields.text("days").map(|days| days.parse::<i64>().ok().filter(|days| (1..=MAX_DAYS).contains(days)));
    if days == Some(None) {
        faults.add("days", "Write a number of days, 1 to 3650, or leave it empty.");
    }
    // A browser left open must not hand out a way in that lasts.
    check_old(&view, &fields, OLD, &mut faults).await?;
    let Some(scope) = scope.filter(|_| !faults.any()) else {
        let body = body(&view, &fields, &faults).await?;
        return Ok(again(&view, Tab::Connect, &body));
    };
    let ends = days.flatten().map(|days| view.now + TimeDelta::days(days));
    let (_, token) = view.store().mint_api_token(view.user(), name, scope, ends, view.now).await?;
    let body = made(&view, name, scope, token.reveal());
    Ok(page(&view, Tab::Connect, &body))
}

/// `POST /settings/tokens/{id}/revoke`
pub(crate) async fn revoke(view: View, Numbered(id): Numbered<ApiTokenId>) -> Result<Response, Problem> {
    view.store().revoke_api_token(view.user(), id, view.now).await?;
    Ok(see_other("/settings/connect?done=deleted"))
}

/// `POST /settings/calendar`: makes a new private address. The answer shows it, once; the old one ends.
pub(crate) async fn open_calendar(view: View, fields: Fields) -> Result<Response, Problem> {
    let mut faults = Faults::default();
    check_old(&view, &fields, CALENDAR_OLD, &mut faults).await?;
    if faults.any() {
        let first = Fields::default().with("scope", Scope::Read.as_str());
        let body = body(&view, &first, &faults).await?;
        return Ok(again(&view, Tab::Connect, &body));
    }
    let token = view.store().open_calendar_feed(view.user(), view.now).await?;
    let address = format!("{}/calendar/{}.ics", view.app.site, token.reveal());
    let body = html! {
        section.card {
            h2 { "Your calendar's address" }
            p { "Subscribe to it in a calendar. Whoever has it reads your coming workouts and nothing else. It is shown this once; a new one ends it." }
            (copyable("address", &address))
            p.actions { a.btn.primary href="/settings/connect" { "Done" } }
        }
    };
    Ok(page(&view, Tab::Connect, &body))
}

/// `POST /settings/calendar/close`
pub(crate) async fn close_calendar(view: View) -> Result<Response, Problem> {
    view.store().close_calendar_feed(view.user(), view.now).await?;
    Ok(see_other("/settings/connect?done=deleted"))
}

fn made(view: &View, name: &str, scope: Scope, secret: &str) -> Markup {
    let site = &view.app.site;
    let code = format!(
        "claude mcp add --scope user --transport http local-fitness {site}/mcp --header \"Authorization: Bearer {secret}\""
    );
    let desktop = serde_json::json!({ "mcpServers": { "local-fitness": {
        "type": "http", "url": format!("{site}/mcp"), "headers": { "Authorization": format!("Bearer {secret}") } } } });
    html! {
        section.card {
            h2 { "A token for " (visible(name)) }
            p { "It may " (allows(scope)) ". " strong { "This is the only time it is shown." } }
            (copyable("token", secret))
            h3 { "Claude Code" }
            (copyable("claude-code", &code))
            h3 { "A program with a configuration file" }
            (copyable("configuration", &desktop.to_string()))
            h3 { "Claude Desktop, on this machine" }
            p { "It starts the program itself and needs no token:" }
            (copyable("claude-desktop", DESKTOP))
            p.actions { a.btn.primary href="/settings/connect" { "Done" } }
        }
    }
}

/// As `docs/mcp.md` says.
const DESKTOP: &str =
    r#"{"mcpServers": {"local-fitness": {"command": "/path/to/fitness", "args": ["mcp"], "env": {}}}}"#;

const fn allows(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "look at your data",
        Scope::Draft => "look at your data, and leave drafts and proposals that wait for you",
    }
}

async fn body(view: &View, fields: &Fields, faults: &Faults) -> Result<Markup, Problem> {
    let tokens = view.store().list_api_tokens(view.user()).await?;
    let feed = view.store().calendar_feed_since(view.user()).await?;
    let (filling, zone, today) = (Filling { fields, faults }, view.profile.zone, view.today);
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
                                th scope="row" { (visible(&token.name)) }
                                td { (token.scope) }
                                td { @if let Some(at) = token.expires_at { (time::moment(at, zone, today)) } @else { "never" } }
                                td { @if let Some(at) = token.used_at { (time::moment(at, zone, today)) } @else { "never" } }
                                td { (view.button(&format!("/settings/tokens/{}/revoke", token.id), "Revoke", "small")) }
                            }
                        }
                    }
                } }
            }
            h3 { "Make a token" }
            (filling.summary())
            form method="post" action="/settings/tokens" {
                (view.token_field())
                div.fields {
                    (filling.line("name", "For which program", Line { example: "Claude Code", required: true, ..Line::default() }))
                    (filling.choice("scope", "It may", "", &[("read", "Read: look at your data"), ("draft", "Draft: also leave drafts and proposals")]))
                    (filling.line("days", "For how many days", Line { kind: "number", hint: "Until you revoke it when empty.", ..Line::default() }))
                }
                (old_field(view, &filling, OLD, "Your password").await?)
                p.actions { button.primary type="submit" { "Make it" } }
            }
        }
        section.card {
            h2 { "Calendar" }
            p { "A private address with your coming workouts, for any calendar that can subscribe." }
            @if let Some(at) = feed { p { "There has been one since " (time::moment(at, zone, today)) ". It is not shown again; make a new one if you lost it." } }
            form method="post" action="/settings/calendar" {
                (view.token_field())
                (old_field(view, &filling, CALENDAR_OLD, "Your password").await?)
                p.actions { button type="submit" { @if feed.is_some() { "Make a new address" } @else { "Make an address" } } }
            }
            div.actions {
                @if feed.is_some() { (view.button("/settings/calendar/close", "End it", "")) }
            }
        }
    })
}
