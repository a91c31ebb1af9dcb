// Injection tests with untrusted text: names, notes, files, model output, URLs. Nothing may run, and the
// content security policy must not be needed to stop it.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { assert, base, signIn } from "./browser.mjs";
import { as, athlete, day, fitness } from "./home.mjs";
import { clean, corpus, send, visit, watch } from "./payloads.mjs";

const marks = corpus.map(({ mark }) => mark);
// Plan names may have any visible characters; invisible ones are refused.
const named = corpus.filter(({ text }) => !/[\p{Cc}\p{Cf}]/u.test(text));
const unseen = corpus.filter((one) => !named.includes(one));
const markings = named.map(({ mark }) => mark);
// Console messages of expected error responses.
const refusals = [400, 404, 409, 410, 422];

// Activity names and notes, on every page that shows them.
export async function hostileNames({ page, context, server }) {
  await watch(context);
  await signIn(page, server.link);
  const activities = JSON.parse(await fitness("activity", "list", "--json", "--limit", String(corpus.length)));
  assert.equal(activities.length, corpus.length);
  for (const [at, { mark, text }] of corpus.entries()) {
    const path = `/activities/${activities[at].id}`;
    await page.goto(base + path);
    await send(page, page.locator(`form[action="${path}/edit"]`), { name: text });
    await clean(page, `${path} with the name ${text}`, [mark]);
    // A few through the form, which is rate-limited to two a second.
    if (at % 3 === 0) await send(page, page.locator(`form[action="${path}/note"]`), { note: text });
    else await fitness("note", "add", "--day", activities[at].day, "--", text);
  }
  await page.goto(`${base}/activities`);
  const seen = new Set();
  for (;;) {
    await clean(page, page.url());
    for (const [mark] of (await page.locator("main").innerText()).matchAll(/hit_../g)) seen.add(mark);
    const older = page.locator('a[rel="next"]');
    if (seen.size === corpus.length || (await older.count()) === 0) break;
    const to = await older.getAttribute("href");
    await page.goto(base + to);
  }
  assert.equal(seen.size, corpus.length, "the list has them all");
  for (const one of activities) await visit(page, `/days/${one.day}`);
  for (const { id } of activities.slice(0, 12)) await visit(page, `/activities/${id}`);
  await visit(page, "/settings/notes", marks);
  const notes = await page.locator('a[href^="/settings/notes/"]').evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  for (const path of notes.slice(0, 12)) await visit(page, path);
  for (const path of ["/", "/trends", "/trends?range=all&table=fitness", "/overview", "/data", "/coach", "/settings/coach/preview"]) await visit(page, path);
}
hostileNames.begins = () => athlete();

// A plan in which every text is a payload.
function plan(own) {
  const workouts = corpus.map(({ text }, at) => ({
    id: at + 1, date: day(at), sport: "running", kind: "easy", name: named[at % named.length].text, distance_mm: 5_000_000, duration_ms: 1_800_000, load: 30,
    intensity: text, description: text, key: at % 7 === 0,
    steps: [{ step_type: "active", duration_type: "distance", duration_value: 5000, target_type: "open", notes: text }],
  }));
  return { format: "local-fitness plan", version: 1, name: own, goal: "10k", distance_mm: 10_000_000, start_date: day(0), race_date: day(corpus.length + 7), target_time_ms: null, revision: 1, workouts };
}

// Plans, workouts, proposals and revisions.
export async function hostilePlans({ page, context, server }) {
  await watch(context);
  await signIn(page, server.link);
  await visit(page, "/plans", markings);
  for (const [at, { mark }] of named.entries()) if (at % 5 === 0) await visit(page, `/plans/${at + 1}`, [mark]);
  const last = named.length;
  await visit(page, `/plans/${last}`, markings);
  const commit = page.locator(`form[action="/plans/${last}/commit"]`);
  for (const box of await commit.locator('input[name="override"]').all()) await box.check();
  await commit.getByRole("button", { name: /Commit to this plan/ }).click();
  await page.getByRole("heading", { name: "Commit to this plan?" }).waitFor();
  await clean(page, "the question", [named[last - 1].mark]);
  await page.getByRole("button", { name: "Commit" }).click();
  await page.waitForURL(/\/plan\?done=committed/);
  await visit(page, "/plan?week=all", markings);
  const workouts = await page.locator('a[href^="/plan/workouts/"]').evaluateAll((all) => [...new Set(all.map((one) => one.getAttribute("href")))]);
  assert.ok(workouts.length >= named.length, `${workouts.length} workouts`);
  for (const path of workouts.slice(0, named.length)) await visit(page, path);
  // A model response.
  const modifications = named.slice(1).map(({ text }, at) => ({
    workout_id: workouts[at + 1].split("/").pop(), date: day(at + 1), original_name: text, action: "modify",
    changes: { name: named.at(-1 - at).text, duration_minutes: { from: 30, to: 25 }, intensity: { to: text } },
  }));
  const said = [...named].map(({ text }) => text).join("\n").slice(0, 3900);
  writeFileSync("answer.json", JSON.stringify({ modifications, athlete_message: said }));
  await fitness("plan", "propose", "answer.json");
  await visit(page, "/proposals/1", markings.slice(1));
  for (const path of ["/", "/plan", "/plan/edit", "/plan/export", "/plan/revisions", "/plans", "/plan/splits", "/coach?about=proposal:1"]) await visit(page, path);
  await page.goto(`${base}/proposals/1`);
  for (const box of await page.locator('input[name="override"]').all()) await box.check();
  await page.getByRole("button", { name: /Apply selected/ }).click();
  await clean(page, "the other question", markings.slice(1));
  await page.getByRole("button", { name: /^Apply / }).click();
  await page.waitForURL(/done=applied/);
  await clean(page, "the revision", markings.slice(1));
  for (const path of ["/plan/revisions", "/plan/revert?to=1", `/plans/${last}/archive`, "/plans/2/delete", "/plan?table=volume", "/proposals/1"]) await visit(page, path);
}
hostilePlans.begins = async () => {
  await athlete();
  for (const { text } of named) {
    writeFileSync("plan.json", JSON.stringify(plan(text)));
    await fitness("plan", "draft", "plan.json");
  }
  assert.ok(unseen.length > 0);
  for (const { text } of unseen) {
    writeFileSync("plan.json", JSON.stringify(plan(text)));
    await assert.rejects(fitness("plan", "draft", "plan.json"), /invisible characters/);
  }
};

// A model server that returns payloads and calls unknown tools.
async function model() {
  const all = corpus.map(({ text }) => text).join("\n");
  let asked = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const form = JSON.parse(body).response_format?.json_schema?.schema;
    const envelope = (tool, given) => JSON.stringify({ tool, arguments: given });
    let said = all;
    if (form?.properties?.metrics) said = JSON.stringify({ metrics: ["sleep"], tone: "direct", body: `You slept {{sleep_last_night}}. ${all}`.slice(0, 1700) });
    else if (form?.anyOf) said = asked++ === 0 ? envelope(corpus[8].text, { text: all }) : envelope("final_answer", { text: all });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (delta, finish_reason = null) => response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "local", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    for (let at = 0; at < said.length; at += 50) chunk({ content: said.slice(at, at + 50) });
    chunk({}, "stop");
    response.end("data: [DONE]\n\n");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return `http://127.0.0.1:${server.address().port}/v1`;
}

// Model text in chat and brief, streamed and reloaded.
export async function hostileModel({ page, context, server }) {
  await watch(context);
  await signIn(page, server.link);
  await visit(page, "/coach");
  await page.locator("#text").fill(corpus[0].text);
  await page.getByRole("button", { name: "Send" }).click();
  await page.waitForURL(/chat=/);
  // The reply is complete when the form is enabled again.
  await page.locator("#say button[type=submit]:enabled").waitFor();
  await clean(page, "the chat as it came", marks);
  await page.reload();
  await clean(page, "the chat, read again", marks);
  await visit(page, "/");
  const brief = page.locator('form[action="/brief"]').first();
  if ((await brief.count()) > 0) await send(page, brief, {});
  await clean(page, "Today with its brief");
  for (const path of [`/days/${day(0)}`, "/coach", "/settings/coach", "/settings/coach/preview", `/settings/coach/preview?say=${encodeURIComponent(corpus[8].text)}`]) await visit(page, path);
}
hostileModel.begins = async () => {
  await athlete();
  await fitness("coach", "use", "openai", "--address", await model(), "--model", "local");
};

// A ZIP of empty files with the given names.
function zip(names) {
  const [files, list] = [[], []];
  let at = 0;
  for (const name of names) {
    const encoded = Buffer.from(name);
    const head = Buffer.alloc(26);
    // Version, UTF-8 flag, stored; empty, so that all checksums and sizes are 0.
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(0x800, 2);
    head.writeUInt16LE(0x21, 8);
    head.writeUInt16LE(encoded.length, 22);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(at, 10);
    files.push(Buffer.from("PK\x03\x04"), head, encoded);
    list.push(Buffer.from("PK\x01\x02\x14\x00"), head, entry, encoded);
    at += 30 + encoded.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(names.length, 4);
  end.writeUInt16LE(names.length, 6);
  const directory = Buffer.concat(list);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...files, directory, Buffer.from("PK\x05\x06"), end]);
}

// Names of uploaded files and of files in a ZIP. Only some skipped files are listed.
export async function hostileFiles({ page, context, server }) {
  await watch(context);
  await signIn(page, server.link);
  const upload = async (files, told) => {
    await visit(page, "/data");
    await page.locator("#files").setInputFiles(files);
    await page.getByRole("button", { name: "Import" }).click();
    await page.getByRole("heading", { name: /^(Imported|Import failed)$/ }).waitFor();
    await clean(page, "what was left out", told);
  };
  for (let from = 0; from < corpus.length; from += 40) {
    const some = corpus.slice(from, from + 40);
    const file = ({ text }) => ({ name: `${text}.fit`, mimeType: "application/octet-stream", buffer: Buffer.from("no recording") });
    // Browsers do not send the part before a slash.
    const told = some.filter(({ mark, text }) => text.split(/[/\\]/).pop().includes(mark));
    await upload(some.map(file), told.map(({ mark }) => mark));
    const packed = zip(some.map(({ text }) => `${text}.fit`));
    await upload([{ name: "export.zip", mimeType: "application/zip", buffer: packed }], some.map(({ mark }) => mark));
  }
  await visit(page, "/data");
}
hostileFiles.begins = () => fitness("user", "add", "Ann");

// URLs with user input.
const addresses = [
  (text) => `/activities?q=${text}`, (text) => `/activities?sport=${text}&from=${text}&before=${text}`, (text) => `/activities/${text}`,
  (text) => `/plan?week=${text}&table=${text}`, (text) => `/plan/new?goal=${text}&race_date=${text}&target=${text}&distance=${text}&days=${text}&blackout=${text}&base=${text}&name=${text}`,
  (text) => `/trends?range=${text}&table=${text}`, (text) => `/coach?about=${text}`, (text) => `/coach?chat=${text}`, (text) => `/settings/coach/preview?say=${text}`,
  (text) => `/?done=${text}`, (text) => `/sign-in?next=${text}&done=${text}`, (text) => `/sign-in/link?code=${text}`, (text) => `/invite?code=${text}`, (text) => `/setup?code=${text}`,
  (text) => `/days/${text}`, (text) => `/plans/${text}`, (text) => `/proposals/${text}?include=${text}`, (text) => `/import/${text}?from=${text}`, (text) => `/welcome?step=${text}`,
];
// Pages with forms, which show rejected input again.
const forms = ["/", "/settings", "/settings/thresholds", "/settings/notes", "/settings/integrations", "/settings/coach", "/data", "/welcome", "/welcome?step=2", "/plan/new", "/settings/users"];

// URLs, rejected forms and user names.
export async function hostileErrors({ page, context, server }) {
  await watch(context);
  await signIn(page, server.link);
  for (const [at, { mark, text }] of corpus.entries()) {
    const written = encodeURIComponent(text);
    assert.equal(await visit(page, `/nothing/${written}?${written}=${written}`), 404);
    await visit(page, addresses[at % addresses.length](written));
    if (at % 3 === 0) await visit(page, addresses[0](written), [mark]);
  }
  let [kept, refused] = [0, 0];
  page.on("response", (answer) => { if (answer.request().method() === "POST" && answer.status() === 422) refused += 1; });
  for (const [at, { mark, text }] of corpus.entries()) {
    const path = forms[at % forms.length];
    await visit(page, path);
    // Every form with text fields.
    const all = page.locator('main form:has(input:not([type="hidden"]):not([type="file"]), textarea)');
    const form = all.nth(Math.floor(at / forms.length) % (await all.count()));
    const names = await form.evaluate((form) => [...form.elements].filter((field) => field.name && field.name !== "form_token" && !["hidden", "checkbox", "radio", "file", "submit"].includes(field.type)).map((field) => field.name));
    const once = names.filter((name, at) => names.indexOf(name) === at);
    await send(page, form, Object.fromEntries(once.map((name) => [name, text])));
    await clean(page, `${path} after ${text}`);
    kept += (await page.content()).includes(mark) ? 1 : 0;
  }
  assert.ok(kept > corpus.length / 2, `what was written is shown again: ${kept}`);
  assert.ok(refused > corpus.length / 3, `much of it is refused: ${refused}`);
  for (const path of forms) await visit(page, path);
  await visit(page, "/settings/users", people.map(({ mark }) => mark));
  for (const path of ["/settings/account", "/settings/account/delete", "/settings/security"]) await visit(page, path);
}
// User names have at most 64 characters, no slash and no invisible characters.
const people = corpus.filter(({ text }) => text.length <= 64 && !/[/\p{Cf}\p{Cc}\u00a0]/u.test(text));
hostileErrors.begins = async () => {
  for (const { text } of people) await fitness("user", "add", "--", text);
  as(people[0].text);
};
for (const walk of [hostileNames, hostilePlans, hostileModel, hostileFiles, hostileErrors]) walk.answers = refusals;
