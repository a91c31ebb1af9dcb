//! Neither a confirmation request nor a token is a consent.
use fitness_store::Consent;
use fitness_store::plan::consent::ConfirmationRequest;

fn from_a_request(request: ConfirmationRequest) -> Consent {
    request.into()
}

fn main() {}
