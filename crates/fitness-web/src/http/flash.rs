//! What a page says once after something was done. The address carries a word; the sentence is ours.

use fitness_core::string_enum;

string_enum! {
    /// What was done.
    pub(crate) enum Flash("message") {
        /// A setting.
        Saved = "saved",
        /// A browser was signed out.
        SignedOut = "signed-out",
        /// A plan was put away.
        Archived = "archived",
        /// A draft or an old plan is gone.
        Deleted = "deleted",
        /// Something for the coach to know.
        Noted = "noted",
        /// Days were marked.
        Marked = "marked",
        /// Services were asked for what is new.
        Synced = "synced",
        /// A plan was written down to be read.
        Drafted = "drafted",
        /// A draft became the plan that is followed.
        Committed = "committed",
        /// A part of a proposal, or all of it.
        Applied = "applied",
        /// A change by hand.
        Edited = "edited",
        /// Back to an older revision.
        Reverted = "reverted",
        /// A proposal is off the table.
        Discarded = "discarded",
        /// An activity counts for a workout.
        Matched = "matched",
        /// It does not.
        NotMatched = "not-matched",
        /// What was said about a workout was taken back.
        Unmatched = "unmatched",
        /// The coming workouts are on their way to a watch.
        Sent = "sent",
        /// Something deleted is back.
        Restored = "restored",
    }
}

impl Flash {
    /// The word after `done=` in an address.
    pub(crate) fn from_query(query: &str) -> Option<Self> {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(name, _)| name == "done").and_then(|(_, word)| word.parse().ok())
    }

    /// What is said.
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::Saved => "Saved.",
            Self::SignedOut => "Signed out.",
            Self::Archived => "Archived. You keep the plan with its verdicts.",
            Self::Deleted => "Deleted.",
            Self::Noted => "Noted.",
            Self::Marked => "Marked. Those days are left out of adherence.",
            Self::Synced => "Asked for what is new.",
            Self::Drafted => "Kept as a draft. Nothing is tracked until you commit it.",
            Self::Committed => "Committed. This is the plan you follow now.",
            Self::Applied => "Applied. Below is what changed; it can be taken back.",
            Self::Edited => "Saved. Below is what changed; it can be taken back.",
            Self::Reverted => "Gone back. Below is what changed.",
            Self::Discarded => "The proposal is off the table; the plan stays as it is.",
            Self::Matched => "It counts for this workout now.",
            Self::NotMatched => "Noted: it was another workout. It is not asked again.",
            Self::Unmatched => "Taken back: the workout is judged by its own day again.",
            Self::Sent => {
                "Sent: your calendar at intervals.icu has the coming workouts, and hands them on to your watch."
            }
            Self::Restored => "It is back, with everything it meant.",
        }
    }
}
