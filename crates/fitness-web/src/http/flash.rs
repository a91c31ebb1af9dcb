//! Flash messages: `?done=` carries a word, the page shows the message once.

use fitness_core::string_enum;

string_enum! {
    pub(crate) enum Flash("message") {
        Saved = "saved",
        SignedOut = "signed-out",
        Archived = "archived",
        Deleted = "deleted",
        /// A note was saved.
        Noted = "noted",
        /// An absence was saved.
        Marked = "marked",
        /// An absence was removed.
        Unmarked = "unmarked",
        /// A sync was started.
        Synced = "synced",
        Drafted = "drafted",
        /// A draft was activated.
        Committed = "committed",
        /// A proposal, or part of one, was applied.
        Applied = "applied",
        /// The athlete edited the plan.
        Edited = "edited",
        Reverted = "reverted",
        Discarded = "discarded",
        Matched = "matched",
        NotMatched = "not-matched",
        Unmatched = "unmatched",
        /// Workouts were sent to the calendar at intervals.icu.
        Sent = "sent",
        /// The calendar link was disabled.
        LinkDisabled = "link-disabled",
        /// A deleted activity was restored.
        Restored = "restored",
    }
}

impl Flash {
    /// Reads `done=` from a query.
    pub(crate) fn from_query(query: &str) -> Option<Self> {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(name, _)| name == "done").and_then(|(_, word)| word.parse().ok())
    }

    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::Saved => "Saved.",
            Self::SignedOut => "Signed out.",
            Self::Archived => "Plan archived. You can still look at it under Plans.",
            Self::Deleted => "Deleted.",
            Self::Noted => "Note saved.",
            Self::Marked => "Saved. Those days won't count against you.",
            Self::Unmarked => "Removed. Those days count again.",
            Self::Synced => "Sync started.",
            Self::Drafted => "Saved as a draft. It is not your active plan yet.",
            Self::Committed => "This is now your active plan.",
            Self::Applied => "Applied. Here's what changed; you can undo it.",
            Self::Edited => "Saved. Here's what changed; you can undo it.",
            Self::Reverted => "Reverted. Here's what changed.",
            Self::Discarded => "Proposal discarded. Your plan is unchanged.",
            Self::Matched => "The activity now counts for this workout.",
            Self::NotMatched => "OK, not this workout. We won't ask again.",
            Self::Unmatched => "Match removed. Only activities on the day of the workout count for it again.",
            Self::Sent => "Sent to your intervals.icu calendar, which passes the workouts on to your watch.",
            Self::LinkDisabled => "Calendar link disabled.",
            Self::Restored => "Activity restored.",
        }
    }
}
