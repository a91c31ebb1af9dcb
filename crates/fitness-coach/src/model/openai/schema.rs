//! Simplifies and bounds JSON Schemas for llama.cpp, which turns them into a grammar and rejects
//! keywords it does not know. Without bounds, small models write endlessly.

use serde_json::{Map, Value, json};

/// The most letters of a text that an answer may have. A grammar repeats letters, and some builds
/// limit that.
pub(super) const MAX_STRING_LENGTH: u64 = 2000;
/// The most letters of a text whose schema does not say.
const DEFAULT_STRING_LENGTH: u64 = 500;
/// The most entries of a list whose schema does not say.
const DEFAULT_MAX_ITEMS: u64 = 64;

/// The same schema without what only validators know, without references, and with bounds.
pub(super) fn simplify(schema: &Value) -> Value {
    Simplifier { root: schema, open_refs: Vec::new() }.simplify(schema)
}

struct Simplifier<'a> {
    root: &'a Value,
    /// The references that are being followed. What refers to itself never ends.
    open_refs: Vec<&'a str>,
}

impl<'a> Simplifier<'a> {
    fn simplify(&mut self, schema: &'a Value) -> Value {
        // `true` allows anything.
        let Some(schema) = schema.as_object() else { return json!({}) };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let found = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            let Some(found) = found.filter(|_| !self.open_refs.contains(&target)) else { return json!({}) };
            self.open_refs.push(target);
            let plain = self.simplify(found);
            self.open_refs.pop();
            return plain;
        }
        // Beside named keys these only say which of them go together, which no grammar says;
        // whoever reads the answer does.
        let alternatives =
            if schema.contains_key("properties") { &[][..] } else { &["anyOf", "oneOf", "allOf"] };
        for word in alternatives {
            if let Some(any) = schema.get(*word).and_then(Value::as_array) {
                let any: Vec<Value> = any.iter().map(|one| self.simplify(one)).collect();
                return match any.as_slice() {
                    [one] => one.clone(),
                    [one, ..] if *word == "allOf" => one.clone(),
                    _ => json!({ "anyOf": any }),
                };
            }
        }
        if let Some(types) = schema.get("type").and_then(Value::as_array) {
            let any: Vec<Value> = types
                .iter()
                .filter_map(Value::as_str)
                .map(|kind| self.simplify_typed(schema, kind))
                .collect();
            return json!({ "anyOf": any });
        }
        self.simplify_typed(schema, schema.get("type").and_then(Value::as_str).unwrap_or_default())
    }

    /// A schema that is of this type, whatever it says itself.
    fn simplify_typed(&mut self, schema: &'a Map<String, Value>, kind: &str) -> Value {
        let mut plain = Map::new();
        if !kind.is_empty() {
            plain.insert("type".to_owned(), kind.into());
        }
        for word in ["enum", "const", "required", "minLength", "minItems"] {
            if let Some(value) = schema.get(word) {
                plain.insert(word.to_owned(), value.clone());
            }
        }
        if plain.contains_key("enum") || plain.contains_key("const") {
            plain.retain(|word, _| matches!(word.as_str(), "type" | "enum" | "const"));
            return Value::Object(plain);
        }
        match kind {
            "string" => {
                let most = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(DEFAULT_STRING_LENGTH);
                let pattern = schema.get("pattern").and_then(Value::as_str);
                match pattern.filter(|pattern| pattern.starts_with('^') && pattern.ends_with('$')) {
                    Some(pattern) => plain.insert("pattern".to_owned(), pattern.into()),
                    None => plain.insert("maxLength".to_owned(), most.min(MAX_STRING_LENGTH).into()),
                };
            }
            "array" => {
                let most = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(DEFAULT_MAX_ITEMS);
                plain.insert("maxItems".to_owned(), most.into());
                let items = schema.get("items").map_or_else(|| json!({}), |items| self.simplify(items));
                plain.insert("items".to_owned(), items);
            }
            "integer" => {
                for (word, otherwise) in [("minimum", -1_000_000_i64), ("maximum", 1_000_000)] {
                    let bound = schema.get(word).and_then(Value::as_i64).unwrap_or(otherwise);
                    plain.insert(word.to_owned(), bound.into());
                }
            }
            "object" => {
                if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                    let properties = properties.iter().map(|(name, one)| (name.clone(), self.simplify(one)));
                    plain.insert("properties".to_owned(), Value::Object(properties.collect()));
                }
                plain.insert("additionalProperties".to_owned(), false.into());
            }
            _ => {}
        }
        Value::Object(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validation_keywords_are_removed_and_bounds_added() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Look",
            "type": "object",
            "properties": {
                "day": {"type": "string", "format": "date", "description": "which"},
                "note": {"type": ["string", "null"], "maxLength": 90_000},
                "kind": {"$ref": "#/$defs/Kind"},
                "many": {"type": "array", "items": {"type": "integer", "minimum": 0, "format": "uint8"}, "uniqueItems": true},
                "code": {"type": "string", "pattern": "^[a-z]{3}$"},
                "loose": {"type": "string", "pattern": "[a-z]"},
                "either": {"oneOf": [{"type": "boolean"}, {"const": "x", "title": "X"}]},
            },
            "required": ["day"],
            "$defs": {"Kind": {"type": "string", "enum": ["easy", "long"], "title": "Kind"}},
        });
        assert_eq!(
            simplify(&schema),
            json!({
                "type": "object",
                "properties": {
                    "day": {"type": "string", "maxLength": 500},
                    "note": {"anyOf": [{"type": "string", "maxLength": 2000}, {"type": "null"}]},
                    "kind": {"type": "string", "enum": ["easy", "long"]},
                    "many": {"type": "array", "maxItems": 64, "items": {"type": "integer", "minimum": 0, "maximum": 1_000_000}},
                    "code": {"type": "string", "pattern": "^[a-z]{3}$"},
                    "loose": {"type": "string", "maxLength": 500},
                    "either": {"anyOf": [{"type": "boolean"}, {"const": "x"}]},
                },
                "required": ["day"],
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let endless = json!({"$ref": "#"});
        assert_eq!(simplify(&endless), json!({}));
        let tree = json!({
            "type": "object",
            "properties": {"more": {"$ref": "#"}},
        });
        assert_eq!(
            simplify(&tree),
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {"more": {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {"more": {}},
                }},
            })
        );
        assert_eq!(simplify(&json!({"$ref": "#/nowhere"})), json!({}));
        assert_eq!(simplify(&json!(true)), json!({}));
    }

    proptest::proptest! {
        #[test]
        fn simplify_never_panics(schema in crate::model::arbitrary_json::arbitrary_json()) {
            let _ = simplify(&schema);
        }
    }
}
