//! Commands in service units, timers and container images.

use super::parse::{QuotedCommand, root};
use super::{home_without_storage, run_without_storage};

/// The files that start the program.
const FILES: &[&str] = &[
    "Dockerfile",
    "deploy/compose.sqlite.yaml",
    "deploy/crontab",
    "deploy/launchd/local-fitness.backup.plist",
    "deploy/launchd/local-fitness.morning.plist",
    "deploy/launchd/local-fitness.serve.plist",
    "deploy/systemd-user/fitness-backup.service",
    "deploy/systemd-user/fitness-morning.service",
    "deploy/systemd-user/fitness.service",
    "deploy/systemd/fitness.service",
];

/// Every call of `fitness` in such a file: `/fitness WORDS` on a line, `CMD ["WORD", …]`, or
/// `<string>…/fitness</string>` and what follows.
fn parse_calls(name: &str, text: &str) -> Vec<QuotedCommand> {
    let mut found = Vec::new();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let mut add = |words: Vec<String>| {
            found.push(QuotedCommand {
                location: format!("{name}:{}", number + 1),
                variables: Vec::new(),
                words,
            });
        };
        if line.ends_with("/fitness</string>") {
            let inside =
                |line: &&str| Some(line.strip_prefix("<string>")?.strip_suffix("</string>")?.to_owned());
            add(lines[number + 1..].iter().map_while(inside).collect());
        } else if line.starts_with("COPY ") {
            // A path, not a command.
        } else if let Some((_, list)) = line.split_once("CMD ").or_else(|| line.split_once("command: ")) {
            let words: Vec<String> = serde_json::from_str(list).unwrap();
            add(words.into_iter().filter(|word| word != "fitness").collect());
        } else {
            for after in line.split("/fitness ").skip(1) {
                let call = after.split([';', '>', '&', '<']).next().unwrap_or_default();
                add(call.split_whitespace().map(str::to_owned).collect());
            }
        }
    }
    found
}

fn unparsable_commands(name: &str, text: &str) -> Vec<String> {
    let home = home_without_storage();
    let wrong = |call: &QuotedCommand| !matches!(run_without_storage(&home, &call.words).code, Some(0 | 1));
    parse_calls(name, text).iter().filter(|call| wrong(call)).map(QuotedCommand::describe).collect()
}

#[test]
fn commands_in_service_files_parse() {
    for name in FILES {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        assert!(!parse_calls(name, &text).is_empty(), "{name} has no command");
        assert_eq!(unparsable_commands(name, &text), Vec::<String>::new());
    }
    let of = |name: &str, text: &str| unparsable_commands(name, text).len();
    assert_eq!(of("x", "ExecStart=%h/.local/bin/fitness server --no-open"), 1);
    assert_eq!(of("x", "CMD [\"serve\", \"--bind\", \"all\"]"), 1);
    assert_eq!(
        of("x", "<string>/usr/bin/fitness</string>\n<string>serve</string>\n<string>--opne</string>"),
        1
    );
    assert_eq!(
        of("x", "30 6 * * *  { $HOME/.local/bin/fitness sync; $HOME/.local/bin/fitness breif; } > /dev/null"),
        1
    );
}
