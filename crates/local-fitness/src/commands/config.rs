//! `fitness config`: settings and where they come from.

use crate::config::{AppConfig, SETTINGS, SettingInfo, SettingOrigin};
use crate::output::CommandOutput;
use crate::table::table;
use anyhow::Result;
use fitness_core::domain::untrusted_text::escape_invisible;
use serde_json::json;

pub(super) fn run(settings: &AppConfig, keys: bool) -> Result<CommandOutput> {
    if keys { Ok(list_settings()) } else { show_settings(settings) }
}

/// Every setting with its names, default and description; docs/configuration.md has the same.
fn list_settings() -> CommandOutput {
    let mut text = String::new();
    for SettingInfo { name, variable, argument, default, description } in SETTINGS {
        let named = |what: &str, word: &Option<&str>| word.map(|word| format!("{what} {word}"));
        let default = (!default.is_empty()).then(|| format!("default: {}", default.replace('`', "")));
        let names = [named("environment", variable), named("command line", argument), default];
        let names: Vec<String> = names.into_iter().flatten().collect();
        text += &format!("{name}\n  {}\n  {}\n\n", description.replace('`', ""), names.join("; "));
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

fn show_settings(settings: &AppConfig) -> Result<CommandOutput> {
    let all = settings.list()?;
    let origin = |key: &SettingInfo, from| match (from, key.variable) {
        (SettingOrigin::Environment, Some(variable)) => variable.to_owned(),
        (SettingOrigin::File, _) => "config.toml".to_owned(),
        _ => "default".to_owned(),
    };
    let rows: Vec<_> = all
        .iter()
        .map(|(key, value, from)| {
            [key.name.to_owned(), escape_invisible(value).to_string(), origin(key, *from)]
        })
        .collect();
    let file = match settings.path() {
        Some(path) => format!("Configuration file: {}", path.display()),
        None => "No config.toml; `fitness config --keys` describes every setting.".to_owned(),
    };
    let data: Vec<_> = all
        .iter()
        .map(|(key, value, from)| json!({ "key": key.name, "value": value, "from": from }))
        .collect();
    let text = format!("{}\n\n{file}", table(["setting", "value", "source"], &rows).trim_end());
    Ok(CommandOutput::new(text, &json!({ "file": settings.path(), "settings": data })))
}
