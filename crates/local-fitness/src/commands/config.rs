//! `fitness config`: what is set, by whom, and what can be.

use crate::config::{From, KEYS, Key, Settings};
use crate::output::Report;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::untrusted_text::visible;
use serde_json::json;

pub(super) fn run(settings: &Settings, keys: bool) -> Result<Report> {
    if keys { Ok(all_there_are()) } else { what_holds(settings) }
}

/// What can be set, as a table that documents can hold.
fn all_there_are() -> Report {
    let mut text = String::from(
        "| in `config.toml` | variable | argument | when not said | what |\n|---|---|---|---|---|\n",
    );
    for Key { name, variable, argument, usual, meaning } in KEYS {
        let code = |word: &Option<&str>| word.map(|word| format!("`{word}`")).unwrap_or_default();
        text += &format!("| `{name}` | {} | {} | {usual} | {meaning} |\n", code(variable), code(argument));
    }
    let data: Vec<_> = KEYS
        .iter()
        .map(|key| {
            json!({ "key": key.name, "variable": key.variable, "argument": key.argument, "usual": key.usual,
                "meaning": key.meaning })
        })
        .collect();
    Report::new(text, &data)
}

fn what_holds(settings: &Settings) -> Result<Report> {
    let all = settings.all()?;
    let said_by = |key: &Key, from| match (from, key.variable) {
        (From::Environment, Some(variable)) => variable.to_owned(),
        (From::File, _) => "the file".to_owned(),
        _ => "nobody".to_owned(),
    };
    let rows: Vec<_> = all
        .iter()
        .map(|(key, value, from)| [key.name.to_owned(), visible(value).to_string(), said_by(key, *from)])
        .collect();
    let file = match settings.path() {
        Some(path) => format!("The file is {}.", path.display()),
        None => "There is no file of settings; `fitness config --keys` tells what it could say.".to_owned(),
    };
    let data: Vec<_> = all
        .iter()
        .map(|(key, value, from)| json!({ "key": key.name, "value": value, "from": from }))
        .collect();
    let text = format!("{}\n\n{file}", table(["setting", "value", "said by"], &rows).trim_end());
    Ok(Report::new(text, &json!({ "file": settings.path(), "settings": data })))
}
