//! The JSON Schemas in `docs/schema`: up to date, closed, and consistent with the parser.

use super::invalid_responses::corpus;
use super::{ERROR, FATIGUE, SKIP, WEEK};
use fitness_core::llm_output::{ResponseKind, ValidationErrorCode, brief, parse_response, schema};
use jsonschema::Validator;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::LazyLock;

fn file(kind: ResponseKind) -> PathBuf {
    let name = match kind {
        ResponseKind::Modification => "plan_modification.json",
        ResponseKind::Week => "weekly_plan.json",
    };
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(name)
}

/// An independent validator that knows only the schema.
pub(super) fn validator(kind: ResponseKind) -> &'static Validator {
    static EACH: LazyLock<[Validator; 2]> = LazyLock::new(|| {
        let of = |kind| jsonschema::options().should_validate_formats(true).build(&schema(kind)).unwrap();
        [of(ResponseKind::Modification), of(ResponseKind::Week)]
    });
    match kind {
        ResponseKind::Modification => &EACH[0],
        ResponseKind::Week => &EACH[1],
    }
}

/// `cargo xtask schema` runs this test with `FITNESS_WRITE_SCHEMAS` set to update the files.
#[test]
fn the_schemas_in_the_documentation_are_fresh() {
    let brief = file(ResponseKind::Week).with_file_name("brief.json");
    let forms = ResponseKind::ALL.iter().map(|kind| (file(*kind), schema(*kind)));
    for (file, schema) in forms.chain([(brief, brief::schema())]) {
        let mut made = serde_json::to_string_pretty(&schema).unwrap();
        made.push('\n');
        if std::env::var_os("FITNESS_WRITE_SCHEMAS").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &made).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(kept, made, "run `cargo xtask schema` to write {}", file.display());
    }
}

#[test]
fn schema_objects_are_closed_and_not_nullable() {
    fn walk(value: &Value, objects: &mut usize) {
        match value {
            Value::Object(fields) => {
                if fields.get("type").is_some_and(|of| of == "object") {
                    assert_eq!(fields.get("additionalProperties"), Some(&Value::Bool(false)), "{value}");
                    *objects += 1;
                }
                assert_ne!(fields.get("type"), Some(&Value::from("null")), "{value}");
                assert!(!fields.get("type").is_some_and(Value::is_array), "{value}");
                fields.values().for_each(|value| walk(value, objects));
            }
            Value::Array(entries) => entries.iter().for_each(|value| walk(value, objects)),
            _ => {}
        }
    }
    for (kind, least) in [(ResponseKind::Modification, 10), (ResponseKind::Week, 4)] {
        let mut objects = 0;
        walk(&schema(kind), &mut objects);
        assert!(objects >= least, "{kind}: {objects}");
    }
}

#[test]
fn external_validator_accepts_the_documented_examples() {
    for (text, kind) in [
        (FATIGUE, ResponseKind::Modification),
        (SKIP, ResponseKind::Modification),
        (ERROR, ResponseKind::Modification),
        (WEEK, ResponseKind::Week),
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        let errors: Vec<String> =
            validator(kind).iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

/// Errors that a schema cannot express, for example about the raw text.
fn cannot_be_in_schema(code: ValidationErrorCode) -> bool {
    matches!(
        code,
        ValidationErrorCode::LowAboveHigh
            | ValidationErrorCode::DuplicateKey
            | ValidationErrorCode::UnknownKind
    )
}

#[test]
fn external_validator_refuses_what_the_reader_refuses() {
    let (mut held, mut wrong) = (0, Vec::new());
    for broken in corpus() {
        let Ok(value) = serde_json::from_str::<Value>(&broken.text) else { continue };
        let refused = parse_response(broken.text.as_bytes(), broken.kind).unwrap_err();
        if broken.faults.iter().all(|(_, code)| cannot_be_in_schema(*code)) {
            continue;
        }
        held += 1;
        let accepts = match refused.kind {
            Some(kind) => validator(kind).is_valid(&value),
            // Not even an object.
            None => ResponseKind::ALL.iter().any(|kind| validator(*kind).is_valid(&value)),
        };
        if accepts {
            wrong.push(broken.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(held > 150, "{held}");
}
