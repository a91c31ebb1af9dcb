// `node walk.mjs NAME` runs one script against the program FITNESS_PROGRAM, in the current home.
//
// A script can have `settings` of the browser, `begins` (prepares data before the server starts; without it
// the demo is used), and `answers` (expected error statuses, which the browser logs to the console).
import { open } from "./browser.mjs";
import { serve } from "./home.mjs";
import * as looking from "./looking.mjs";
import * as deciding from "./deciding.mjs";
import * as connecting from "./connecting.mjs";
import * as hostile from "./hostile.mjs";

const walks = { ...looking, ...deciding, ...connecting, ...hostile };
const walk = walks[process.argv[2]];
if (!walk) throw new Error(`there is no walk ${process.argv[2]}: ${Object.keys(walks).join(", ")}`);
await walk.begins?.();
const server = await serve(walk.begins ? "serve" : "demo");
const opened = await open(walk.settings);
const meant = (said) => (walk.answers ?? []).some((status) => said.includes(`responded with a status of ${status} `));
try {
  await walk({ ...opened, server });
  const wrong = opened.wrong.filter((said) => !meant(said));
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
} finally {
  await opened.browser.close();
}
process.exit(0);
