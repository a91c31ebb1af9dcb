//! Plans: drafts, revisions, proposals, adherence, and the human actions that change them.

pub(crate) mod adaptations;
pub(crate) mod adherence;
pub(crate) mod baseline;
pub mod consent;
pub mod drafts;
pub(crate) mod generate;
pub mod human_actions;
pub(crate) mod lint_review;
pub(crate) mod llm_response;
pub(crate) mod matches;
pub(crate) mod plans;
pub(crate) mod proposal_preview;
pub(crate) mod race_review;
pub(crate) mod revisions;
pub(crate) mod trajectory;
