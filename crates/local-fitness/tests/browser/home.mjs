// Runs the program: commands, terminal sessions, and a server that can be restarted.
import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { at, confirmWith } from "./browser.mjs";

const program = process.env.FITNESS_PROGRAM;

// Selects the user when there are several.
let who = [];
export function as(name) { who = [`--user=${name}`]; }

// The date `from` days from today, in local time.
export function day(from) {
  const then = new Date();
  then.setDate(then.getDate() + from);
  const two = (number) => String(number).padStart(2, "0");
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`;
}

// The standard output of a command; throws if it fails.
export async function fitness(...given) {
  const { stdout } = await promisify(execFile)(program, [...who, ...given], { maxBuffer: 64 << 20 });
  return stdout;
}

// Runs a command in a pseudo-terminal and types the name it asks for.
export async function atTerminal(...given) {
  const quoted = [program, ...who, ...given].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", quoted, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  let typed = false;
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (part) => {
    said += part;
    const name = /Type (.*) to [a-z -]+: $/.exec(said)?.[1];
    if (name && !typed) {
      typed = true;
      child.stdin.write(`${name}\n`);
    }
  });
  const code = await new Promise((over) => child.once("close", over));
  if (code !== 0) throw new Error(`${quoted} ended with ${code}: ${said}`);
  return said;
}

// The account export of a generated athlete.
export async function season(...more) {
  const { file } = JSON.parse(await fitness("demo", "--export", "export", "--json", ...more));
  return file;
}

// A user with a season of data and no plan.
export async function athlete(name = "Ann") {
  await fitness("user", "add", name, "--units", "metric");
  await fitness("import", await season());
}

// Starts `fitness serve` or `fitness demo`, on a random port by default.
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
    // Read everything, so that the pipe does not fill up.
    lines.on("line", (line) => {
      said.push(line);
      base ??= /Listening on (http:\/\/[\d.:]+)\./.exec(line)?.[1];
      link ??= /http:\S+code=\S+/.exec(line)?.[0];
      if (base && (link || /run `fitness login`/.test(line))) ready();
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
    // Like Ctrl-C.
    async stop() {
      child.kill("SIGINT");
      const code = await ended;
      process.off("exit", kill);
      if (code !== 0) throw new Error(`the server ended with ${code}: ${said.join("\n")}`);
    },
  };
}
