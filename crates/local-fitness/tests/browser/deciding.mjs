// Scripts with decisions: importing, activating a plan, applying a proposal.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { accessible, assert, base, signIn } from "./browser.mjs";
import { athlete, day, fitness, season } from "./home.mjs";

const text = (page, selector) => page.locator(selector).first().innerText();
const button = (page, name) => page.getByRole("button", { name });
const link = (page, name) => page.getByRole("link", { name });

// The date `weeks` weeks from today.
const ahead = (weeks) => day(weeks * 7);

// Uploads files on the data page.
async function upload(page, files) {
  await page.goto(`${base}/data`);
  await page.locator("#files").setInputFiles(files);
  await button(page, "Import").click();
  await page.waitForURL(/\/import\/\d+/);
  // The page polls until the import is done.
  await page.getByRole("heading", { name: /^(Imported|Import failed)$/ }).waitFor();
}

// Imports an account export, after an empty form and an invalid file.
export async function importing({ page, server }) {
  await signIn(page, server.link);
  assert.match(await text(page, ".fresh"), /No data yet/);
  await page.goto(`${base}/data`);
  await button(page, "Import").click();
  assert.equal(await page.locator("#files").evaluate((files) => files.validity.valueMissing), true, "nothing is sent without a file");
  // The server checks required fields too.
  await page.locator('form[action="/import"]').evaluate((form) => { form.noValidate = true; });
  await button(page, "Import").click();
  await page.getByText("Choose at least one file.").waitFor();
  await link(page, "Choose files").click();
  await page.waitForURL(`${base}/data`);

  await upload(page, { name: "export.zip", mimeType: "application/zip", buffer: Buffer.from("Dear diary, today I ran.") });
  assert.match(await text(page, "main"), /Skipped: 1\b[^]*export\.zip/);
  assert.match(await text(page, ".fresh"), /No data yet/);

  const file = await season();
  await page.goto(`${base}/data`);
  await page.locator("#files").setInputFiles(file);
  await button(page, "Import").click();
  await page.waitForURL(/\/import\/\d+/);
  // Progress, unless the import is already done.
  const under = page.getByRole("status").filter({ hasText: /activities/ });
  const done = page.getByRole("heading", { name: "Imported" });
  await under.or(done).first().waitFor();
  await done.waitFor();
  await accessible(page, "what an import brought");
  const told = await text(page, "main");
  const { length } = JSON.parse(await fitness("activity", "list", "--json", "--limit", "1000"));
  assert.ok(told.includes(`${length} new activities`), `${length} activities are told: ${told}`);
  for (const heading of ["Were these races?", "Years", "Personal bests"]) await page.getByRole("heading", { name: heading }).waitFor();
  assert.match(await text(page, ".fresh"), /Data up to .*last import/);
  // Importing again adds nothing.
  await upload(page, file);
  assert.doesNotMatch(await text(page, "main"), /new activities/);
  assert.equal(JSON.parse(await fitness("activity", "list", "--json", "--limit", "1000")).length, length);
}
importing.begins = () => fitness("user", "add", "Ann", "--units", "metric");
importing.answers = [422];

// Asks the coach for a draft and opens it.
async function drafted(page, words) {
  await page.goto(`${base}/coach`);
  await page.locator("#text").fill(words);
  await button(page, "Send").click();
  await link(page, /Review draft/).click();
  await page.waitForURL(/\/plans\/\d+$/);
  return page.url();
}

// Overrides all linter errors of a draft.
async function overridden(page) {
  for (const box of await page.locator('input[name="override"]').all()) await box.check();
}

// Activates a draft from chat; a second one needs an explicit replacement.
export async function committing({ page, server }) {
  await signIn(page, server.link);
  await page.goto(`${base}/plan`);
  assert.equal(await page.locator("[data-verdict]").count(), 0, "there is no plan yet");
  const first = await drafted(page, `Draft a half marathon plan for ${ahead(14)} in 1:50`);
  const name = await text(page, "h1");
  assert.match(await text(page, "main"), /The plan is not active until you confirm/);
  assert.ok((await page.locator(".cal-week").count()) >= 12, "the calendar has its weeks");
  assert.ok((await page.locator(".cal a.slot").count()) > 40, "and their workouts");
  await page.getByRole("heading", { name: "Checks" }).waitFor();
  assert.equal(await page.getByText("when I commit to this plan").count(), 0, "there is nothing to archive");
  await overridden(page);
  await button(page, /Commit to this plan/).click();
  await page.getByRole("heading", { name: "Commit to this plan?" }).waitFor();
  assert.match(await text(page, "main"), /becomes your active plan/);
  await page.goto(`${base}/plans`);
  assert.doesNotMatch(await text(page, "main"), /Active/, "looking at the question decides nothing");
  await page.goto(first);
  await overridden(page);
  await button(page, /Commit to this plan/).click();
  await button(page, "Commit").click();
  await page.waitForURL(/\/plan\?done=committed/);
  assert.ok((await text(page, "main")).includes(name));

  const second = await drafted(page, `Draft a 10k plan for ${ahead(10)}`);
  const other = await text(page, "h1");
  assert.ok((await text(page, "#replaces")).includes(`Archive ${name}`));
  await overridden(page);
  await button(page, /Commit to this plan/).click();
  const refusal = page.getByRole("alert");
  await refusal.waitFor();
  assert.equal(await text(page, "h1"), "You already have an active plan");
  assert.match(await refusal.innerText(), /Nothing was changed/);
  await page.goto(`${base}/plan`);
  assert.ok((await text(page, "main")).includes(name), "the first is followed as before");

  await page.goto(second);
  await page.locator('input[name="replaces"]').check();
  await overridden(page);
  await button(page, /Commit to this plan/).click();
  assert.ok((await text(page, "main")).includes(`${name} will be archived.`));
  await button(page, "Commit to this plan and archive the current one").click();
  await page.waitForURL(/\/plan\?done=committed/);
  assert.ok((await text(page, "main")).includes(other));
  await page.goto(`${base}/plans`);
  const rows = await page.locator("main li, main tr").allInnerTexts();
  assert.ok(rows.some((row) => row.includes(name) && /Archived/i.test(row)), `${name} is archived: ${rows}`);
  assert.ok(rows.some((row) => row.includes(other) && /Active/i.test(row)), `${other} is active: ${rows}`);
}
committing.begins = () => athlete();
committing.answers = [409];

// A plan that started weeks ago, with workouts that are hit, short and missed.
function begun() {
  const asked = (from) => [{ planned_km: 1, kind: "easy" }, { planned_km: 0, kind: "rest" }, { planned_km: 80, kind: "long" }][Math.abs(from) % 3];
  const schedule = Array.from({ length: 49 }, (_, at) => ({ date: day(at - 21), ...asked(at - 21) }));
  return { name: "Late to it", goal: "10k", start_date: day(-21), race_date: day(28), schedule };
}

// Verdicts of past weeks appear on activation; future days are pending.
export async function judging({ page, server }) {
  await signIn(page, server.link);
  await page.goto(`${base}/plans/1`);
  await page.locator('input[name="begin"][value="planned"]').check();
  await overridden(page);
  await button(page, /Commit to this plan/).click();
  await button(page, "Commit").click();
  await page.waitForURL(/\/plan\?done=committed/);
  await page.goto(`${base}/plan?week=all`);
  const chips = await page.locator(".weekrow .cell").evaluateAll((cells) => cells.map((cell) => [cell.dataset.verdict, cell.innerText]));
  const words = { hit: /Hit/, short: /Short/, missed: /Missed/, rest: /Rest/i, pending: /./ };
  for (const [verdict, word] of Object.entries(words)) {
    const some = chips.filter(([own]) => own === verdict);
    assert.ok(some.length > 0, `something is ${verdict}: ${JSON.stringify(chips)}`);
    for (const [, said] of some) assert.match(said, word, `${verdict} is said in words`);
  }
}
judging.begins = async () => {
  await athlete();
  writeFileSync("plan.json", JSON.stringify(begun()));
  await fitness("plan", "draft", "plan.json");
};

// Texts of the workouts, by link.
async function asked(page) {
  await page.goto(`${base}/plan?week=all`);
  const cells = await page.locator('a[href^="/plan/workouts/"]').evaluateAll((all) => all.map((one) => [one.getAttribute("href"), one.innerText]));
  return Object.fromEntries(cells);
}

// A model response that shortens two future workouts.
async function suggested() {
  await fitness("plan", "export", "--format", "json");
  const { workouts } = JSON.parse(readFileSync(readdirSync(".").find((name) => name.startsWith("half") && name.endsWith(".json")), "utf8"));
  const easy = workouts.filter((workout) => workout.kind === "easy" && workout.date > ahead(0)).slice(0, 2);
  const modifications = easy.map(({ id, date, name }, at) => (
    { workout_id: String(id), date, original_name: name, action: "modify", changes: { name: `Shuffle ${at + 1}`, duration_minutes: { to: 20 + at } } }));
  writeFileSync("answer.json", JSON.stringify({ modifications, athlete_message: "Take it easy for two days." }));
  await fitness("plan", "propose", "answer.json");
}

// Applies one of two proposed changes, then reverts it.
export async function partly({ page, server }) {
  await signIn(page, server.link);
  await page.goto(`${base}/plans/1`);
  await overridden(page);
  await button(page, /Commit to this plan/).click();
  await button(page, "Commit").click();
  await page.waitForURL(/\/plan\?done=committed/);
  const before = await asked(page);
  await suggested();
  await page.goto(`${base}/plan`);
  await link(page, "Review").first().click();
  await page.waitForURL(/\/proposals\/1$/);
  const boxes = page.locator('input[name="include"]');
  const count = await boxes.count();
  assert.equal(count, 2, "there is a choice");
  for (let at = 1; at < count; at++) await boxes.nth(at).uncheck();
  await button(page, "Update preview").click();
  await page.getByRole("heading", { name: "Effect of 1 selected change" }).waitFor();
  assert.equal(await boxes.nth(1).isChecked(), false, "what was not ticked stays so");
  await overridden(page);
  await button(page, /Apply selected/).click();
  await page.getByRole("heading", { name: "Apply this to your plan?" }).waitFor();
  assert.match(await text(page, "main"), new RegExp(`This applies 1 of ${count} changes to `));
  assert.deepEqual(await asked(page), before, "a question changes nothing");
  await page.goBack();
  await page.getByRole("button", { name: "Apply 1 change" }).click();
  await page.waitForURL(/\/plan\/revisions\/\d+\?done=applied/);
  assert.equal(await page.locator("ul.diff > li").count(), 1, "one change was made");
  const after = await asked(page);
  const changed = Object.keys({ ...before, ...after }).filter((workout) => before[workout] !== after[workout]);
  assert.equal(changed.length, 1, `one workout is another: ${changed}`);
  assert.match(after[changed[0]], /Shuffle 1/);
  assert.ok(!Object.values(after).some((words) => words.includes("Shuffle 2")), "the other was not taken");

  await page.goto(`${base}/plan/revisions`);
  await link(page, /Revert to this/).first().click();
  await page.getByRole("heading", { name: /Revert to revision/ }).waitFor();
  await button(page, "Revert").click();
  await page.waitForURL(/\/plan\/revisions\/\d+\?done=reverted/);
  assert.deepEqual(await asked(page), before, "everything is as it was");
}
partly.begins = async () => {
  await athlete();
  await fitness("plan", "draft", "--goal", "half", "--race-date", ahead(14));
};
