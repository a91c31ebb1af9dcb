//! `/settings/audit`: the audit log, newest entries first.

use super::{Tab, page};
use crate::components::time;
use crate::http::error::PageError;
use crate::http::form::QueryFields;
use crate::page::PageContext;
use axum::response::Response;
use fitness_store::AuditEntry;
use maud::{Markup, html};

const ENTRIES_PER_PAGE: u64 = 100;

pub(crate) async fn show(view: PageContext, QueryFields(fields): QueryFields) -> Result<Response, PageError> {
    let before = fields.get_trimmed("before").map(crate::http::response::parse_id).transpose()?;
    let entries = view.store().list_audit_before(view.user(), before, ENTRIES_PER_PAGE).await?;
    let older = entries.last().map(|entry| entry.seq).filter(|seq| *seq > 1);
    let body = html! {
        section.card {
            p.soft {
                "Every change to your data, and who made it. Entries cannot be edited; " code { "fitness doctor" }
                " checks that none was changed or removed."
            }
            @if entries.is_empty() { p { "No earlier entries." } }
            @else {
                table.rows {
                    thead { tr { th { "When" } th { "Who" } th { "What" } } }
                    tbody { @for entry in &entries { (row(&view, entry)) } }
                }
            }
            p.actions {
                @if before.is_some() { a.btn href="/settings/audit" { "Newest" } }
                @if let Some(seq) = older { a.btn href={ "/settings/audit?before=" (seq) } { "Older" } }
            }
        }
    };
    Ok(page(&view, Tab::Audit, &body))
}

fn row(view: &PageContext, entry: &AuditEntry) -> Markup {
    html! {
        tr data-row {
            td { (time::clock_or_date(entry.at, view.profile.zone, view.today)) }
            td { (entry.actor.label()) }
            td { (entry.label()) }
        }
    }
}
