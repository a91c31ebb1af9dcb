// Scripts that mostly read pages: every page, first run, printing, keyboard, no JavaScript.
import { createServer } from "node:http";
import { fitness } from "./home.mjs";
import { accessible, assert, base, insideCards, notSideways, open, signIn, weekdaysMatch } from "./browser.mjs";
import { day } from "./home.mjs";

// Follows every link, once per route: pages that differ only by id, date or query value count as one.
// Downloads are skipped. A broken link is an error.
async function pages(page) {
  const kind = (path) => {
    const url = new URL(path, base);
    const names = [...url.searchParams].map(([name, value]) => (/^(table|range|week|about)$/.test(name) ? `${name}=${value}` : name));
    return `${url.pathname.replace(/\d{4}-\d\d-\d\d/g, "DAY").replace(/\/\d+/g, "/N")}?${[...new Set(names)].sort()}`.replace(/(week|about)=(?!all)[^,]*/g, "$1");
  };
  const found = new Map([["/", "/"]]);
  for (const path of found.values()) {
    const answer = await page.goto(base + path);
    assert.equal(answer.status(), 200, `a link leads to ${path}`);
    const links = await page.locator("a[href^='/']").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    for (const link of links.map((one) => one.split("#")[0]).filter((one) => one && !/\.(fit|zip|ics|json|md|csv|gpx)\b|\/files\/|format=/.test(one))) {
      if (!found.has(kind(link))) found.set(kind(link), link);
    }
    assert.ok(found.size < 150, "pages without end");
  }
  return [...found.values()];
}

// CSS classes that the page uses and only a stylesheet it does not load defines.
async function styles(page) {
  return page.evaluate(() => ({
    used: [...new Set([...document.querySelectorAll("[class]")].flatMap((node) => [...node.classList]))],
    sheets: [...document.querySelectorAll("link[rel=stylesheet]")].map((link) => link.href),
  }));
}

async function dressed(seen) {
  const names = new Map();
  for (const sheet of new Set(seen.flatMap((one) => one.sheets))) {
    const text = await (await fetch(sheet)).text();
    names.set(sheet, new Set([...text.matchAll(/\.([a-z][\w-]*)/g)].map((match) => match[1])));
  }
  const known = new Set([...names.values()].flatMap((set) => [...set]));
  return seen.flatMap(({ path, used, sheets }) => {
    const here = new Set(sheets.flatMap((sheet) => [...names.get(sheet)]));
    return used.filter((name) => known.has(name) && !here.has(name)).map((name) => `${path} wears .${name}`);
  });
}

// Pages without a link: confirmation pages, error pages, an empty search.
const BESIDES = new Map([
  ["/sign-in", 200], ["/nothing-here", 404], ["/setup", 410], ["/activities?q=nothing-like-it", 200],
  ["/plans/2/commit", 409], ["/plans/2/commit?replaces=1", 200], ["/proposals/1/apply?chosen=1&include=0", 200],
  ["/plans/1/archive", 200], ["/plans/2/delete", 200], [`/plan/new?goal=half&race_date=${day(9)}`, 422],
]);

// All pages in light, dark and on a phone, with accessibility checks.
export async function everyPage({ page, wrong, server }) {
  await signIn(page, server.link);
  const all = [...new Set([...(await pages(page)), ...BESIDES.keys()])];
  for (const known of ["/plan", "/coach", "/activities", "/trends", "/settings", "/data", "/plans/2", "/proposals/1", "/plan/new", "/welcome"]) assert.ok(all.includes(known), `a way leads to ${known}: ${all.join(" ")}`);
  const state = await page.context().storageState();
  const seen = [];
  for (const [theme, width] of [["light", 1280], ["dark", 1280], ["light", 320], ["light", 1000]]) {
    const { browser, page: fresh, wrong: more } = await open({ storageState: state, colorScheme: theme, viewport: { width, height: 900 } });
    for (const path of all) {
      const where = `${path} (${theme}, ${width} px)`;
      const answer = await fresh.goto(base + path);
      assert.equal(answer.status(), BESIDES.get(path) ?? 200, where);
      assert.equal(await fresh.locator("h1").count(), 1, `one heading on ${where}`);
      await notSideways(fresh, where);
      await insideCards(fresh, where);
      // Between a phone and a desk only the room changes, not what is there.
      if (width === 1000) continue;
      await weekdaysMatch(fresh, where);
      await accessible(fresh, where);
      seen.push({ path, ...(await styles(fresh)) });
    }
    // The browser logs error responses to the console.
    wrong.push(...more.filter((one) => !/responded with a status of (404|409|410|422) /.test(one)));
    await browser.close();
  }
  assert.deepEqual([...new Set(await dressed(seen))], []);
}

// First run: setup link, name, and pages without data.
export async function beginning({ page, wrong, server }) {
  await page.goto(server.link);
  await accessible(page, "the first page there is");
  await page.locator("form").evaluate((form) => { form.noValidate = true; });
  await page.locator("main button[type=submit]").click();
  await page.locator(".faults").waitFor();
  await accessible(page, "the first page, sent empty");
  await page.locator("#name").fill("Ann");
  await page.locator("main button[type=submit]").click();
  await page.waitForURL(/welcome/);
  const state = await page.context().storageState();
  for (const colorScheme of ["light", "dark"]) {
    const { browser, page: fresh, wrong: more } = await open({ storageState: state, colorScheme });
    for (const path of ["/welcome", "/", "/plan", "/plan/new", "/plans", "/coach", "/activities", "/trends", "/data", "/overview", "/settings", "/settings/thresholds", "/settings/notes"]) {
      const where = `${path}, empty (${colorScheme})`;
      assert.equal((await fresh.goto(base + path)).status(), 200, where);
      if (/^\/(plans?|activities|trends|overview)?$/.test(path)) assert.ok((await fresh.locator("main .primary").count()) <= 1, `one thing to do first on ${where}`);
      await notSideways(fresh, where);
      await accessible(fresh, where);
    }
    wrong.push(...more);
    await browser.close();
  }
}
beginning.begins = () => {};
beginning.answers = [422];

// Printing is dark on light, whatever the theme.
export async function printed({ page, server }) {
  await signIn(page, server.link);
  await page.goto(`${base}/settings`);
  await page.locator("#theme").selectOption("dark");
  await page.locator('form[action="/settings/looks"] button[type=submit]').click();
  await page.waitForURL(/done=/);
  const light = (selector) => page.locator(selector).first().evaluate((node) => {
    const [red, green, blue] = getComputedStyle(node).color.match(/[\d.]+/g).map(Number);
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
  });
  const words = ["h1", ".goal .number", ".cell b", ".cell .what", "figcaption", "h2"];
  await page.goto(`${base}/plan`);
  for (const selector of words) assert.ok((await light(selector)) > 0.5, `${selector} is light on a dark screen`);
  await page.emulateMedia({ media: "print" });
  for (const selector of words) assert.ok((await light(selector)) < 0.45, `${selector} is dark on paper: ${await light(selector)}`);
  assert.equal(await page.locator(".rail").isVisible(), false, "the way around is not printed");
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(ground, "rgb(255, 255, 255)");
}

// First visit: what to do today, and each number links to its source.
export async function firstVisit({ page, server }) {
  await signIn(page, server.link);
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.match(await page.locator(".fresh").innerText(), /Data up to/);
  const facts = await page.locator(".leading a.fact").all();
  assert.ok(facts.length > 3, "the brief links its numbers");
  const target = await facts[1].getAttribute("href");
  const said = await facts[1].innerText();
  await page.goto(base + target);
  const id = target.split("#")[1];
  assert.ok((await page.locator(`tr[id="${id}"]`).innerText()).includes(said), `${said} is among the facts`);
  await page.goto(`${base}/plan?week=all`);
  const verdicts = new Set(await page.locator(".cell").evaluateAll((cells) => cells.map((cell) => cell.dataset.verdict)));
  assert.deepEqual([...verdicts].sort(), ["hit", "missed", "not_started", "pending", "rest", "short"], "all six verdicts");
  // The days of a week add up to its total.
  for (const week of await page.locator(".weekrow").all()) {
    const number = (text) => Number(/([\d.]+) (km|mi)/.exec(text)?.[1] ?? 0);
    const asked = (await week.locator(".cell:not([data-verdict=not_started]) b").allInnerTexts()).reduce((sum, text) => sum + number(text), 0);
    const told = await week.locator(".about").innerText();
    const planned = number(/of ([\d.]+ (km|mi))/.exec(told)?.[1] ?? told.replace(/^Week.*$/m, ""));
    assert.ok(Math.abs(asked - planned) < 0.35, `${asked} and ${planned}: ${told}`);
  }
}

// Setup: the printed link creates the first user, and four steps lead to Today.
export async function firstRun({ page, server }) {
  assert.match(server.link, /\/setup\?code=/);
  await page.goto(server.link);
  await accessible(page, "the first start");
  await page.getByLabel("Your name").fill("a/b");
  await page.getByLabel("New password").fill("short");
  await page.getByLabel("Repeat password").fill("short");
  await page.getByRole("button", { name: "Get started" }).click();
  // Both errors at once, with the input kept.
  const faults = await page.locator(".faults").innerText();
  assert.match(faults, /no slash/);
  assert.match(faults, /8 to 200 characters/);
  assert.equal(await page.getByLabel("Your name").inputValue(), "a/b");
  await page.getByLabel("Your name").fill("Ann");
  await page.getByRole("button", { name: "Get started" }).click();
  await page.waitForURL(`${base}/welcome`);
  await page.getByRole("heading", { name: "Time zone and units" }).waitFor();
  await accessible(page, "the first step");
  await page.getByLabel("Time zone").fill("Europe/Zurich");
  await page.getByLabel("Units").selectOption("metric");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("heading", { name: "Import your training" }).waitFor();
  await accessible(page, "the second step");
  await page.getByRole("link", { name: "Skip this step" }).click();
  await page.getByRole("heading", { name: "Choose a coach" }).waitFor();
  await accessible(page, "the third step");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("heading", { name: "Are you training for a race?" }).waitFor();
  await page.getByRole("link", { name: "Not now" }).click();
  await page.waitForURL(`${base}/`);
  assert.match(await page.locator("main").innerText(), /No plan yet/);
  await notSideways(page, "a Today without anything");
  // The link is used up.
  await page.goto(server.link);
  assert.match(await page.locator("main").innerText(), /already been used/);
}
firstRun.begins = async () => {};
firstRun.answers = [422, 410];

// A model server that starts a reply and then stalls.
async function slowModel() {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (delta, finish_reason = null) => response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "local", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    if (JSON.parse(body).response_format?.json_schema?.schema?.anyOf) {
      setTimeout(() => chunk({ content: '{"tool": "final_answer", "arguments": {"text": "Let me think about it. ' }), 500);
      return;
    }
    // No tool calls and no brief.
    chunk({ content: "{}" });
    chunk({}, "stop");
    response.end("data: [DONE]\n\n");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return `http://127.0.0.1:${server.address().port}/v1`;
}

// A stopped reply is stored, and the chat can continue.
export async function stopping({ page, server }) {
  await signIn(page, server.link);
  await page.goto(`${base}/coach`);
  await page.locator("#text").fill("Are you there?");
  await page.keyboard.press("Enter");
  await page.getByText("Thinking …").waitFor();
  const partly = page.getByText("Let me think about it");
  await partly.waitFor();
  assert.equal(await page.getByText("Thinking …").count(), 0, "what is answered is thought");
  const address = page.url();
  assert.match(address, /chat=\d+$/);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("The conversation so far is saved.").waitFor();
  await page.locator("#text").fill("And now?");
  await page.keyboard.press("Enter");
  await partly.nth(1).waitFor();
  assert.equal(page.url(), address, "it is the same conversation");
  await page.getByRole("button", { name: "Stop" }).click();
  // Stored as soon as the server notices the disconnect.
  for (let kept = 0; kept < 2; kept = await partly.count()) await page.goto(address);
  const log = await page.locator("#log").innerText();
  assert.match(log, /Are you there\?[^]*Let me think about it[^]*And now\?[^]*Let me think about it/);
  assert.match(await page.locator("#cost").innerText(), /This conversation: \d+ tokens.*Today: \d+ tokens/);
}
stopping.begins = async () => {
  await fitness("user", "add", "Ann", "--units", "metric");
  await fitness("coach", "use", "openai", "--address", await slowModel(), "--model", "local");
};

// Keyboard: shortcuts, their overview, the skip link; no shortcut decides anything.
export async function keyboard({ page, server }) {
  await signIn(page, server.link);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  for (const [keys, path] of [["gp", "/plan"], ["gc", "/coach"], ["ga", "/activities"], ["gr", "/trends"], ["gs", "/settings"], ["gt", "/"]]) {
    await page.evaluate(() => document.activeElement.blur());
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForURL(base + path);
  }
  await page.keyboard.press("?");
  assert.ok(await page.locator("#keys").evaluate((sheet) => sheet.open), "the sheet opens");
  await page.keyboard.press("Escape");
  await page.goto(`${base}/proposals/1`);
  const focus = await page.evaluate(() => document.activeElement.tagName);
  assert.equal(focus, "BODY", "nothing that decides has the focus");
  // Chart values are reachable one by one.
  await page.goto(`${base}/plan`);
  const chart = page.locator("svg[data-reads]").last();
  await chart.focus();
  await page.keyboard.press("Home");
  const first = await page.locator(".readout").last().innerText();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.locator(".readout").last().innerText(), first);
}

// Without JavaScript everything but streaming works.
export async function withoutScript({ page, server }) {
  await signIn(page, server.link);
  await page.getByRole("button", { name: /Good/ }).click();
  await page.getByText("Saved.").waitFor();
  assert.equal(await page.locator('[aria-pressed="true"]').innerText().then((text) => text.includes("Good")), true);
  await page.locator("#note").fill("<b>Calf</b> is tight");
  await page.getByRole("button", { name: "Save note" }).click();
  await page.getByText("Note saved.").waitFor();
  await page.goto(`${base}/coach`);
  await page.locator("#text").fill("How is my form?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.waitForURL(/chat=/);
  assert.match(await page.locator("#log").innerText(), /form/i);
  await page.goto(`${base}/plan`);
  await page.getByRole("link", { name: "Later" }).click();
  await page.waitForURL(/week=/);
}
withoutScript.settings = { javaScriptEnabled: false };

// With JavaScript the reply streams; drafts and proposals are decided on their own pages.
export async function talking({ page, server }) {
  await signIn(page, server.link);
  await page.goto(`${base}/coach`);
  await page.locator("#text").fill("Make Sunday easier");
  await page.keyboard.press("Enter");
  await page.waitForURL(/chat=/);
  const link = page.getByRole("link", { name: /Review proposal/ });
  await link.click();
  await page.waitForURL(/\/proposals\//);
}
