//! Neither a question nor a token is a consent.
use fitness_store::Consent;
use fitness_store::plan::consent::Question;

fn from_a_question(question: Question) -> Consent {
    question.into()
}

fn main() {}
