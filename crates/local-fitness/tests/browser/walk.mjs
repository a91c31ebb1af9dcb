// `node walk.mjs NAME`: one walk through the pages of a running server, by FITNESS_BASE and FITNESS_LINK.
import { open } from "./browser.mjs";
import * as looking from "./looking.mjs";
import * as deciding from "./deciding.mjs";

const walks = { ...looking, ...deciding };
const walk = walks[process.argv[2]];
if (!walk) throw new Error(`there is no walk ${process.argv[2]}: ${Object.keys(walks).join(", ")}`);
const opened = await open(walk.settings);
try {
  await walk(opened);
  if (opened.wrong.length > 0) throw new Error(opened.wrong.join("\n"));
} finally {
  await opened.browser.close();
}
