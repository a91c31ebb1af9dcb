# Drives the fake with the official client, and holds every chunk of it against the client's own types.
# Prints one line for each thing that went as it should; a failure is a traceback.
import json
import os
import sys

try:
    import openai
except ImportError:
    sys.exit(77)
from openai.types.chat import ChatCompletion, ChatCompletionChunk

TOOLS = [{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object", "properties": {"day": {"type": "string", "maxLength": 10}}}}}]

client = openai.OpenAI(base_url=os.environ["FAKE"], api_key=os.environ["KEY"], max_retries=0)


def ask(words, client=client, **more):
    more = {"model": "local", "max_tokens": 1000, "messages": [{"role": "user", "content": words}], **more}
    return client.chat.completions.create(**more)


def refused(kind, status, **more):
    try:
        ask(more.pop("words", "hello"), **more)
    except kind as error:
        assert error.status_code == status, error
        return
    raise AssertionError(f"not refused: {more}")


answer = ask("hello")
ChatCompletion.model_validate(answer.to_dict())
assert answer.choices[0].message.content == "You said: hello" and answer.choices[0].finish_reason == "stop"
print("whole")

text, usage = "", None
for chunk in ask("hello", stream=True, stream_options={"include_usage": True}):
    ChatCompletionChunk.model_validate(chunk.to_dict())
    usage = chunk.usage or usage
    for choice in chunk.choices:
        text += choice.delta.content or ""
assert text == "You said: hello" and usage.prompt_tokens > 0 and usage.completion_tokens > 0
print("streamed")

first = [{"role": "user", "content": "use a tool"}]
with client.chat.completions.stream(model="local", messages=first, tools=TOOLS) as stream:
    final = stream.get_final_completion()
message = final.choices[0].message
calls = message.tool_calls
assert [json.loads(call.function.arguments) for call in calls] == [{"day": "2026-06-14"}, {}], calls
said = {"role": "assistant", "content": "", "tool_calls": [{"id": c.id, "type": "function", "function": {"name": c.function.name, "arguments": c.function.arguments}} for c in calls]}
results = [{"role": "tool", "tool_call_id": call.id, "content": f"heron {number}"} for number, call in enumerate(calls)]
answer = ask("", messages=[*first, said, *results], tools=TOOLS)
assert answer.choices[0].message.content == "The tool said heron 0, heron 1", answer
print("looped")

bad = openai.BadRequestError
shape = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object", "properties": {}}}}
refused(bad, 400, messages=[*first, said, *results[:1]], tools=TOOLS)
refused(bad, 400, messages=[*first, said], tools=TOOLS)
refused(bad, 400, messages=[*first, *results], tools=TOOLS)
refused(bad, 400, messages=[*first, *first])
refused(bad, 400, tools=TOOLS, response_format=shape)
refused(bad, 400, response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "string", "format": "date"}}})
refused(bad, 400, extra_body={"moon": 1})
refused(openai.NotFoundError, 404, model="moon")
refused(openai.AuthenticationError, 401, client=client.with_options(api_key="wrong"))
print("refused")

refused(openai.RateLimitError, 429, words="429")
refused(openai.InternalServerError, 500, words="500")
refused(openai.InternalServerError, 503, words="503")
try:
    for chunk in ask("error after start", stream=True):
        pass
    raise AssertionError("no error")
except openai.APIError:
    pass
print("failed")
