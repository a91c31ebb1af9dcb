//! Reads API keys. Never from an argument, which other users of the machine can see.

use crate::confirm;
use crate::error::CliError;
use anyhow::{Context as _, Result};
use secrecy::{ExposeSecret, SecretString};
use std::io::{IsTerminal, Read};
use std::path::Path;

const MAX_KEY_BYTES: u64 = 16 << 10;

/// Reads a key from a file, standard input, the environment or a prompt. `page` is where to create
/// one.
pub(crate) fn read_key(file: Option<&Path>, variable: Option<&str>, page: &str) -> Result<SecretString> {
    let text = match file {
        Some(path) if path == Path::new("-") => {
            read_limited(std::io::stdin()).context("cannot read standard input")?
        }
        Some(path) => {
            let file =
                std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            read_limited(file).with_context(|| format!("cannot read {}", path.display()))?
        }
        None => match variable.and_then(|variable| std::env::var(variable).ok()) {
            Some(key) => key,
            None if !std::io::stdin().is_terminal() => {
                let help = "pass the key with --key-file FILE, or --key-file - to read standard input";
                return Err(CliError::new("cannot ask for the key without a terminal", help).into());
            }
            None => {
                eprintln!("Create an API key at {page} and paste it here. It is not shown.");
                return confirm::ask_secret("Key: ");
            }
        },
    };
    let text: SecretString = text.trim().to_owned().into();
    if text.expose_secret().len() as u64 > MAX_KEY_BYTES {
        return Err(CliError::new("this is too long for an API key", "copy only the key").into());
    }
    if text.expose_secret().is_empty() {
        return Err(CliError::new("the API key is empty", "copy it again").into());
    }
    Ok(text)
}

/// Reads just enough to detect that the input is too long.
fn read_limited(reader: impl Read) -> std::io::Result<String> {
    let mut text = String::new();
    reader.take(MAX_KEY_BYTES + 2).read_to_string(&mut text)?;
    Ok(text)
}
