//! Keys of services, as they are given: never as an argument, which others on this machine can read.

use crate::confirm;
use crate::error::CliError;
use anyhow::{Context as _, Result};
use secrecy::{ExposeSecret, SecretString};
use std::io::{IsTerminal, Read};
use std::path::Path;

/// No key is longer.
const MAX_KEY_BYTES: u64 = 16 << 10;

/// A key from a file, from standard input, from the environment, or typed without echo. The page is where one is made.
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
                let help = "give the key with --key-file FILE, or --key-file - to read standard input";
                return Err(CliError::new("there is no terminal to type the key at", help).into());
            }
            None => {
                eprintln!("Make a key at {page} and paste it here; it is not shown.");
                return confirm::ask_secret("Key: ");
            }
        },
    };
    let text: SecretString = text.trim().to_owned().into();
    if text.expose_secret().len() as u64 > MAX_KEY_BYTES {
        return Err(CliError::new("that is far too long for a key", "copy the key alone").into());
    }
    if text.expose_secret().is_empty() {
        return Err(CliError::new("the key is empty", "copy it again").into());
    }
    Ok(text)
}

/// As much as it takes to tell that it is no key.
fn read_limited(reader: impl Read) -> std::io::Result<String> {
    let mut text = String::new();
    reader.take(MAX_KEY_BYTES + 2).read_to_string(&mut text)?;
    Ok(text)
}
