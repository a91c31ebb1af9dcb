//! The morning brief on Today: each number links to the data behind it.

use crate::coach::brief::{facts_differ, stored_facts};
use crate::components::time;
use crate::http::error::PageError;
use crate::http::form::FormFields;
use crate::http::response::see_other;
use crate::page::PageContext;
use axum::response::Response;
use fitness_coach::rule_based;
use fitness_core::domain::untrusted_text::escape_invisible;
use fitness_core::facts::{Fact, FactName, Facts, SourceRow, TemplatePart};
use fitness_store::StoredBrief;
use maud::{Markup, html};

/// A brief split into the parts of the first card on Today.
pub(super) struct Brief {
    /// The first sentence; `None` where there is no current brief.
    pub(super) headline: Option<Markup>,
    /// Whether the headline names today's workout, so that the card does not repeat the name.
    pub(super) names_workout: bool,
    /// The other sentences, the byline and the buttons.
    pub(super) rationale: Markup,
}

/// Today's brief, marked as stale when the current facts differ; or a placeholder.
pub(super) async fn load(view: &PageContext, now: &Facts) -> Result<Brief, PageError> {
    let brief = view.store().find_brief(view.user(), view.today).await?;
    Ok(brief.map_or_else(|| missing_brief(view), |brief| from_stored(view, &brief, now)))
}

fn from_stored(view: &PageContext, brief: &StoredBrief, now: &Facts) -> Brief {
    let byline = brief.body.get("byline").and_then(|text| text.as_str()).unwrap_or_default();
    let then = stored_facts(brief);
    // The built-in brief is rewritten with its facts; that of a model costs money, so its athlete decides.
    let is_stale = brief.model != rule_based::NAME
        && then.as_ref().is_some_and(|then| facts_differ(then, now, view.units()));
    let (headline, rest, names_session) = render_pieces(view, brief, then.as_ref());
    // A stale sentence is not a headline: today's workout comes first then.
    let (headline, before, names_session) =
        if is_stale { (None, headline, false) } else { (headline, None, names_session) };
    let why = html! {
        @if is_stale {
            p.stale role="status" {
                span { "Something changed since this brief was written." }
                (view.post_button("/brief", "Rewrite", "small"))
            }
        }
        p.prose.soft[is_stale] { @if let Some(before) = &before { (before) " " } (rest) }
        p.meta {
            span { (escape_invisible(byline)) }
            span { "written " (time::clock(brief.written_at, view.profile.zone)) }
            a href={ "/days/" (brief.day) } { "See the data behind this" }
            @if !is_stale { (view.post_button("/brief", "Rewrite", "plain")) }
        }
    };
    Brief { headline, names_workout: names_session, rationale: why }
}

fn missing_brief(view: &PageContext) -> Brief {
    let why = html! {
        @if view.freshness.complete_through().is_none() {
            p { "Once you have data, you get a short brief here every morning: what to do today, and why." }
            @if view.freshness.is_running() { p.soft { "Your data is being imported. Check back in a moment." } }
            @else { p.actions { a.btn.primary href="/data" { "Import data" } } }
        } @else {
            p { "Today's brief hasn't been written." }
            p.actions { (view.post_button("/brief", "Write it", "")) a.btn href={ "/days/" (view.today) } { "See today's data" } }
        }
    };
    Brief { headline: None, names_workout: false, rationale: why }
}

/// The headline, the rest, and whether the headline names today's workout. The text is rendered
/// again from its own facts; where that fails, the stored rendering is shown.
fn render_pieces(
    view: &PageContext,
    brief: &StoredBrief,
    facts: Option<&Facts>,
) -> (Option<Markup>, Markup, bool) {
    let prose = brief.body.pointer("/briefing/body").and_then(|text| text.as_str());
    let pieces = facts.zip(prose).and_then(|(facts, prose)| facts.parse_template(prose).ok());
    let rendered = brief.body.get("rendered").and_then(|text| text.as_str()).unwrap_or_default();
    let Some(pieces) = pieces else {
        return (None, html! { (escape_invisible(rendered)) }, false);
    };
    let (first, rest) = split_first_sentence(&pieces);
    let shown = |piece: &TemplatePart<'_>| match *piece {
        TemplatePart::Text(text) => html! { (escape_invisible(text)) },
        TemplatePart::Fact(fact) => fact_link(view, brief, fact),
    };
    let names = |piece: &TemplatePart<'_>| matches!(piece, TemplatePart::Fact(fact) if fact.id.as_str() == FactName::TodayWorkout.as_str());
    let names_session = first.iter().any(names);
    (
        Some(html! { @for piece in &first { (shown(piece)) } }),
        html! { @for piece in &rest { (shown(piece)) } },
        names_session,
    )
}

/// A fact as a link to its source. Counts of proposals are replaced by words.
fn fact_link(view: &PageContext, brief: &StoredBrief, fact: &Fact) -> Markup {
    let row = || format!("/days/{}#{}", brief.day, fact.id);
    let (to, words) = match (fact.id.as_str().parse(), fact.sources.as_slice()) {
        (Ok(FactName::PendingProposals), [SourceRow::Proposal(id)]) => {
            (format!("/proposals/{id}"), "a change to your plan".to_owned())
        }
        (Ok(FactName::PendingProposals), ..) => (row(), "changes to your plan".to_owned()),
        _ => (row(), fact.format_in_text(view.units())),
    };
    html! { a.fact href=(to) { (escape_invisible(&words)) } }
}

/// Splits off the first sentence.
fn split_first_sentence<'a>(pieces: &[TemplatePart<'a>]) -> (Vec<TemplatePart<'a>>, Vec<TemplatePart<'a>>) {
    for (at, piece) in pieces.iter().enumerate() {
        let TemplatePart::Text(text) = *piece else { continue };
        let Some(end) = text.find(". ") else { continue };
        let (first, rest) = text.split_at(end + 1);
        let mut before = pieces[..at].to_vec();
        before.push(TemplatePart::Text(first));
        let mut after = vec![TemplatePart::Text(rest.trim_start())];
        after.extend_from_slice(&pieces[at + 1..]);
        return (before, after);
    }
    (pieces.to_vec(), Vec::new())
}

/// `POST /brief`: writes today's brief, replacing an earlier one.
pub(crate) async fn rewrite(view: PageContext, _: FormFields) -> Result<Response, PageError> {
    let written = view.app.services.rewrite_brief(view.user(), view.today).await;
    written.map_err(|why| PageError::conflict(format!("The brief couldn't be written: {why}")))?;
    Ok(see_other("/"))
}
