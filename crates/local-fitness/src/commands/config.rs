//! `fitness config`: what is set, by whom, and what can be.

use crate::config::{SETTINGS, SettingInfo, SettingOrigin, Settings};
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use serde_json::json;

pub(super) fn run(settings: &Settings, keys: bool) -> Result<CommandOutput> {
    if keys { Ok(list_settings()) } else { show_settings(settings) }
}

/// What can be set, as a table that documents can hold.
fn list_settings() -> CommandOutput {
    let mut text = String::from(
        "| in `config.toml` | variable | argument | when not said | what |\n|---|---|---|---|---|\n",
    );
    for SettingInfo { name, variable, argument, default: usual, description: meaning } in SETTINGS {
        let code = |word: &Option<&str>| word.map(|word| format!("`{word}`")).unwrap_or_default();
        text += &format!("| `{name}` | {} | {} | {usual} | {meaning} |\n", code(variable), code(argument));
    }
    let data: Vec<_> = SETTINGS
        .iter()
        .map(|key| {
            json!({ "key": key.name, "variable": key.variable, "argument": key.argument, "usual": key.default,
                "meaning": key.description })
        })
        .collect();
    CommandOutput::new(text, &data)
}

fn show_settings(settings: &Settings) -> Result<CommandOutput> {
    let all = settings.list()?;
    let said_by = |key: &SettingInfo, from| match (from, key.variable) {
        (SettingOrigin::Environment, Some(variable)) => variable.to_owned(),
        (SettingOrigin::File, _) => "the file".to_owned(),
        _ => "nobody".to_owned(),
    };
    let rows: Vec<_> = all
        .iter()
        .map(|(key, value, from)| {
            [key.name.to_owned(), escape_invisible(value).to_string(), said_by(key, *from)]
        })
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
    Ok(CommandOutput::new(text, &json!({ "file": settings.path(), "settings": data })))
}
