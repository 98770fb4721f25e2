// The page's two parts: a recording with thresholds to set, and a node in a box.
"use strict";

// The recording that is shown: its name, its fields as recorded and as they are now.
let shown = { name: "", recorded: {}, fields: {} };

// A made-up machine that the first part offers too: small, short of disk, then of memory.
const MADE_UP = { seed: 187, with: [], without: [] };

function choose(value) {
  const included = RECORDINGS.find((recording) => recording.file === value);
  if (included) {
    take(included.file, new TextEncoder().encode(included.text));
  } else {
    const run = ask("run", MADE_UP);
    if (run.error) show("trouble", run.error);
    else take(`seed-${MADE_UP.seed}.jsonl`, new TextEncoder().encode(run.recording));
  }
}

// Shows a recording, or says why it is none and leaves what was there.
function take(name, bytes) {
  const about = ask("load", bytes);
  if (about.error) {
    show("trouble", `${name}: ${about.error}`);
    return;
  }
  show("trouble", about.problem ? `${name}: ${about.problem}` : "");
  const recorded = Object.fromEntries(about.fields.map((field) => [field.name, field.value]));
  shown = { name, recorded, fields: { ...recorded }, about };
  byId("fields").replaceChildren(...about.fields.map(field));
  byId("summary").textContent = "";
  for (const place of ["sliders", "chart", "decisions", "gone"]) byId(place).replaceChildren();
  decide();
}

function field({ name, value, help, example }) {
  const input = make("input", { type: "text", id: `field-${name}`, value, spellcheck: false, "aria-describedby": `help-${name}` });
  input.addEventListener("input", () => {
    shown.fields[name] = input.value.trim();
    decide();
  });
  const hint = `${help}${example ? ` As in ${example}` : ""}`;
  return make("p", { className: "field" }, make("label", { for: input.id }, `--${name}`), input, make("small", { id: `help-${name}` }, hint));
}

// What differs from the recording: those count in place of its own.
function changed() {
  return Object.entries(shown.fields).filter(([name, value]) => value !== shown.recorded[name]);
}

function decide() {
  const flags = changed();
  const quoted = flags.map(([name, value]) => `--${name}='${value.replaceAll("'", "'\\''")}' `).join("");
  byId("command").textContent = `evictd replay --why ${quoted}${shown.name}`;
  const result = ask("replay", flags);
  if (result.error) {
    const below = byId("summary").textContent ? "\nBelow is what the flags before that decide." : "";
    show("wrong", `${result.error}${below}`);
    return;
  }
  show("wrong", result.problem);
  const { chart } = result;
  byId("about").textContent = `Node ${shown.about.node || "without a name"}: ${result.moments} moments in ${seconds(chart.millis)}, recorded with evictd ${shown.about.version || "of no version"}.`;
  byId("summary").textContent = summary(result);
  drawChart(byId("chart"), chart);
  drawSliders(chart);
  byId("decisions").replaceChildren(...decisions(result.decided));
  byId("gone").replaceChildren(...decisions(result.gone));
  byId("gone-part").hidden = !result.gone.length;
}

function summary({ decided, gone, chart }) {
  const count = chart.evictions.length;
  const pods = count === 1 ? `1 eviction: ${chart.evictions[0][1]} after ${seconds(chart.evictions[0][0])}` : `${count || "No"} evictions`;
  const differs = gone.length || decided.some((of) => of.isNew);
  return `${pods}. ${differs ? "That differs from what was decided when it was recorded." : "All is decided as it was when it was recorded."}`;
}

function decisions(all) {
  let isFirst = true;
  return all.map((of) => {
    const time = make("time", {}, of.time.replace(/^.*T(.*)Z$/, "$1"));
    const mark = of.isNew ? "is-new" : "";
    if (!of.why) return make("li", { className: mark }, time, of.text);
    const text = make("span", { className: `eviction evicted ${mark}` }, of.text);
    const details = make("details", { open: isFirst }, make("summary", {}, time, text), make("pre", {}, of.why));
    isFirst = false;
    return make("li", {}, details);
  });
}

// One for the hard threshold of each signal, and for each soft one.
function drawSliders(chart) {
  const wanted = chart.signals.flatMap((signal) => {
    const kinds = signal.thresholds.some((of) => !of.isHard) ? ["hard", "soft"] : ["hard"];
    return kinds.map((kind) => [signal, kind]);
  });
  const place = byId("sliders");
  const ids = wanted.map(([signal, kind]) => `${kind}-${signal.name}`);
  if (String([...place.children].map((child) => child.dataset.of)) !== String(ids)) {
    place.replaceChildren(...wanted.map(([signal, kind], at) => slider(ids[at], signal.name, kind)));
  }
  wanted.forEach(([signal, kind], at) => {
    const threshold = signal.thresholds.find((of) => of.isHard === (kind === "hard"));
    const input = byId(ids[at]);
    const text = threshold?.share ? `below ${threshold.amount} of ${signal.capacity}` : "off";
    // Who drags it decides where it is.
    if (input !== document.activeElement || Math.abs(input.value - (threshold?.share ?? 0) / 100) >= 0.5) input.value = (threshold?.share ?? 0) / 100;
    input.setAttribute("aria-valuetext", text);
    byId(`${ids[at]}-is`).textContent = text;
  });
}

function slider(id, signal, kind) {
  const input = make("input", { type: "range", id, min: 0, max: 100, step: 0.5 });
  input.addEventListener("input", () => {
    const name = `eviction-${kind}`;
    shown.fields[name] = replaced(shown.fields[name], signal, `${input.value}%`);
    byId(`field-${name}`).value = shown.fields[name];
    decide();
  });
  const label = make("label", { for: id }, make("span", { className: kind }, `${signal}, ${kind}`), make("span", { id: `${id}-is` }));
  const whole = make("div", { className: "slider" }, label, input);
  whole.dataset.of = id;
  return whole;
}

// The list of thresholds with another amount for one signal.
function replaced(list, signal, amount) {
  const pairs = list.split(",").filter((pair) => pair);
  const at = pairs.findIndex((pair) => pair.split("<")[0].trim() === signal);
  pairs.splice(at < 0 ? pairs.length : at, 1, `${signal}<${amount}`);
  return pairs.join(",");
}

async function open(file) {
  if (!file) return;
  // Before it is read: a film may have been dropped.
  if (file.size > 64 << 20) {
    show("trouble", `${file.name}: more than 64 MiB: take fewer moments, or evictd replay`);
    return;
  }
  select("recording");
  byId("included").selectedIndex = -1;
  take(file.name, new Uint8Array(await file.arrayBuffer()));
}

// The node in a box.

const TROUBLES = [
  ["Break the container runtime", ["Runtime", "LateRuntime", "FailingRuntime"]],
  ["Add a hog of memory", ["Leaks", "Bursts"]],
  ["Fill the disks", ["Disks", "OutsideDisk"]],
  ["Kill evictd now and then", ["Sigkill"]],
];

// What the page has switched, beyond what the seed has; and what the last run had.
let switched = {};
let ran = null;

function checkbox(text, toggle) {
  const input = make("input", { type: "checkbox" });
  input.addEventListener("change", () => {
    toggle(input.checked);
    run();
  });
  return make("label", {}, input, ` ${text}`);
}

function drawSwitches() {
  const turn = (names) => (on) => names.forEach((name) => { switched[name] = on; });
  // Some troubles strike twice a minute or less: with them a run is to be long enough.
  const trouble = (names) => (on) => {
    turn(names)(on);
    if (on && ran.seconds < 180) byId("seconds").value = 180;
  };
  byId("quick").append(...TROUBLES.map(([text, names]) => checkbox(text, trouble(names))));
  byId("features").append(...ask("switches").map(([name, words]) => checkbox(words, turn([name]))));
}

function run() {
  const named = (on) => Object.keys(switched).filter((name) => switched[name] === on);
  const lasts = byId("seconds").value;
  const question = { seed: Number(byId("seed").value), with: named(true), without: named(false) };
  const result = ask("run", lasts ? { ...question, seconds: Number(lasts) } : question);
  show("box-wrong", result.error);
  if (result.error) return;
  ran = result;
  const has = (name) => result.features.includes(name);
  const check = (id, all) => byId(id).querySelectorAll("input").forEach((input, at) => { input.checked = all[at].every(has); });
  check("quick", TROUBLES.map(([, names]) => names));
  check("features", ask("switches").map(([name]) => [name]));
  const count = result.chart.evictions.length;
  byId("box-summary").textContent = `${count || "No"} ${count === 1 ? "eviction" : "evictions"} in ${seconds(result.chart.millis)}. ${result.wrong ? `A rule was broken: ${result.wrong}` : "None of the rules that the simulator checks was broken."}`;
  drawChart(byId("box-chart"), result.chart);
  byId("story").replaceChildren(...result.story.map(told));
}

// A line of the story: "  12.345 evictd evicting pod ...".
function told(line) {
  const [, time, who, text] = line.match(/^\s*(\S+) (\S+)\s+(.*)$/s) ?? [null, "", "", line];
  const kind = who === "world" ? (text.startsWith("is asked for") ? "world asked" : "world") : text.startsWith("evicting") ? "eviction evicted" : "";
  return make("li", { className: kind }, make("time", {}, seconds(Number(time) * 1000)), who === "world" ? `(${text})` : text);
}

function save(name, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text])), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

function select(part) {
  for (const name of ["recording", "box"]) {
    const tab = byId(`tab-${name}`);
    tab.setAttribute("aria-selected", String(name === part));
    tab.tabIndex = name === part ? 0 : -1;
    byId(name).hidden = name !== part;
  }
  if (part === "box" && !ran) run();
}

function begin() {
  const works = ask("switches");
  if (works.error) show("failure", `This page needs a browser of 2024 or later: ${works.error}`);
  if (works.error) return;
  const options = [...RECORDINGS.map(({ file, about }) => [file, about]), ["made-up", "A made-up node, for five minutes"]];
  byId("included").append(...options.map(([value, text]) => make("option", { value }, text)));
  byId("included").addEventListener("change", (event) => choose(event.target.value));
  byId("file").addEventListener("change", (event) => open(event.target.files[0]));
  byId("reset").addEventListener("click", () => {
    shown.fields = { ...shown.recorded };
    for (const [name, value] of Object.entries(shown.fields)) byId(`field-${name}`).value = value;
    decide();
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    open(event.dataTransfer.files[0]);
  });
  for (const [part, other] of [["recording", "box"], ["box", "recording"]]) {
    byId(`tab-${part}`).addEventListener("click", () => select(part));
    byId(`tab-${part}`).addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      select(other);
      byId(`tab-${other}`).focus();
    });
  }
  byId("seed-form").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  byId("next").addEventListener("click", () => {
    byId("seed").value = Number(byId("seed").value) + 1;
    run();
  });
  byId("as-seeded").addEventListener("click", () => {
    switched = {};
    byId("seconds").value = "";
    run();
  });
  byId("adopt").addEventListener("click", () => {
    select("recording");
    byId("included").selectedIndex = -1;
    take(`seed-${byId("seed").value}.jsonl`, new TextEncoder().encode(ran.recording));
    byId("tab-recording").focus();
  });
  byId("save").addEventListener("click", () => save(`seed-${byId("seed").value}.jsonl`, ran.recording));
  byId("asked").addEventListener("change", (event) => byId("story").classList.toggle("quiet", !event.target.checked));
  byId("story").classList.add("quiet");
  drawSwitches();
  choose(RECORDINGS[0].file);
}

if (typeof WASM === "undefined") {
  show("failure", "These are the sources of the page: ci/playground builds it, as target/playground/page/index.html.");
} else {
  begin();
}
