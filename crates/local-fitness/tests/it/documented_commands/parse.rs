//! Parses commands quoted in Markdown documents.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuotedCommand {
    /// Such as `README.md:39`.
    pub(crate) location: String,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) words: Vec<String>,
}

impl QuotedCommand {
    pub(crate) fn describe(&self) -> String {
        format!("{} `fitness {}`", self.location, self.words.join(" "))
    }
}

/// Other commands in the documents, which are not run.
const EXTERNAL_COMMANDS: &[&str] = &["./check", "tailscale serve"];

/// Root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Names and texts of the documents.
pub(crate) fn documents() -> Vec<(String, String)> {
    let mut names: Vec<String> = ["README.md", "PRIVACY.md", "SECURITY.md"].map(str::to_owned).to_vec();
    let entries = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut inner: Vec<String> = entries.map(|name| format!("docs/{}", name.to_string_lossy())).collect();
    inner.retain(|name| name.ends_with(".md"));
    inner.sort();
    names.append(&mut inner);
    names
        .into_iter()
        .map(|name| {
            let text = std::fs::read_to_string(root().join(&name)).unwrap();
            (name, text)
        })
        .collect()
}

/// All `fitness` commands in console blocks, in order.
pub(crate) fn parse_console_blocks(name: &str, text: &str) -> Result<Vec<QuotedCommand>, String> {
    let mut found = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        }
        let Some(typed) = line.strip_prefix("$ ").filter(|_| inside) else { continue };
        let at = format!("{name}:{}", number + 1);
        for call in split_words(typed).split(|word| word == "&&") {
            found.extend(parse_call(&at, call)?);
        }
    }
    Ok(found)
}

/// Strips `fitness`, `cargo run --` and the like.
fn parse_call(at: &str, call: &[String]) -> Result<Option<QuotedCommand>, String> {
    let set = call.iter().take_while(|word| word.split_once('=').is_some_and(|(name, _)| is_variable(name)));
    let variables: Vec<(String, String)> = set
        .filter_map(|word| word.split_once('='))
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    let call = &call[variables.len()..];
    let rest = match call.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["fitness", ..] => &call[1..],
        ["cargo", "run", "--", ..] => &call[3..],
        ["cargo", "run", "--release", "--", ..] => &call[4..],
        // Started by another program: `claude mcp add NAME -- /path/to/fitness mcp`.
        words if words.contains(&"/path/to/fitness") => {
            let ours = words.iter().position(|word| *word == "/path/to/fitness").unwrap_or_default();
            &call[ours + 1..]
        }
        words if EXTERNAL_COMMANDS.iter().any(|known| words.join(" ").starts_with(known)) => return Ok(None),
        words => return Err(format!("{at} calls `{}`, which no test runs", words.join(" "))),
    };
    Ok(Some(QuotedCommand { location: at.to_owned(), variables, words: rest.to_vec() }))
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

/// Splits like a shell: quotes, and comments to the end of the line.
fn split_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// All `fitness …` commands in inline code.
pub(crate) fn parse_inline_code(name: &str, text: &str) -> Vec<QuotedCommand> {
    let mut prose = String::new();
    let mut inside = false;
    for line in text.lines() {
        inside ^= line.starts_with("```");
        prose.push_str(if inside || line.starts_with("```") { "" } else { line });
        prose.push('\n');
    }
    let spans = prose.split('`').skip(1).step_by(2);
    let ours = spans.filter_map(|span| span.trim().strip_prefix("fitness "));
    ours.map(|call| QuotedCommand {
        location: name.to_owned(),
        variables: Vec::new(),
        words: split_words(&call.replace('\n', " ")),
    })
    .collect()
}

#[test]
fn console_lines_split_like_a_shell() {
    let text = "```console\n$ A_B=x fitness note add \"calf is # tight\" --on 1  # why\n$ fitness sync && fitness brief\n```\n$ fitness not here\n";
    let found = parse_console_blocks("x", text).unwrap();
    assert_eq!(found[0].words, ["note", "add", "calf is # tight", "--on", "1"]);
    assert_eq!(found[0].variables, [("A_B".to_owned(), "x".to_owned())]);
    assert_eq!((found[0].location.as_str(), found.len()), ("x:2", 3));
    assert_eq!(found[2].words, ["brief"]);
    let started =
        parse_console_blocks("x", "```console\n$ claude mcp add x -- /path/to/fitness mcp\n$ ./check\n```")
            .unwrap();
    assert_eq!(started[0].words, ["mcp"]);
    assert!(
        parse_console_blocks("x", "```console\n$ fitnes serve\n```")
            .unwrap_err()
            .contains("x:2 calls `fitnes serve`")
    );
    assert_eq!(
        parse_inline_code("x", "Say `fitness plan\nshow 1` or `plan show`.\n```sh\n`fitness no`\n```\n")[0]
            .words,
        ["plan", "show", "1"]
    );
}
