// Injection payloads, and checks that none of them had an effect.
import { assert, base } from "./browser.mjs";

// Each payload has its own marker, to find it on a page and to notice when it ran.
const away = "https://elsewhere.invalid";
const made = [
  // Tags.
  (hit) => `<script>${hit}</script>`,
  (hit) => `<ScRiPt>${hit}</sCrIpT>`,
  (hit) => `<script/x>${hit}</script >`,
  (hit) => `<<script>${hit}//<</script>`,
  (hit) => `<scr<script>ipt>${hit}</scr</script>ipt>`,
  (hit) => `<script src=${away}/${hit}></script>`,
  (hit) => `<script src="data:text/javascript,${hit}"></script>`,
  (hit) => `<script type=module>${hit}</script>`,
  // Event attributes.
  (hit) => `<img src=x onerror=${hit}>`,
  (hit) => `<img src=x onerror="${hit}"`,
  (hit) => `<img/src=x/onerror=${hit}>`,
  (hit) => `<image href=x onerror=${hit}>`,
  (hit) => `<body onload=${hit}>`,
  (hit) => `<input autofocus onfocus=${hit}>`,
  (hit) => `<details open ontoggle=${hit}>`,
  (hit) => `<video><source onerror=${hit}></video>`,
  (hit) => `<audio src onerror=${hit}>`,
  (hit) => `<marquee onstart=${hit}>x</marquee>`,
  (hit) => `<div popover id=x onbeforetoggle=${hit}></div>`,
  (hit) => `<style>@keyframes x{}</style><b onanimationstart=${hit}>`,
  // Breaking out of the context.
  (hit) => `" onmouseover="${hit}" x="`,
  (hit) => `' onfocus='${hit}' autofocus x='`,
  (hit) => `"><img src=x onerror=${hit}>`,
  (hit) => `'><script>${hit}</script>`,
  (hit) => `</textarea><script>${hit}</script>`,
  (hit) => `</title><script>${hit}</script>`,
  (hit) => `</script><script>${hit}</script>`,
  (hit) => `</style><script>${hit}</script>`,
  (hit) => `</option></select><img src=x onerror=${hit}>`,
  (hit) => `</noscript><img src=x onerror=${hit}>`,
  (hit) => `--><script>${hit}</script><!--`,
  (hit) => `]]><script>${hit}</script>`,
  // SVG and MathML.
  (hit) => `<svg onload=${hit}>`,
  (hit) => `<svg><script>${hit}</script></svg>`,
  (hit) => `<svg><animate onbegin=${hit} attributeName=x dur=1s>`,
  (hit) => `<svg><a xlink:href="javascript:${hit}"><text>x</text></a></svg>`,
  (hit) => `<math><mtext><style><img title="</style><img src onerror=${hit}>">`,
  // URLs.
  (hit) => `<a href="javascript:${hit}">x</a>`,
  (hit) => `<a href="java\tscript:${hit}">x</a>`,
  (hit) => `javascript:${hit}`,
  (hit) => `data:text/html,<script>${hit}</script>`,
  (hit) => `<iframe src="javascript:${hit}">`,
  (hit) => `<iframe srcdoc="<script>${hit}</script>">`,
  (hit) => `<object data="javascript:${hit}">`,
  (hit) => `<embed src="javascript:${hit}">`,
  (hit) => `<form action="javascript:${hit}"><button>x</button>`,
  (hit) => `<button formaction="javascript:${hit}">x`,
  (hit) => `<meta http-equiv=refresh content="0;url=${away}/${hit}">`,
  (hit) => `<base href="${away}/${hit}/">`,
  (hit) => `<link rel=stylesheet href=${away}/${hit}>`,
  (hit) => `<img src=${away}/${hit}>`,
  // CSS.
  (hit) => `<p style="background:url(${away}/${hit})">`,
  (hit) => `<style>body{background:url(${away}/${hit})}</style>`,
  (hit) => `;background:url(${away}/${hit})`,
  // Markdown, templates and encodings.
  (hit) => `[x](javascript:${hit})`,
  (hit) => `![x](${away}/${hit})`,
  (hit) => `<${away}/${hit}>`,
  (hit) => `{{constructor.constructor('${hit}')()}}`,
  (hit) => "${" + hit + "}",
  (hit) => `<template><script>${hit}</script></template>`,
  (hit) => `<template shadowrootmode=open><img src=x onerror=${hit}></template>`,
  (hit) => `&lt;script&gt;${hit}&lt;/script&gt;`,
  (hit) => `&#60;img src=x onerror=${hit}&#62;`,
  (hit) => `%3Cscript%3E${hit}%3C/script%3E`,
  (hit) => `\\u003cscript\\u003e${hit}\\u003c/script\\u003e`,
  (hit) => `＜script＞${hit}＜/script＞`,
  (hit) => `<\u200bscript>${hit}</script>\u202e`,
  (hit) => `<img src=x onerror\u00a0=${hit}>`,
  (hit) => `+ADw-script+AD4-${hit}+ADw-/script+AD4-`,
];

const letters = "abcdefghijklmnopqrstuvwxyz";
const name = (at) => `hit_${letters[Math.floor(at / 26)]}${letters[at % 26]}`;
export const corpus = made.map((make, at) => ({ mark: name(at), text: make(`${name(at)}=1`) }));

// Records CSP violations; there must be none.
export async function watch(context) {
  await context.addInitScript(() => {
    globalThis.stopped = [];
    addEventListener("securitypolicyviolation", (event) => globalThis.stopped.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
}

// No payload ran or could run, and the expected texts are readable.
export async function clean(page, where, marks = []) {
  const found = await page.evaluate((own) => {
    const wrong = Object.keys(globalThis).filter((key) => key.startsWith("hit_")).map((key) => `${key} ran`);
    wrong.push(...globalThis.stopped.map((what) => `the policy stopped ${what}`));
    for (const node of document.querySelectorAll("*")) {
      const told = node.outerHTML.slice(0, 200);
      if (["IFRAME", "OBJECT", "EMBED", "BASE", "STYLE", "TEMPLATE", "MATH", "MARQUEE", "VIDEO", "AUDIO"].includes(node.tagName.toUpperCase())) wrong.push(told);
      if (node.tagName === "SCRIPT" && !node.src.startsWith(`${own}/assets/`)) wrong.push(told);
      for (const { name, value } of node.attributes) {
        if (name.startsWith("on") || ["style", "srcdoc", "autofocus", "popover"].includes(name)) wrong.push(told);
        if (["href", "src", "action", "formaction", "xlink:href", "data"].includes(name)) {
          let to = null;
          try { to = new URL(value, location.href); } catch { /* It leads nowhere. */ }
          if (to && (!["http:", "https:"].includes(to.protocol) || to.host === "elsewhere.invalid")) wrong.push(told);
        }
      }
    }
    const written = [...document.querySelectorAll("input, textarea, option")].map((field) => field.value);
    return { wrong, text: [document.title, document.body.textContent, ...written].join("\n") };
  }, base);
  assert.deepEqual(found.wrong, [], where);
  const lost = marks.filter((mark) => !found.text.includes(mark));
  assert.deepEqual(lost, [], `can be read on ${where}: ${found.text.slice(0, 3000)}`);
}

// Opens a page and checks it. Errors are 4xx pages, never 5xx.
export async function visit(page, path, marks = []) {
  const answer = await page.goto(base + path);
  assert.ok(answer.status() < 500, `${path} answers ${answer.status()}`);
  await clean(page, path, marks);
  return answer.status();
}

// Fills a form of the current page, bypassing validation, and submits it.
export async function send(page, form, values) {
  const loaded = page.waitForEvent("load");
  await form.evaluate((form, values) => {
    for (const [name, value] of Object.entries(values)) {
      const field = form.elements[name];
      if (field.tagName === "SELECT") field.append(new Option(value, value));
      if (field.tagName === "INPUT") field.type = "text";
      field.value = value;
    }
    form.noValidate = true;
    // A field named `submit` hides the method.
    HTMLFormElement.prototype.submit.call(form);
  }, values);
  await loaded;
}
