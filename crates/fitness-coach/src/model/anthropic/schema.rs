//! Removes JSON Schema keywords that the API does not support: bounds, conditions, open objects.
//! Our own validation checks those.

use serde_json::{Map, Value};

/// What is refused in a shape.
const UNSUPPORTED_KEYWORDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "patternProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "$schema",
];

/// Formats of texts that are known.
const SUPPORTED_FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// The same shape without what is refused.
pub(super) fn strip_unsupported(schema: &Value) -> Value {
    match schema {
        Value::Object(schema) => Value::Object(strip_object(schema)),
        other => other.clone(),
    }
}

fn strip_object(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut plain = Map::new();
    for (word, value) in schema {
        let list = |value: &Value| match value {
            Value::Array(all) => all.iter().map(self::strip_unsupported).collect(),
            other => other.clone(),
        };
        let named = |value: &Value| match value {
            Value::Object(all) => {
                all.iter().map(|(name, one)| (name.clone(), self::strip_unsupported(one))).collect()
            }
            other => other.clone(),
        };
        match word.as_str() {
            word if UNSUPPORTED_KEYWORDS.contains(&word) => {}
            // Beside named keys they only say which of them go together.
            "anyOf" | "oneOf" | "allOf" if schema.contains_key("properties") => {}
            "minItems" if value.as_u64().is_none_or(|least| least > 1) => {}
            "format" if value.as_str().is_none_or(|format| !SUPPORTED_FORMATS.contains(&format)) => {}
            "oneOf" | "anyOf" => {
                plain.insert("anyOf".to_owned(), list(value));
            }
            "allOf" => {
                plain.insert(word.clone(), list(value));
            }
            "properties" | "$defs" | "definitions" => {
                plain.insert(word.clone(), named(value));
            }
            "items" => {
                plain.insert(word.clone(), self::strip_unsupported(value));
            }
            _ => {
                plain.insert(word.clone(), value.clone());
            }
        }
    }
    if plain.get("type").and_then(Value::as_str) == Some("object") {
        plain.insert("additionalProperties".to_owned(), false.into());
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bounds_are_stripped_from_the_schema() {
        let schema = json!({
            "$schema": "x",
            "type": "object",
            "properties": {
                "maximum": {"type": "integer", "maximum": 3, "format": "uint8"},
                "day": {"type": "string", "format": "date", "maxLength": 10},
                "list": {"type": "array", "items": {"$ref": "#/$defs/One"}, "minItems": 2, "maxItems": 3},
                "either": {"oneOf": [{"type": "object", "additionalProperties": true}, {"type": "null"}]},
            },
            "required": ["maximum"],
            "allOf": [{"if": {"required": ["day"]}, "then": {"required": ["list"]}}],
            "if": {"required": ["day"]},
            "then": {"required": ["list"]},
            "$defs": {"One": {"enum": ["minimum", "maximum"]}},
        });
        assert_eq!(
            strip_unsupported(&schema),
            json!({
                "type": "object",
                "properties": {
                    "maximum": {"type": "integer"},
                    "day": {"type": "string", "format": "date"},
                    "list": {"type": "array", "items": {"$ref": "#/$defs/One"}},
                    "either": {"anyOf": [{"type": "object", "additionalProperties": false}, {"type": "null"}]},
                },
                "required": ["maximum"],
                "additionalProperties": false,
                "$defs": {"One": {"enum": ["minimum", "maximum"]}},
            })
        );
    }

    proptest::proptest! {
        #[test]
        fn strip_unsupported_never_panics(schema in crate::model::arbitrary_json::arbitrary_json()) {
            let _ = strip_unsupported(&schema);
        }
    }
}
