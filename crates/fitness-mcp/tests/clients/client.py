"""Two foreign MCP clients, `mcp` and `fastmcp`, against any server: over stdio or over HTTP with a bearer token.

    client.py [--client mcp|fastmcp] [--mode auto|legacy] [--call TOOL JSON]... --url URL [--token TOKEN]
    client.py [--client mcp|fastmcp] [--mode auto|legacy] [--call TOOL JSON]... --command PROGRAM ARGUMENT...

It lists everything, reads every resource, gets every prompt, makes the calls in order, and prints what it was told as one
JSON object. A client that could not connect prints {"refused": why} and exits with 1.
"""

import argparse
import asyncio
import json
import sys
from contextlib import asynccontextmanager


@asynccontextmanager
async def by_mcp(options):
    import httpx2
    from mcp import Client, StdioServerParameters
    from mcp.client.streamable_http import streamable_http_client

    if options.command:
        server = StdioServerParameters(command=options.command[0], args=options.command[1:])
        async with Client(server, mode=options.mode) as client:
            yield client
    else:
        headers = {"Authorization": f"Bearer {options.token}"} if options.token else {}
        async with httpx2.AsyncClient(headers=headers) as http:
            async with Client(streamable_http_client(options.url, http_client=http), mode=options.mode) as client:
                yield client


@asynccontextmanager
async def by_fastmcp(options):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    if options.command:
        transport = StdioTransport(options.command[0], options.command[1:], keep_alive=False)
    else:
        headers = {"Authorization": f"Bearer {options.token}"} if options.token else {}
        transport = StreamableHttpTransport(options.url, headers=headers)
    async with Client(transport, mode=options.mode) as client:
        yield client


def plain(thing):
    """As it came over the wire."""
    return thing.model_dump(mode="json", by_alias=True, exclude_none=True)


async def listed(listing, field):
    """One client answers with the result, the other with the items."""
    told = await listing
    return [plain(item) for item in (told if isinstance(told, list) else getattr(told, field))]


async def called(client, options, tool, arguments):
    if options.client == "fastmcp":
        told = await client.call_tool(tool, arguments, raise_on_error=False)
    else:
        told = await client.call_tool(tool, arguments)
    return {
        "tool": tool,
        "is_error": told.is_error,
        "structured": told.structured_content,
        "texts": [block.text for block in told.content],
    }


async def read(client, options, uri):
    told = await client.read_resource(uri)
    contents = told if isinstance(told, list) else told.contents
    return {"uri": uri, "text": contents[0].text, "kind": contents[0].mime_type}


async def tell(options):
    clients = {"mcp": by_mcp, "fastmcp": by_fastmcp}
    async with clients[options.client](options) as client:
        resources = await listed(client.list_resources(), "resources")
        prompts = await listed(client.list_prompts(), "prompts")
        told = {
            "tools": await listed(client.list_tools(), "tools"),
            "prompts": [plain(await client.get_prompt(prompt["name"])) | prompt for prompt in prompts],
            "resources": [await read(client, options, resource["uri"]) for resource in resources],
            "calls": [await called(client, options, tool, json.loads(text)) for tool, text in options.call],
        }
        if options.client == "mcp":
            told["protocol"] = client.protocol_version
            told["server"] = plain(client.server_info)
        return told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--client", choices=["mcp", "fastmcp"], default="mcp")
    parser.add_argument("--mode", default="auto")
    parser.add_argument("--call", nargs=2, action="append", default=[])
    parser.add_argument("--url")
    parser.add_argument("--token")
    parser.add_argument("--command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    try:
        told = asyncio.run(asyncio.wait_for(tell(options), 90))
    except BaseException as why:
        while isinstance(why, BaseExceptionGroup):
            why = why.exceptions[0]
        print(json.dumps({"refused": f"{type(why).__name__}: {why}"}))
        sys.exit(1)
    print(json.dumps(told))


main()
