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

  // Talking: the answer comes as it is made. Without a script the form is sent and the page comes back with it.
  const form = document.querySelector("form#say");
  if (form && window.ReadableStream) {
    const log = document.getElementById("log");
    const stop = document.getElementById("stop");
    const text = form.elements.text;
    let chat = form.dataset.chat ? Number(form.dataset.chat) : null;
    const add = (tag, name, words) => {
      const node = document.createElement(tag);
      node.className = name;
      node.textContent = words;
      log.append(node);
      node.scrollIntoView({ block: "nearest" });
      return node;
    };
    const send = async (words) => {
      const ending = new AbortController();
      const send = form.querySelector("button[type=submit]");
      document.getElementById("openings")?.remove();
      send.disabled = true;
      stop.hidden = false;
      stop.onclick = () => ending.abort();
      add("div", "said you", words);
      let said = null;
      let step = null;
      const heard = {
        text: (data) => { said ??= add("div", "said coach words", ""); said.textContent += data.text; },
        unbacked: (data) => {
          if (!said) return;
          said.replaceChildren(...data.pieces.map((piece) => {
            if (!piece.unbacked) return piece.text;
            const mark = document.createElement("mark");
            const why = document.createElement("span");
            mark.title = "Not backed by your data";
            why.className = "hidden";
            why.textContent = " (not backed by your data)";
            mark.append(piece.text, why);
            return mark;
          }));
        },
        tool: (data) => {
          said = null;
          if (data.state === "doing") step = add("p", "step", `${data.words} …`);
          else if (step) step.textContent = `${data.state === "done" ? "✓" : "✕"} ${data.words}`;
        },
        card: (data) => {
          const id = data.plan_id ?? data.proposal_id;
          const card = add("div", "card waits left", "");
          const link = document.createElement("a");
          link.className = "btn small";
          link.href = data.kind === "draft" ? `/plans/${id}` : `/proposals/${id}`;
          link.textContent = `Review ${data.kind} ${id}`;
          card.append(link, " The coach cannot commit. You decide.");
        },
        end: (data) => {
          chat = data.chat;
          history.replaceState(null, "", `/coach?chat=${chat}`);
          if (data.notice) add("p", "fault", data.notice);
          if (data.cost_micros) document.getElementById("cost").textContent = `$${(data.cost_micros / 1e6).toFixed(4)}`;
        },
        error: (data) => add("p", "fault", data.message),
      };
      try {
        const body = { text: words, chat };
        const model = form.elements.model?.value;
        if (model) body.model = model;
        const answer = await fetch("/api/chat", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal: ending.signal });
        if (!answer.ok) throw new Error(await answer.text());
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let rest = ""; ;) {
          const { value, done } = await reader.read();
          if (done) break;
          const events = (rest + value).split("\n\n");
          rest = events.pop();
          for (const event of events) {
            const name = /^event: (.*)$/m.exec(event)?.[1];
            const data = [...event.matchAll(/^data: ?(.*)$/gm)].map((line) => line[1]).join("\n");
            if (name && data) heard[name]?.(JSON.parse(data));
          }
        }
      } catch (why) {
        add("p", "fault", why.name === "AbortError" ? "Stopped. What was said so far is kept." : "The coach cannot be reached just now. Nothing was changed.");
      }
      send.disabled = false;
      stop.hidden = true;
      text.focus();
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const words = text.value.trim();
      text.value = "";
      if (words) send(words);
    });
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); }
    });
    for (const opening of document.querySelectorAll("#openings form")) {
      opening.addEventListener("submit", (event) => { event.preventDefault(); send(opening.elements.text.value); });
    }
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
