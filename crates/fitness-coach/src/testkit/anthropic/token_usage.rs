//! Token usage of a request, estimated from its bytes, with a simulated prompt cache.

use crate::testkit::scenario::tokens_of_bytes;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// Below this nothing is cached, and nobody is told.
const MIN_CACHED_TOKENS: u64 = 512;
/// How far before a breakpoint something cached is looked for.
const MAX_LOOK_BACK: usize = 20;

#[derive(Debug, Default)]
pub(super) struct PromptCache {
    cached: BTreeSet<[u8; 32]>,
}

/// What a request took.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenCount {
    pub(super) input: u64,
    pub(super) cache_write: u64,
    pub(super) cache_read: u64,
}

struct Segment {
    hash: [u8; 32],
    /// Of this and everything before.
    tokens: u64,
    breakpoint: bool,
}

impl PromptCache {
    /// The size of a prompt.
    pub(super) fn prompt_tokens(&self, body: &Value) -> u64 {
        segments(body).last().map_or(0, |last| last.tokens)
    }

    /// Counts a request, and caches what it says.
    pub(super) fn count(&mut self, body: &Value) -> TokenCount {
        let segments = segments(body);
        let whole = segments.last().map_or(0, |last| last.tokens);
        let marks: Vec<usize> = (0..segments.len()).filter(|place| segments[*place].breakpoint).collect();
        let read = marks
            .iter()
            .rev()
            .flat_map(|mark| (mark.saturating_sub(MAX_LOOK_BACK)..=*mark).rev())
            .find(|place| self.cached.contains(&segments[*place].hash))
            .map_or(0, |place| segments[place].tokens);
        let written = marks.iter().map(|mark| segments[*mark].tokens).max().unwrap_or(0);
        let written = if written < MIN_CACHED_TOKENS { 0 } else { written.max(read) };
        for mark in marks.iter().filter(|mark| segments[**mark].tokens >= MIN_CACHED_TOKENS) {
            self.cached.insert(segments[*mark].hash);
        }
        TokenCount {
            input: whole - written.max(read),
            cache_write: written.saturating_sub(read),
            cache_read: read,
        }
    }
}

/// The prompt in the order in which it is cached: tools, system, messages.
fn segments(body: &Value) -> Vec<Segment> {
    let mut chain = Chain::new(&body["model"]);
    for tool in body["tools"].as_array().into_iter().flatten() {
        chain.add("tool", tool);
    }
    match &body["system"] {
        Value::Array(blocks) => blocks.iter().for_each(|block| chain.add("system", block)),
        Value::Null => {}
        text => chain.add("system", text),
    }
    // Another way to think or to choose tools makes another conversation of it.
    chain.hash_value(&body["thinking"]);
    chain.hash_value(&body["tool_choice"]);
    for turn in body["messages"].as_array().into_iter().flatten() {
        let role = turn["role"].as_str().unwrap_or_default();
        match &turn["content"] {
            Value::Array(blocks) => blocks.iter().for_each(|block| chain.add(role, block)),
            text => chain.add(role, text),
        }
    }
    chain.segments
}

struct Chain {
    hash: [u8; 32],
    tokens: u64,
    segments: Vec<Segment>,
}

impl Chain {
    fn new(model: &Value) -> Self {
        let mut chain = Self { hash: [0; 32], tokens: 0, segments: Vec::new() };
        chain.hash_value(model);
        chain
    }

    fn hash_value(&mut self, value: &Value) {
        let mut hash = Sha256::new();
        hash.update(self.hash);
        hash.update(value.to_string());
        self.hash = hash.finalize().into();
    }

    fn add(&mut self, what: &str, block: &Value) {
        let mut bare = block.clone();
        let mark = bare.as_object_mut().and_then(|fields| fields.remove("cache_control"));
        let text = format!("{what}{bare}");
        self.tokens += tokens_of_bytes(text.len());
        self.hash_value(&Value::String(text));
        let breakpoint = mark.is_some_and(|mark| !mark.is_null());
        self.segments.push(Segment { hash: self.hash, tokens: self.tokens, breakpoint });
    }
}
