"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const drawings = data.drawings;
  const questions = [
    { key: "creativity", text: "How creative is the idea of this drawing?", low: "not at all creative", high: "very creative" },
    { key: "recognisability", text: "Can you recognise an object or a scene in it?", low: "not at all", high: "very clearly" },
  ];
  const by = (id) => document.getElementById(id);
  const memory = "designgym-ratings-" + data.rater + "-" + drawings.map((d) => d.code).join("");
  let answers = {};
  let at = 0;

  // What was answered survives a closed window, where the browser allows a page to remember anything.
  try { answers = JSON.parse(localStorage.getItem(memory)) || {}; } catch { answers = {}; }
  const keep = () => { try { localStorage.setItem(memory, JSON.stringify(answers)); } catch { /* it lasts while open */ } };

  const answer = (i, key) => (answers[drawings[i].code] || {})[key];
  const complete = (i) => questions.every((q) => answer(i, q.key) !== undefined);

  function show(id) {
    for (const page of ["start", "rate", "end"]) by(page).hidden = page !== id;
    window.scrollTo(0, 0);
  }

  function draw() {
    const done = drawings.filter((_, i) => complete(i)).length;
    by("place").textContent = `Drawing ${at + 1} of ${drawings.length}`;
    by("bar").firstElementChild.style.width = `${(100 * done) / drawings.length}%`;
    by("picture").src = drawings[at].src;
    by("picture").alt = `Drawing ${at + 1}`;
    for (const q of questions) {
      for (const input of document.getElementsByName(q.key)) input.checked = Number(input.value) === answer(at, q.key);
    }
    by("back").textContent = at ? "Back" : "Instructions";
    ready();
  }

  function ready() {
    by("next").disabled = !complete(at);
    by("next").textContent = at + 1 < drawings.length ? "Next" : "Finish";
  }

  function choose(key, value) {
    const code = drawings[at].code;
    answers[code] = { ...answers[code], [key]: value };
    keep();
    for (const input of document.getElementsByName(key)) input.checked = Number(input.value) === value;
    ready();
  }

  function go(i) {
    at = i;
    show("rate");
    draw();
  }

  function finish() {
    const open = drawings.map((_, i) => i).filter((i) => !complete(i));
    by("verdict").textContent = open.length ? "Not quite done" : "All drawings are rated";
    by("missing").textContent = open.length
      ? `${open.length === 1 ? "One drawing is" : `${open.length} drawings are`} not rated yet:`
      : "Thank you. Save your answers as a file and send it back to the person who gave you this page.";
    by("open").replaceChildren(...open.map((i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `Drawing ${i + 1}`;
      button.addEventListener("click", () => go(i));
      return button;
    }));
    by("save").disabled = open.length > 0;
    by("saved").textContent = "";
    show("end");
  }

  function save() {
    const rows = drawings.map((d, i) => [d.code, data.rater, ...questions.map((q) => answer(i, q.key))]);
    const text = [data.columns, ...rows].map((row) => row.join(",")).join("\n") + "\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = `${data.rater}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    const name = document.createElement("code");
    name.textContent = link.download;
    by("saved").replaceChildren("The file ", name, " is in the folder of your downloads. You can close this page.");
  }

  for (const q of questions) {
    const set = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.textContent = q.text;
    const scale = document.createElement("div");
    scale.className = "scale";
    for (let value = 1; value <= 5; value += 1) {
      const label = document.createElement("label");
      const input = document.createElement("input");
      const face = document.createElement("span");
      Object.assign(input, { type: "radio", name: q.key, value: String(value) });
      input.setAttribute("aria-label", value === 1 ? `1, ${q.low}` : value === 5 ? `5, ${q.high}` : String(value));
      input.addEventListener("change", () => choose(q.key, value));
      face.textContent = String(value);
      label.append(input, face);
      scale.append(label);
    }
    const ends = document.createElement("div");
    ends.className = "ends";
    for (const end of [q.low, q.high]) {
      const word = document.createElement("span");
      word.textContent = end;
      ends.append(word);
    }
    set.append(legend, scale, ends);
    by("questions").append(set);
  }
  by("overview").append(...drawings.map((d) => Object.assign(document.createElement("img"), { src: d.src, alt: "", loading: "lazy" })));
  if (Object.keys(answers).length) by("begin").textContent = "Go on rating";

  const firstOpen = () => Math.max(0, drawings.findIndex((_, i) => !complete(i)));
  const next = () => { if (complete(at)) { if (at + 1 < drawings.length) go(at + 1); else finish(); } };
  by("begin").addEventListener("click", () => (drawings.every((_, i) => complete(i)) ? finish() : go(firstOpen())));
  by("back").addEventListener("click", () => (at ? go(at - 1) : show("start")));
  by("next").addEventListener("click", next);
  by("review").addEventListener("click", () => go(drawings.length - 1));
  by("save").addEventListener("click", save);
  by("questions").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (by("rate").hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key >= "1" && event.key <= "5") {
      const q = questions.find((each) => answer(at, each.key) === undefined);
      if (q) choose(q.key, Number(event.key));
    } else if (event.key === "Enter" && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      next();
    }
  });
})();
