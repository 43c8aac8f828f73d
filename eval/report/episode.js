"use strict";
// Everything that a model wrote is set as text, never as markup.
const rounds = JSON.parse(document.getElementById("rounds").textContent);
const part = (id) => document.getElementById(id);
let at = 0;
let timer = null;

function element(kind, text, name) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  made.textContent = text;
  return made;
}

function call(each) {
  const box = element("div", "", "call");
  const head = element("h3", each.name, "name");
  if (each.error) head.append(element("span", each.error.replaceAll("_", " "), "error"));
  box.append(head, element("pre", each.arguments), element("p", each.result, "result"));
  return box;
}

function show(index) {
  at = Math.max(0, Math.min(rounds.length - 1, index));
  const round = rounds[at];
  part("image").src = round.image;
  part("image").alt = at ? `The page after round ${at}` : "The page at the start";
  part("place").value = at;
  part("back").disabled = at === 0;
  part("forth").disabled = at === rounds.length - 1;
  part("where").textContent = at ? `After round ${at} of ${rounds.length - 1}` : "At the start";
  const told = part("told");
  told.replaceChildren(element("h2", at ? `Round ${at}` : "At the start"));
  if (round.text) told.append(element("h3", "The environment said"), element("pre", round.text));
  if (round.reply) told.append(element("h3", "The model wrote"), element("pre", round.reply));
  for (const each of round.calls) told.append(call(each));
  if (round.end) told.append(element("p", `The episode ended here: ${round.end}. Paid: ${round.reward.toFixed(3)}.`, "paid"));
  else if (round.reward) told.append(element("p", `Paid: ${round.reward.toFixed(3)}.`, "paid"));
}

function stop() {
  if (timer !== null) clearInterval(timer);
  timer = null;
  part("play").textContent = "Play";
}

function play() {
  if (timer !== null) return stop();
  if (at === rounds.length - 1) show(0);
  part("play").textContent = "Stop";
  timer = setInterval(() => (at < rounds.length - 1 ? show(at + 1) : stop()), 700);
}

part("place").max = rounds.length - 1;
part("place").addEventListener("input", (event) => { stop(); show(Number(event.target.value)); });
part("back").addEventListener("click", () => { stop(); show(at - 1); });
part("forth").addEventListener("click", () => { stop(); show(at + 1); });
part("play").addEventListener("click", play);
document.addEventListener("keydown", (event) => {
  if (event.target === part("place")) return;
  if (event.key === "ArrowLeft") { stop(); show(at - 1); }
  if (event.key === "ArrowRight") { stop(); show(at + 1); }
});
const wanted = /^#round-(\d+)$/.exec(location.hash);
show(wanted ? Number(wanted[1]) : 0);
