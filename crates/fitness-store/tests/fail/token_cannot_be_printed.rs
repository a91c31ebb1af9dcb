//! A secret is revealed on purpose or not at all.
use fitness_store::Token;

fn show(token: Token) -> String {
    token.to_string()
}

fn main() {}
