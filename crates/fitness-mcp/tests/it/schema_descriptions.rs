//! Every property in the tools' schemas says what it is, in which unit or format.

use crate::raw_client::{athlete, endpoint, request};
use fitness_mcp::Scope;
use serde_json::{Value, json};

const MIN_WORDS: usize = 4;

/// What the description of a number has to name, one of these. `unit` refers to the field of that
/// name, `id` is a key, `count` a number of things and `scale` a rating.
const UNITS: &[&str] = &[
    "kilometres",
    "miles",
    "metres",
    "hours",
    "minutes",
    "seconds",
    "days",
    "percent",
    "tss",
    "bpm",
    "calories",
    "count",
    "id",
    "scale",
    "unit",
];

/// Keywords that define the format of a string; without one, its description needs an example.
const STRING_FORMATS: &[&str] = &["enum", "const", "format", "pattern", "maxLength"];

/// Keywords with one subschema, and with a list of them. `allOf`, `if`, `then` and `else` are left
/// out: in our schemas they only constrain properties that are declared elsewhere.
const NESTED: &[&str] = &["items", "additionalProperties"];
const NESTED_LISTS: &[&str] = &["anyOf", "oneOf", "prefixItems"];

/// A schema and what is wrong with it.
struct SchemaCheck<'a> {
    root: &'a Value,
    properties: usize,
    problems: Vec<String>,
}

impl<'a> SchemaCheck<'a> {
    /// Checks every property below a schema.
    fn walk(&mut self, path: &str, schema: &'a Value) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}/{name}");
            self.check_property(&path, property);
            self.walk(&path, property);
        }
        for inner in subschemas(schema) {
            self.walk(path, inner);
        }
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            self.walk(&format!("{path}/$defs/{name}"), definition);
        }
    }

    fn check_property(&mut self, path: &str, property: &'a Value) {
        self.properties += 1;
        let words: Vec<String> = property["description"]
            .as_str()
            .unwrap_or_default()
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        if words.len() < MIN_WORDS {
            self.problems.push(format!("{path}: the description has fewer than {MIN_WORDS} words"));
        }
        let description = words.join(" ");
        let has_unit = description.split(|c: char| !c.is_alphanumeric()).any(|word| UNITS.contains(&word));
        let has_example = description.contains("for example");
        let mut scalars = Vec::new();
        self.collect_scalars(property, &mut scalars);
        for scalar in scalars {
            let is_number = has_type(scalar, "number") || has_type(scalar, "integer");
            if is_number && !has_unit {
                self.problems.push(format!("{path}: the description of a number names no unit"));
            }
            let has_format = STRING_FORMATS.iter().any(|keyword| scalar.get(keyword).is_some());
            if has_type(scalar, "string") && !has_format && !has_example {
                self.problems.push(format!("{path}: a string without a format has no example"));
            }
        }
    }

    /// The numbers and strings that a property holds, also as entries of a list or map. Objects are
    /// not entered: their properties have descriptions of their own.
    fn collect_scalars(&self, schema: &'a Value, scalars: &mut Vec<&'a Value>) {
        let schema = match schema["$ref"].as_str().and_then(|target| target.strip_prefix('#')) {
            Some(pointer) => self.root.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}")),
            None => schema,
        };
        if ["number", "integer", "string"].iter().any(|kind| has_type(schema, kind)) {
            scalars.push(schema);
        }
        for inner in subschemas(schema) {
            self.collect_scalars(inner, scalars);
        }
    }
}

fn subschemas(schema: &Value) -> impl Iterator<Item = &Value> {
    let single = NESTED.iter().filter_map(move |keyword| schema.get(keyword));
    let lists = NESTED_LISTS.iter().filter_map(move |keyword| schema[*keyword].as_array()).flatten();
    single.chain(lists)
}

/// Whether a schema allows a type; `type` is a word or a list of words.
fn has_type(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        one => one == kind,
    }
}

/// How many properties a schema has, and what is wrong with them.
fn check_schema(name: &str, schema: &Value) -> (usize, Vec<String>) {
    let mut check = SchemaCheck { root: schema, properties: 0, problems: Vec::new() };
    check.walk(name, schema);
    (check.properties, check.problems)
}

#[tokio::test]
async fn every_property_has_a_description_with_unit_or_format() {
    let (ann, endpoint) = (athlete("Ann"), endpoint());
    let list = request(&endpoint, &ann.client(Scope::Draft), "tools/list", json!({})).await.result();
    let (mut properties, mut problems) = (0, Vec::new());
    for tool in list["tools"].as_array().unwrap() {
        for schema in ["inputSchema", "outputSchema"] {
            let name = format!("{} {schema}", tool["name"].as_str().unwrap());
            let (count, found) = check_schema(&name, &tool[schema]);
            properties += count;
            problems.extend(found);
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(properties > 200, "only {properties} properties were found");
}

#[test]
fn property_without_unit_or_format_is_reported() {
    let problems = |property: Value| {
        let schema = json!({
            "type": "object",
            "properties": { "list": { "$ref": "#/$defs/List", "description": "All entries of the list." } },
            "$defs": { "List": { "type": "array", "items": { "properties": { "x": property } } } },
        });
        check_schema("tool", &schema).1.len()
    };
    let number = |description: &str| json!({ "type": ["number", "null"], "description": description });
    let text = |description: &str| json!({ "type": "string", "description": description });
    assert_eq!(problems(number("Distance in kilometres, for example 8.2.")), 0);
    assert_eq!(problems(number("How far it is altogether.")), 1);
    assert_eq!(problems(number("How far.")), 2);
    assert_eq!(problems(text("Name of the workout, for example Easy run.")), 0);
    assert_eq!(problems(text("Name of the workout.")), 1);
    let day = json!({ "type": "string", "format": "date", "description": "Day of the race." });
    assert_eq!(problems(day), 0);
    let map = json!({
        "description": "Reason by name of the metric.", "additionalProperties": { "type": "string" },
    });
    assert_eq!(problems(map), 1);
}
