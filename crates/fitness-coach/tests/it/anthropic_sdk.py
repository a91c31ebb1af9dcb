# Drives the fake with the official client, and holds every byte of it against the client's own types.
# Prints one line for each thing that went as it should; a failure is a traceback.
import os
import sys

try:
    import anthropic
except ImportError:
    sys.exit(77)
from anthropic.types import Message, RawMessageStreamEvent
from pydantic import TypeAdapter

EVENT = TypeAdapter(RawMessageStreamEvent)
TOOLS = [{"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {"day": {"type": "string"}}}}]
THINKING = {"type": "adaptive", "display": "summarized"}
SONNET, HAIKU = "claude-sonnet-5-5", "claude-haiku-5-5"

client = anthropic.Anthropic(base_url=os.environ["FAKE"], api_key=os.environ["KEY"], max_retries=0)


def ask(words, client=client, **more):
    more = {"model": SONNET, "max_tokens": 1000, "messages": [{"role": "user", "content": words}], **more}
    return client.messages.create(**more)


def refused(kind, status, **more):
    try:
        ask(more.pop("words", "hello"), **more)
    except kind as error:
        assert error.status_code == status, error
        assert error.body["type"] == "error" and error.body["error"]["type"], error.body
        return
    raise AssertionError(f"not refused: {more}")


# An answer in one piece.
raw = client.messages.with_raw_response.create(model=SONNET, max_tokens=1000, messages=[{"role": "user", "content": "hello"}])
Message.model_validate_json(raw.text() if callable(raw.text) else raw.text)
message = raw.parse()
assert message.content[0].text == "You said: hello", message
assert message.usage.input_tokens > 0 and message.usage.output_tokens > 0
print("whole")

# A tool loop in a stream, with thoughts that go back as they came.
first = [{"role": "user", "content": "use a tool"}]
for event in client.messages.create(model=SONNET, max_tokens=1000, messages=first, tools=TOOLS, thinking=THINKING, stream=True):
    EVENT.validate_python(event.to_dict())
with client.messages.stream(model=SONNET, max_tokens=1000, messages=first, tools=TOOLS, thinking=THINKING) as stream:
    final = stream.get_final_message()
assert [block.type for block in final.content] == ["thinking", "tool_use", "tool_use"], final
assert final.stop_reason == "tool_use" and final.content[1].input == {"day": "2026-06-14"} and final.content[2].input == {}
print("streamed")
calls = [block.id for block in final.content if block.type == "tool_use"]
results = [{"type": "tool_result", "tool_use_id": call, "content": f"heron {number}"} for number, call in enumerate(calls)]
said = {"role": "assistant", "content": [block.to_dict() for block in final.content]}
second = [*first, said, {"role": "user", "content": results}]
answer = ask("", messages=second, tools=TOOLS, thinking=THINKING)
assert answer.content[0].text == "The tool said heron 0, heron 1", answer
print("looped")

# What the real one refuses.
bad = anthropic.BadRequestError
refused(bad, 400, messages=second, tools=TOOLS, model=HAIKU)  # another model's thoughts
refused(bad, 400, messages=second[:2], tools=TOOLS)  # no answer to a call
refused(bad, 400, messages=[*second[:2], {"role": "user", "content": results[:1]}], tools=TOOLS)
refused(bad, 400, messages=[*second[:2], {"role": "user", "content": [{"type": "text", "text": "first"}, *results]}], tools=TOOLS)
refused(bad, 400, extra_body={"temperature": 1})
refused(bad, 400, extra_body={"moon": 1})
refused(bad, 400, tools=TOOLS, tool_choice={"type": "any"})
refused(bad, 400, thinking={"type": "enabled", "budget_tokens": 1024})
refused(bad, 400, thinking={"type": "disabled"})
refused(bad, 400, messages=[{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}])  # prefill
refused(bad, 400, max_tokens=128_001, stream=True)
refused(bad, 400, tools=[{"name": "look", "input_schema": {"type": "array"}}])
refused(bad, 400, output_config={"format": {"type": "json_schema", "schema": {"type": "object"}}})
refused(bad, 400, system=[{"type": "text", "text": str(n), "cache_control": {"type": "ephemeral"}} for n in range(5)])
refused(bad, 400, extra_headers={"anthropic-version": "2020-01-01"})
refused(bad, 400, extra_headers={"x-api-key": "both"})
refused(anthropic.NotFoundError, 404, model="claude-moon")
refused(anthropic.AuthenticationError, 401, client=client.with_options(api_key="wrong"))
print("refused")

# What goes wrong.
refused(anthropic.RateLimitError, 429, words="429")
refused(anthropic.RateLimitError, 429, words="spend cap")
refused(anthropic.InternalServerError, 500, words="500")
refused(anthropic.APIStatusError, 529, words="529")
try:
    for event in ask("error after start", stream=True):
        pass
    raise AssertionError("no error")
except anthropic.APIError as error:
    assert "overloaded" in str(error), error
# The official client tries twice more, and so do we.
try:
    ask("529", client=client.with_options(max_retries=2))
except anthropic.APIStatusError:
    print("failed")

# Tokens are counted, and the cache is one.
count = client.messages.count_tokens(model=SONNET, messages=first)
assert count.input_tokens > 0
system = [{"type": "text", "text": "You are a coach. " * 200, "cache_control": {"type": "ephemeral"}}]
before, after, other = ask("a", system=system).usage, ask("b", system=system).usage, ask("c", system=system, model=HAIKU).usage
assert before.cache_creation_input_tokens > 800 and before.cache_read_input_tokens == 0, before
assert after.cache_creation_input_tokens == 0 and after.cache_read_input_tokens == before.cache_creation_input_tokens, after
assert other.cache_read_input_tokens == 0
print("counted")
