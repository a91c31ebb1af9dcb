// API tokens, and a server restart with an open page.
import { assert, base, signIn } from "./browser.mjs";
import { athlete, serve } from "./home.mjs";

// Sends an MCP request with a token.
async function mcp(token, method, params = {}) {
  const answer = await fetch(`${base}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`, "content-type": "application/json",
      accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return [answer.status, await answer.text()];
}

// A token is shown once, works within its scope, and can be revoked.
export async function token({ page, server }) {
  await signIn(page, server.link);
  await page.goto(`${base}/settings/integrations`);
  await page.locator("#name").fill("A script");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText("Copy it now: it won't be shown again.").waitFor();
  const secret = (await page.locator("#token").innerText()).trim();
  assert.ok(secret.length > 20, "it is on the page");
  assert.ok((await page.locator("#claude-code").innerText()).includes(secret));
  assert.equal((await mcp(`${secret}x`, "tools/list"))[0], 401, "nearly it is not it");

  const [status, listed] = await mcp(secret, "tools/list");
  assert.equal(status, 200, listed);
  const names = JSON.parse(listed).result.tools.map((tool) => tool.name);
  assert.ok(names.includes("get_today") || names.length > 3, `${names}`);
  for (const name of names) assert.doesNotMatch(name, /commit|activate|archive|delete|apply|revert/);
  const tool = names.find((name) => name.includes("today")) ?? names[0];
  const [called, told] = await mcp(secret, "tools/call", { name: tool, arguments: {} });
  assert.equal(called, 200, told);
  assert.ok(!JSON.parse(told).result.isError, told);

  await page.getByRole("link", { name: "Done" }).click();
  await page.waitForURL(`${base}/settings/integrations`);
  for (const look of ["once", "again"]) {
    assert.ok(!(await page.content()).includes(secret), `it is not on the page, looked at ${look}`);
    await page.reload();
  }
  const row = page.getByRole("row").filter({ hasText: "A script" });
  assert.doesNotMatch(await row.innerText(), /never[^]*never/, "it was used");
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.waitForURL(/done=deleted/);
  assert.equal(await page.getByRole("row").filter({ hasText: "A script" }).count(), 0);
  assert.equal((await mcp(secret, "tools/list"))[0], 401, "it opens nothing any more");
}
token.begins = () => athlete();

// Sessions and open forms survive a server restart.
export async function restarted({ page, server }) {
  await signIn(page, server.link);
  await page.goto(`${base}/`);
  await page.locator("#note").fill("The calf is tight, written before");
  const cookies = await page.context().cookies();
  await server.stop();
  const next = await serve("serve", server.port);
  assert.equal(next.base, server.base);
  await page.getByRole("button", { name: "Save note" }).click();
  await page.getByText("Note saved.").waitFor();
  await page.goto(`${base}/settings/notes`);
  await page.getByText("The calf is tight, written before").first().waitFor();
  const names = (all) => all.map(({ name, value }) => [name, value]);
  assert.deepEqual(names(await page.context().cookies()), names(cookies), "nobody had to sign in anew");
  // Another open form.
  await page.goto(`${base}/settings/integrations`);
  await page.locator("#name").fill("Another");
  await next.stop();
  await serve("serve", server.port);
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText("Copy it now: it won't be shown again.").waitFor();
}
restarted.begins = () => athlete();
