//! Tool calls as JSON replies: `{"tool": …, "arguments": …}`, with `final_answer` as one of the
//! tools.
//!
//! A grammar follows the key order of the schema, and a model must choose the tool before its
//! arguments. Keys of a `Value` are sorted, so these schemas are written as text.

use super::schema;
use super::stop_reason;
use super::stream::ResponseBuilder;
use crate::model::http::{ServiceInfo, UsageCountingListener};
use crate::model::{ModelError, ModelPart, StopReason, ToolSpec};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The tool that is the answer.
pub(super) const FINAL_ANSWER_TOOL: &str = "final_answer";

pub(super) fn response_schema(tools: &[ToolSpec]) -> Box<RawValue> {
    let text = json!({
        "type": "object",
        "properties": { "text": { "type": "string", "maxLength": schema::MAX_STRING_LENGTH } },
        "required": ["text"],
        "additionalProperties": false,
    });
    let any: Vec<String> = tools
        .iter()
        .map(|tool| (tool.name, schema::simplify(&tool.input_schema)))
        .chain([(FINAL_ANSWER_TOOL, text)])
        .map(|(name, arguments)| {
            format!(
                r#"{{"type":"object","properties":{{"tool":{{"const":{}}},"arguments":{arguments}}},"required":["tool","arguments"],"additionalProperties":false}}"#,
                Value::from(name)
            )
        })
        .collect();
    let whole = format!(r#"{{"anyOf":[{}]}}"#, any.join(","));
    RawValue::from_string(whole).expect("JSON put together from JSON")
}

/// What a model is told about it, after what it is told otherwise.
pub(super) fn instructions(tools: &[ToolSpec]) -> String {
    let mut text = format!(
        "\n\nAnswer with one JSON object and nothing else. To look something up or to suggest something, answer with \
         {{\"tool\": NAME, \"arguments\": {{...}}}}; you are then told the result. When you know enough, answer with \
         {{\"tool\": \"{FINAL_ANSWER_TOOL}\", \"arguments\": {{\"text\": \"what you say to the athlete\"}}}}.\n\nThe tools:\n"
    );
    for tool in tools {
        let input = schema::simplify(&tool.input_schema);
        text.push_str(&format!("- {}: {} Arguments: {input}\n", tool.name, tool.description));
    }
    text
}

/// A call, or the answer, as the model would have written it.
pub(super) fn encode_call(tool: &str, arguments: &Value) -> String {
    format!(r#"{{"tool":{},"arguments":{arguments}}}"#, Value::from(tool))
}

/// Reads what a model put into it.
pub(super) fn parse_response(
    who: &ServiceInfo,
    answer: ResponseBuilder<'_>,
    heard: &mut UsageCountingListener<'_>,
) -> Result<(Vec<ModelPart>, StopReason), ModelError> {
    let (content, reason, told) = answer.into_content()?;
    let text = |text: String| ModelPart::Text { text };
    let found = (reason == "stop").then(|| decode_call(&content)).flatten();
    let (part, calls) = match found {
        Some((tool, mut arguments)) if tool == FINAL_ANSWER_TOOL => match arguments["text"].take() {
            Value::String(said) => (text(said), false),
            _ => return Err(who.invalid_response()),
        },
        Some((tool, input)) => (ModelPart::Call { id: String::new(), tool, input }, true),
        // A server that forces no shape lets the model write what it likes. Half an envelope is
        // neither.
        None if reason == "stop" && content.trim_start().starts_with(['{', '`']) => {
            return Err(who.invalid_response());
        }
        None => (text(content), false),
    };
    let stop = stop_reason(&reason, calls).ok_or_else(|| who.invalid_response())?;
    match &part {
        ModelPart::Text { text } if stop == StopReason::Done => {
            heard.text(text.strip_prefix(&told).unwrap_or_default())
        }
        ModelPart::Call { tool, .. } => heard.call(tool),
        ModelPart::Text { .. } | ModelPart::Sealed { .. } => {}
    }
    Ok((vec![part], stop))
}

/// What is in an envelope, where it is one.
fn decode_call(content: &str) -> Option<(String, Value)> {
    let mut whole: Value = serde_json::from_str(strip_code_fence(content)).ok()?;
    let tool = whole["tool"].as_str()?.to_owned();
    let arguments = whole["arguments"].take();
    arguments.is_object().then_some((tool, arguments))
}

/// A call that a model wrote as text although it was told to call, where it is one: of a tool there
/// is, with an object.
pub(super) fn parse_text_call(content: &str, tools: &[ToolSpec]) -> Option<ModelPart> {
    let mut whole: Value = serde_json::from_str(strip_code_fence(content)).ok()?;
    let name = whole.get("name").or_else(|| whole.get("tool")).and_then(Value::as_str)?;
    let tool = tools.iter().find(|tool| tool.name == name)?.name.to_owned();
    let key = if whole.get("arguments").is_some() { "arguments" } else { "parameters" };
    let input = whole.get_mut(key)?.take();
    input.is_object().then_some(ModelPart::Call { id: String::new(), tool, input })
}

/// Without the fence or the tags that models like to put around JSON.
fn strip_code_fence(content: &str) -> &str {
    let content = content.trim();
    let fenced = content.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let tagged = content.strip_prefix("<tool_call>").and_then(|rest| rest.strip_suffix("</tool_call>"));
    let content = fenced.or(tagged).unwrap_or(content);
    content.strip_prefix("json").unwrap_or(content).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Vec<ToolSpec> {
        let input_schema =
            json!({"type": "object", "properties": {"day": {"type": "string", "format": "date"}}});
        vec![ToolSpec { name: "look", description: "Looks.", input_schema }]
    }

    #[test]
    fn the_tool_is_chosen_before_its_arguments() {
        let shape = response_schema(&tools());
        let text = shape.get();
        assert!(serde_json::from_str::<Value>(text).is_ok());
        assert!(text.find(r#""tool":{"const":"look"}"#).unwrap() < text.find(r#""arguments":{"#).unwrap());
        assert!(!text.contains("format"), "{text}");
        assert!(encode_call("look", &json!({})).starts_with(r#"{"tool":"#));
    }

    #[test]
    fn a_call_written_as_text_counts_only_when_there_is_such_a_tool() {
        let call = |text| parse_text_call(text, &tools());
        for good in [
            r#"{"name":"look","arguments":{"day":"x"}}"#,
            r#" {"tool":"look","parameters":{}} "#,
            "```json\n{\"name\":\"look\",\"arguments\":{}}\n```",
            "<tool_call>\n{\"name\":\"look\",\"arguments\":{}}\n</tool_call>",
        ] {
            assert!(matches!(call(good), Some(ModelPart::Call { tool, .. }) if tool == "look"), "{good}");
        }
        for bad in [
            r#"{"name":"explode","arguments":{}}"#,
            r#"{"name":"look","arguments":"{}"}"#,
            r#"{"name":"look"}"#,
            r#"{"name":"look","arguments":{}"#,
            r#"Sure! {"name":"look","arguments":{}}"#,
            r#"["look"]"#,
            "look",
            "",
            "```",
        ] {
            assert_eq!(call(bad), None, "{bad}");
        }
    }
}
