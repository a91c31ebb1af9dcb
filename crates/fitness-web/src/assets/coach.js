// Chat: the reply streams in. Without JavaScript the form is posted and the page reloads.
"use strict";
(() => {
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
      const waits = add("p", "step", "Thinking …");
      let said = null;
      let step = null;
      const heard = {
        begun: (data) => {
          chat = data.chat;
          history.replaceState(null, "", `/coach?chat=${chat}`);
        },
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
          else {
            step ??= add("p", "step", "");
            step.textContent = `${data.state === "done" ? "✓" : "✕"} ${data.words}`;
            step = null;
          }
        },
        card: (data) => {
          const id = data.plan_id ?? data.proposal_id;
          const card = add("div", "card waits left", "");
          const link = document.createElement("a");
          link.className = "btn small";
          link.href = data.kind === "draft" ? `/plans/${id}` : `/proposals/${id}`;
          link.textContent = `Review ${data.kind}`;
          card.append(link);
        },
        end: (data) => {
          if (data.notice) add("p", "fault", data.notice);
          document.getElementById("cost").textContent = data.spent;
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
            if (!name || !data) continue;
            const told = JSON.parse(data);
            if (name !== "begun") waits.remove();
            heard[name]?.(told);
            // After a tool call the model continues.
            if (name === "tool" && told.state !== "doing") log.append(waits);
          }
        }
      } catch (why) {
        waits.remove();
        add("p", "fault", why.name === "AbortError" ? "Stopped. The conversation so far is saved." : "Can't reach the coach right now. Nothing was changed.");
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
})();
