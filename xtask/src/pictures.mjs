// Takes the README screenshots in light and dark: `node pictures.mjs FOLDER`, with FITNESS_BASE and FITNESS_LINK set.
import { at, base, open, signIn } from "../../crates/local-fitness/tests/browser/browser.mjs";

const [folder] = process.argv.slice(2);
const pictures = [["/", "today", 1120], ["/plan", "plan", 1120], ["/proposals/1", "proposal", 780], ["/trends", "trends", 900]];

at(process.env.FITNESS_BASE);
const { browser, page } = await open();
await signIn(page, process.env.FITNESS_LINK);
const storageState = await page.context().storageState();
await browser.close();
for (const colorScheme of ["light", "dark"]) {
  const { browser, page } = await open({ storageState, colorScheme });
  for (const [path, name, height] of pictures) {
    await page.setViewportSize({ width: 1200, height });
    await page.goto(base + path);
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
  }
  await browser.close();
}
const { browser: phone, page: small } = await open({ storageState, viewport: { width: 390, height: 844 } });
await small.goto(base);
await small.screenshot({ path: `${folder}/phone-light.png` });
await phone.close();
