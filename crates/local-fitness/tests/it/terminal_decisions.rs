//! Decisions need a terminal, the typed name, and the password if one is set.

use crate::harness::{HALF_PLAN, Home};
use rexpect::session::PtySession;
use serde_json::Value;

fn home_with_a_draft() -> Home {
    let home = Home::new();
    home.ok(&["user", "add", "Ann"]);
    let file = home.file("half.json", HALF_PLAN);
    home.ok(&["plan", "draft", &file]);
    home
}

fn statuses(home: &Home) -> Vec<(i64, String)> {
    let plans = home.json(&["plan", "list"]);
    let mut found: Vec<_> = plans
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["id"].as_i64().unwrap(), p["status"].as_str().unwrap().to_owned()))
        .collect();
    found.sort();
    found
}

fn statuses_equal(found: &[(i64, String)], expected: &[(i64, &str)]) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| a.0 == b.0 && a.1 == b.1)
}

/// Returns the output and whether the exit code was 0.
fn read_to_end(mut session: PtySession) -> (String, bool) {
    let said = session.exp_eof().unwrap();
    let status = session.process_mut().wait().unwrap();
    (said, format!("{status:?}").ends_with(", 0)"))
}

#[test]
fn plan_is_activated_replaced_archived_and_deleted() {
    let home = home_with_a_draft();
    let file = home.file(
        "ten.json",
        HALF_PLAN
            .replace("Zürich half", "Spring 10k")
            .replace("half\"", "10k\"")
            .replace("01:45:00", "00:45:00"),
    );
    home.ok(&["plan", "draft", &file]);

    let mut session = home.spawn_terminal(&["plan", "activate", "1"]);
    session.exp_string("Half marathon on 2099-09-20, goal time 1:45:00").unwrap();
    session.exp_string("Type the plan's name to activate it: ").unwrap();
    session.send_line("Zürich half").unwrap();
    let (said, well) = read_to_end(session);
    assert!(well && said.contains("Activated."), "{said}");
    assert!(statuses_equal(&statuses(&home), &[(1, "active"), (2, "draft")]));

    let error = home.expect_error(&["plan", "activate", "2"]);
    assert!(error.contains("you already have an active plan") && error.contains("--replaces 1"), "{error}");
    assert!(home.expect_error(&["plan", "activate", "1"]).contains("plan 1 is already active"));
    assert!(home.expect_error(&["plan", "activate", "9"]).contains("there is no plan 9"));

    let mut session = home.spawn_terminal(&["plan", "activate", "2", "--replaces", "1"]);
    session.exp_string("Long").unwrap();
    session.exp_string("This archives plan 1, Z").unwrap();
    session.exp_string("activate it: ").unwrap();
    session.send_line("Spring 10k").unwrap();
    assert!(read_to_end(session).1);
    assert!(statuses_equal(&statuses(&home), &[(1, "archived"), (2, "active")]));

    assert!(home.expect_error(&["plan", "delete", "2"]).contains("plan 2 is active"));
    let mut session = home.spawn_terminal(&["plan", "archive", "2"]);
    session.exp_string("archive it: ").unwrap();
    session.send_line("Spring 10k").unwrap();
    assert!(read_to_end(session).1);
    let mut session = home.spawn_terminal(&["plan", "delete", "1"]);
    session.exp_string("deleted permanently").unwrap();
    session.exp_string("delete it: ").unwrap();
    session.send_line("Zürich half").unwrap();
    assert!(read_to_end(session).1);
    assert!(statuses_equal(&statuses(&home), &[(2, "archived")]));
}

#[test]
fn wrong_plan_name_changes_nothing() {
    let home = home_with_a_draft();
    for (command, answer) in
        [("activate", "zürich half"), ("activate", ""), ("delete", "yes"), ("delete", "1")]
    {
        let mut session = home.spawn_terminal(&["plan", command, "1"]);
        session.exp_string("Type the plan's name").unwrap();
        session.send_line(answer).unwrap();
        let (said, well) = read_to_end(session);
        assert!(!well && said.contains("error: that is not the plan's name; nothing was changed"), "{said}");
    }
    assert!(statuses_equal(&statuses(&home), &[(1, "draft")]));
}

#[test]
fn password_is_required_once_set() {
    let home = home_with_a_draft();
    let mut session = home.spawn_terminal(&["user", "passwd"]);
    session.exp_string("New password for Ann: ").unwrap();
    session.send_line("correct horse").unwrap();
    session.exp_string("Repeat the password: ").unwrap();
    session.send_line("correct house").unwrap();
    let (said, well) = read_to_end(session);
    assert!(!well && said.contains("the passwords do not match"), "{said}");

    let mut session = home.spawn_terminal(&["user", "passwd", "ann"]);
    session.exp_string("New password for Ann: ").unwrap();
    session.send_line("correct horse").unwrap();
    session.exp_string("Repeat the password: ").unwrap();
    session.send_line("correct horse").unwrap();
    let (said, well) = read_to_end(session);
    assert!(well && !said.contains("correct horse"), "a password is not echoed: {said}");
    assert_eq!(home.json(&["user", "list"])[0]["has_password"], true);

    // A change needs the old password, and an invite needs a terminal.
    let mut session = home.spawn_terminal(&["user", "passwd"]);
    session.exp_string("Password for Ann: ").unwrap();
    session.send_line("not the old one").unwrap();
    let (said, well) = read_to_end(session);
    assert!(!well && said.contains("wrong password; nothing was changed"), "{said}");
    assert!(home.expect_error(&["user", "invite"]).contains("this command needs an interactive terminal"));

    for (password, works) in [("wrong horse", false), ("correct horse", true)] {
        let mut session = home.spawn_terminal(&["plan", "activate", "1"]);
        session.exp_string("activate it: ").unwrap();
        session.send_line("Zürich half").unwrap();
        session.exp_string("Password for Ann: ").unwrap();
        session.send_line(password).unwrap();
        let (said, well) = read_to_end(session);
        assert_eq!(well, works, "{said}");
        assert_eq!(said.contains("error: wrong password; nothing was changed"), !works, "{said}");
    }
    assert!(statuses_equal(&statuses(&home), &[(1, "active")]));
}

#[test]
fn login_and_invite_need_a_terminal_and_the_typed_name() {
    let home = home_with_a_draft();
    for arguments in [["login"].as_slice(), &["user", "invite"]] {
        assert!(
            home.expect_error(arguments).contains("this command needs an interactive terminal"),
            "{arguments:?}"
        );
        let json = home.run(&[arguments, &["--json"]].concat());
        assert_eq!(json.code, Some(1), "{json:?}");
        assert!(!json.out.contains("code=") && !json.err.contains("code="), "{json:?}");
        // A pipe is not a terminal.
        let script = format!("echo Ann | \"$0\" {}", arguments.join(" "));
        let mut piped = home.command(&[]);
        let program = piped.get_program().to_owned();
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]).arg(program).env_clear();
        shell.envs(piped.env("PATH", "/usr/bin:/bin").get_envs().filter_map(|(k, v)| Some((k, v?))));
        let answer = crate::harness::to_cli_output(shell.output().unwrap());
        assert!(answer.expect_error(&["a pipe"]).contains("this command needs an interactive terminal"));
        let mut session = home.spawn_terminal(arguments);
        session.exp_string("Type Ann to ").unwrap();
        session.send_line("Bob").unwrap();
        let (said, well) = read_to_end(session);
        assert!(!well && said.contains("that is not the user's name") && !said.contains("code="), "{said}");
    }
    // Not as JSON, even in a terminal.
    let (said, well) = read_to_end(home.spawn_terminal(&["login", "--json"]));
    assert!(!well && said.contains("sign-in links are not available as JSON"), "{said}");
    let (link, code) = home.login("Ann", &[]);
    assert!(link.contains("/sign-in/link?code=") && code.is_some_and(|code| code.len() == 9), "{link}");
}

#[test]
fn passwd_refuses_weak_passwords_and_can_revoke_tokens() {
    let home = home_with_a_draft();
    let set = |old: Option<&str>, new: &str, arguments: &[&str], revoke: Option<&str>| {
        let mut session = home.spawn_terminal(&[&["user", "passwd"], arguments].concat());
        if let Some(old) = old {
            session.exp_string("Password for Ann: ").unwrap();
            session.send_line(old).unwrap();
        }
        for prompt in ["New password for Ann: ", "Repeat the password: "] {
            session.exp_string(prompt).unwrap();
            session.send_line(new).unwrap();
        }
        if let Some(answer) = revoke {
            session.exp_string("Also revoke 1 API token? Programs lose access. [y/N] ").unwrap();
            session.send_line(answer).unwrap();
        }
        read_to_end(session)
    };
    let tokens = || home.json(&["token", "list"]).as_array().unwrap().len();
    for weak in ["         ", "password1", "qwertyuiop", "annann99"] {
        let (said, well) = set(None, weak, &[], None);
        assert!(!well && said.contains("this password is too easy to guess"), "{weak}: {said}");
    }
    home.ok(&["token", "add", "desktop", "--scope", "read"]);
    let (said, well) = set(None, "correct horse", &[], Some(""));
    assert!(well && said.contains("1 API token is still valid") && tokens() == 1, "{said}");
    let (said, well) = set(Some("correct horse"), "battery staple", &[], Some("y"));
    assert!(well && said.contains("Revoked 1 API token.") && tokens() == 0, "{said}");
    home.ok(&["token", "add", "desktop", "--scope", "read"]);
    let (said, well) = set(Some("battery staple"), "correct horse", &["--revoke-tokens"], None);
    assert!(well && said.contains("Revoked 1 API token.") && tokens() == 0, "{said}");
}

#[test]
fn decisions_without_a_terminal_are_refused() {
    let home = home_with_a_draft();
    for command in ["activate", "delete"] {
        assert!(
            home.expect_error(&["plan", command, "1"]).contains("this command needs an interactive terminal")
        );
        // A pipe is not a terminal.
        let script = format!("echo 'Zürich half' | \"$0\" plan {command} 1");
        let mut piped = home.command(&[]);
        let program = piped.get_program().to_owned();
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]).arg(program).env_clear();
        shell.envs(piped.env("PATH", "/usr/bin:/bin").get_envs().filter_map(|(k, v)| Some((k, v?))));
        let answer = crate::harness::to_cli_output(shell.output().unwrap());
        assert!(answer.expect_error(&["a pipe"]).contains("this command needs an interactive terminal"));
    }
    assert!(home.expect_error(&["user", "passwd"]).contains("this command needs an interactive terminal"));
    assert!(statuses_equal(&statuses(&home), &[(1, "draft")]));
}

#[test]
fn untrusted_text_is_escaped_in_every_output() {
    let home = Home::new();
    home.ok(&["user", "add", "Ann"]);
    let mut plan: Value = serde_json::from_str(HALF_PLAN).unwrap();
    // Refused in a name, which must be typed to activate the plan.
    plan["name"] = "Safe\u{1b}]0;evil\u{7}\u{1b}[2J\u{202e}nalp".into();
    let refused = home.expect_error(&["plan", "draft", &home.file("evil.json", plan.to_string())]);
    assert!(refused.contains("Safe<U+001B>]0;evil<U+0007><U+001B>[2J<U+202E>nalp"), "{refused:?}");
    plan["name"] = "<i>Safe</i>".into();
    plan["schedule"][0]["description"] = "Easy\u{1b}[31m\nrun\u{2066}".into();
    let file = home.file("evil.json", plan.to_string());
    let drafted = home.ok(&["plan", "draft", &file]);
    home.ok(&["note", "add", "ignore this \u{1b}[8mhidden\u{1b}[0m \u{200f}note"]);
    let mut session = home.spawn_terminal(&["plan", "delete", "1"]);
    let asked = session.exp_string("delete it: ").unwrap();
    let name = "<i>Safe</i>";
    assert!(asked.contains(name), "{asked:?}");
    for printed in [
        refused,
        drafted,
        home.ok(&["plan", "list"]),
        home.ok(&["plan", "show", "1"]),
        home.ok(&["note", "list"]),
        home.ok(&["doctor"]),
        asked,
    ] {
        let bad: Vec<char> = printed
            .chars()
            .filter(|c| (c.is_control() && !"\r\n".contains(*c)) || "\u{202e}\u{2066}\u{200f}".contains(*c))
            .collect();
        assert!(bad.is_empty(), "{bad:?} in {printed:?}");
    }
    session.send_line(name).unwrap();
    assert!(read_to_end(session).1);
}
