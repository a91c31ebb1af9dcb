//! What a page says once after something was done. The address carries a word; the sentence is ours.

use fitness_core::words;

words! {
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
        /// Services were asked for what is new.
        Synced = "synced",
        /// Something deleted is back.
        Restored = "restored",
    }
}

impl Flash {
    /// The word after `done=` in an address.
    pub(crate) fn read(query: &str) -> Option<Self> {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(name, _)| name == "done").and_then(|(_, word)| word.parse().ok())
    }

    /// What is said.
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::Saved => "Saved.",
            Self::SignedOut => "Signed out.",
            Self::Archived => "Archived. You keep the plan with its verdicts.",
            Self::Deleted => "Deleted.",
            Self::Noted => "Noted.",
            Self::Synced => "Asked for what is new.",
            Self::Restored => "It is back, with everything it meant.",
        }
    }
}
