//! The pages in a real browser, against the real binary: Chromium, driven by the scripts in `tests/browser`.
//!
//! Needs Chromium, Node.js and two packages of npm's, which `./check` fetches where it can; skipped loudly where not.

use crate::harness::Home;
use fitness_store::testkit;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// The demo's server, for as long as this lives.
struct Demo {
    process: Child,
    base: String,
    link: String,
}

impl Drop for Demo {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn demo(home: &Home) -> Demo {
    let mut command = home.command(&["demo", "--port", "0", "--no-open"]);
    let mut process =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let said = BufReader::new(process.stderr.take().unwrap());
    let mut lines = said.lines();
    let link = loop {
        let line = lines.next().expect("it prints a link").unwrap();
        if let Some(at) = line.find("http://").filter(|_| line.contains("code=")) {
            break line[at..].trim().to_owned();
        }
    };
    // Whatever else it says is read, so that it never waits for somebody to listen.
    std::thread::spawn(move || lines.for_each(drop));
    let base = link.split("/sign-in").next().unwrap_or_default().to_owned();
    Demo { process, base, link }
}

fn walk(name: &str) {
    let modules = std::env::var("FITNESS_NODE_MODULES").unwrap_or_default();
    let there = |package: &str| std::path::Path::new(&modules).join(package).is_dir();
    let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let chromium = chromium.into_iter().find(|path| std::path::Path::new(path).exists());
    let (Some(chromium), true) = (chromium, there("playwright-core") && there("axe-core")) else {
        testkit::skip(name, "no Chromium, or no playwright-core and axe-core in FITNESS_NODE_MODULES");
        return;
    };
    let home = Home::new();
    let demo = demo(&home);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/walk.mjs");
    let output = Command::new("node")
        .args([script, name])
        .env("FITNESS_BASE", &demo.base)
        .env("FITNESS_LINK", &demo.link)
        .env("FITNESS_CHROMIUM", chromium)
        .output();
    let output = output.expect("node is there where its packages are");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

macro_rules! walks {
    ($($name:ident = $script:literal;)+) => { $( #[test] fn $name() { walk($script); } )+ };
}

walks! {
    every_page_is_fine_in_light_and_dark_and_on_a_phone = "everyPage";
    the_first_visit_tells_what_to_do_and_why = "firstVisit";
    everything_can_be_reached_without_a_mouse = "keyboard";
    everything_but_streaming_works_without_a_script = "withoutScript";
    the_coach_answers_as_it_goes_and_decides_nothing = "talking";
}
