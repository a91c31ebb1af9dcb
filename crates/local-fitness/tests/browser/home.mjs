// Somebody's computer: the program, and the server of their database, which can be stopped and started again.
import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { at, confirmWith } from "./browser.mjs";

const program = process.env.FITNESS_PROGRAM;

// Whose data is meant, where there are several.
let who = [];
export function as(name) { who = [`--user=${name}`]; }

// A day so many days from today, where the athlete lives.
export function day(from) {
  const then = new Date();
  then.setDate(then.getDate() + from);
  const two = (number) => String(number).padStart(2, "0");
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`;
}

// What a command prints. One that is refused ends the walk.
export async function fitness(...given) {
  const { stdout } = await promisify(execFile)(program, [...who, ...given], { maxBuffer: 64 << 20 });
  return stdout;
}

// What a command prints at a terminal of its own, with the name typed that it asks for.
export async function atTerminal(...given) {
  const quoted = [program, ...who, ...given].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", quoted, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  let typed = false;
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (part) => {
    said += part;
    const name = /Type (.*) to [a-z ]+: $/.exec(said)?.[1];
    if (name && !typed) {
      typed = true;
      child.stdin.write(`${name}\n`);
    }
  });
  const code = await new Promise((over) => child.once("close", over));
  if (code !== 0) throw new Error(`${quoted} ended with ${code}: ${said}`);
  return said;
}

// A season of an athlete who does not exist, as a ZIP of an account's export.
export async function season(...more) {
  const { file } = JSON.parse(await fitness("demo", "--export", "export", "--json", ...more));
  return file;
}

// An athlete with a season behind them and no plan.
export async function athlete(name = "Ann") {
  await fitness("user", "add", name, "--units", "metric");
  await fitness("import", await season());
}

// Starts `fitness serve` or `fitness demo`; a port of its own when none is named.
export async function serve(command = "serve", port = 0) {
  const child = spawn(program, [command, "--port", String(port), "--no-open"], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((over) => child.once("exit", over));
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  let base = null;
  let link = null;
  const said = [];
  await new Promise((ready, never) => {
    const lines = createInterface({ input: child.stderr });
    // Whatever else it says is read, so that it never waits for somebody to listen.
    lines.on("line", (line) => {
      said.push(line);
      base ??= /Listening on (http:\/\/[\d.:]+)\./.exec(line)?.[1];
      link ??= /http:\S+code=\S+/.exec(line)?.[0];
      if (base && (link || /prints a link/.test(line))) ready();
    });
    ended.then((code) => never(new Error(`the server ended with ${code}: ${said.join("\n")}`)));
  });
  at(base);
  const own = Number(new URL(base).port);
  if (!link) {
    const shown = await atTerminal("login", "--port", String(own));
    link = shown.match(/http:\S+/)[0];
    confirmWith(link, shown.match(/minutes: (\S+)/)?.[1]);
  }
  return {
    base, link, port: own, said,
    // As Ctrl-C does it.
    async stop() {
      child.kill("SIGINT");
      const code = await ended;
      process.off("exit", kill);
      if (code !== 0) throw new Error(`the server ended with ${code}: ${said.join("\n")}`);
    },
  };
}
