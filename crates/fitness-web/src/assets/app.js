// What pages gain with a script: keys, reading charts, and copying. Without it everything still works.
"use strict";
(() => {
  const root = document.documentElement;

  // Keys. None of them commits, applies or deletes anything: they only lead somewhere.
  const places = { t: "/", p: "/plan", c: "/coach", a: "/activities", r: "/trends", s: "/settings" };
  let chord = 0;
  const writing = (target) => target.closest("input, textarea, select, [contenteditable]");
  const rows = () => [...document.querySelectorAll("[data-row]")];
  const step = (by) => {
    const all = rows();
    const now = all.indexOf(document.activeElement.closest("[data-row]"));
    const next = all[Math.max(0, Math.min(all.length - 1, now + by))];
    if (next) (next.querySelector("a") || next).focus();
  };
  const sheet = () => document.getElementById("keys");
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && sheet()?.open) { sheet().close(); return; }
    if (root.dataset.keys !== "on" || event.ctrlKey || event.metaKey || event.altKey || writing(event.target)) return;
    if (chord && Date.now() - chord < 1200 && places[event.key]) { location.href = places[event.key]; return; }
    chord = event.key === "g" ? Date.now() : 0;
    const link = { "[": "prev", "]": "next" }[event.key];
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "o") document.activeElement.closest("[data-row]")?.querySelector("a")?.click();
    else if (link) document.querySelector(`a[rel="${link}"]`)?.click();
    else if (event.key === "/") { const search = document.querySelector("input[type=search]"); if (search) { event.preventDefault(); search.focus(); } }
    else if (event.key === "n") { const note = document.getElementById("note"); if (note) { event.preventDefault(); note.focus(); } }
    else if (event.key === "?") sheet()?.showModal();
  });

  // Charts: the pointer or the arrow keys read one value after another.
  for (const chart of document.querySelectorAll("svg[data-reads]")) {
    // `~3` stands for three words as in the line above.
    let above = [];
    const reads = chart.dataset.reads.split("\n").map((line) => {
      const [x, ...words] = line.split(" ");
      const whole = [];
      for (const word of words) {
        if (word[0] === "~") whole.push(...above.slice(whole.length, whole.length + Number(word.slice(1) || 1)));
        else whole.push(word);
      }
      above = whole;
      return [Number(x), whole.join(" ")];
    });
    const cursor = chart.querySelector(".cursor");
    const out = chart.parentElement.querySelector(".readout");
    const box = chart.viewBox.baseVal;
    let at = reads.length - 1;
    const read = (index) => {
      at = Math.max(0, Math.min(reads.length - 1, index));
      const [x, words] = reads[at];
      if (cursor) { cursor.setAttribute("x1", x); cursor.setAttribute("x2", x); cursor.removeAttribute("hidden"); }
      if (out) out.textContent = words;
    };
    const near = (clientX) => {
      const area = chart.getBoundingClientRect();
      const x = ((clientX - area.left) / area.width) * box.width;
      let best = 0;
      for (let i = 1; i < reads.length; i++) if (Math.abs(reads[i][0] - x) < Math.abs(reads[best][0] - x)) best = i;
      return best;
    };
    chart.addEventListener("pointermove", (event) => read(near(event.clientX)));
    chart.addEventListener("pointerdown", (event) => read(near(event.clientX)));
    chart.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, Home: -reads.length, End: reads.length }[event.key];
      if (by) { event.preventDefault(); read(at + by); }
    });
    chart.addEventListener("focus", () => read(at));
  }

  // What is under way is looked at again until it is over.
  const underWay = document.querySelector("[data-poll]");
  const look = async () => {
    const answer = await fetch(location.href).catch(() => null);
    if (answer?.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.querySelector("[data-poll]");
      if (!next) { location.reload(); return; }
      underWay.querySelector("[role=status]").replaceWith(next.querySelector("[role=status]"));
      const [bar, now] = [underWay, next].map((part) => part.querySelector("progress"));
      if (bar && now) bar.value = now.value; else if (now) underWay.querySelector("h2").after(now); else bar?.remove();
    }
    setTimeout(look, 1500);
  };
  if (underWay) setTimeout(look, 1500);

  // Copying a line to another program.
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }

  // A form that shows what comes of it: changing it shows it anew, below, without leaving the page.
  for (const asked of document.querySelectorAll("form[data-redraft]")) {
    let turn = 0;
    asked.addEventListener("change", async () => {
      const below = document.getElementById(asked.dataset.redraft);
      if (!below || !asked.checkValidity()) return;
      const mine = ++turn;
      const query = new URLSearchParams(new FormData(asked));
      try {
        const answer = await fetch(`${asked.getAttribute("action")}?${query}`, { credentials: "same-origin" });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(below.id);
        if (mine !== turn || !fresh) return;
        const wrong = page.querySelector("form[data-redraft] .faults");
        below.replaceChildren(...(wrong ? [wrong] : []), ...fresh.childNodes);
        history.replaceState(null, "", `?${query}`);
      } catch { /* The button still works. */ }
    });
  }
})();
