// What both parts of the page show: text, charts, times.
"use strict";

const byId = (id) => document.getElementById(id);

// An element with text in it; a text is never markup.
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role" || key === "for") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

function drawn(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function show(id, text) {
  byId(id).textContent = text ?? "";
  byId(id).hidden = !text;
}

function seconds(millis) {
  const whole = Math.floor(millis / 1000);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

const percent = (share) => `${(share / 100).toFixed(1)}\u00a0%`;

const WIDTH = 1000;
const HEIGHT = 100;

// Draws into `place`: each signal as a panel, each condition as a bar, and a moment to look at.
function drawChart(place, chart) {
  const x = (millis) => (WIDTH * millis) / Math.max(chart.millis, 1);
  const y = (share) => HEIGHT - (HEIGHT * share) / 10000;
  const cursors = [];
  const parts = [];
  const panel = (kind, label, ...children) => {
    const cursor = drawn("line", { class: "moment", y1: 0, y2: HEIGHT, x1: -9, x2: -9 });
    cursors.push(cursor);
    return drawn("svg", { class: kind, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, ...children, cursor);
  };
  for (const signal of chart.signals) {
    const texts = signal.thresholds.map((of) => of.isHard ? `hard below ${of.amount}` : `soft below ${of.amount} for ${of.grace}`);
    const least = `least ${signal.least} of ${signal.capacity}`;
    const lines = signal.thresholds.map((of) => drawn("line", { class: of.isHard ? "hard" : "soft", x1: 0, x2: WIDTH, y1: y(of.share), y2: y(of.share) }));
    let path = "";
    let isDown = false;
    for (const [millis, share] of signal.points) {
      if (share !== null) path += `${isDown ? "L" : "M"}${x(millis).toFixed(1)} ${y(share).toFixed(1)}`;
      isDown = share !== null;
    }
    const evicted = chart.evictions.map(([millis, pod]) => drawn("line", { class: "evicted", y1: 0, y2: HEIGHT, x1: x(millis), x2: x(millis) }, drawn("title", {}, `${pod} evicted`)));
    parts.push(
      make("div", { className: "name" }, make("b", {}, signal.name), make("span", {}, least),
        ...signal.thresholds.map((of, at) => make("span", { className: of.isHard ? "hard" : "soft" }, texts[at]))),
      panel("signal", [signal.name, least, ...texts].join(", "), ...lines, drawn("path", { class: "left", d: path }), ...evicted),
    );
  }
  for (const condition of chart.conditions) {
    const bars = condition.spans.map(([from, to]) => drawn("rect", { class: "held", x: x(from), y: 0, width: Math.max(x(to) - x(from), 2), height: HEIGHT }));
    const held = condition.spans.map(([from, to]) => `${seconds(from)} to ${seconds(to)}`).join(", ") || "never";
    parts.push(
      make("div", { className: "name" }, make("b", {}, condition.name), make("span", {}, held)),
      panel("condition", `${condition.name}: ${held}`, ...bars),
    );
  }
  const id = `${place.id}-moment`;
  const slider = make("input", { type: "range", id, min: 0, max: chart.millis, step: Math.max(1, Math.floor(chart.millis / 600)), value: chart.millis });
  const readout = make("p", { className: "readout" });
  const look = () => {
    const at = Number(slider.value);
    for (const cursor of cursors) {
      cursor.setAttribute("x1", x(at));
      cursor.setAttribute("x2", x(at));
    }
    const left = chart.signals.map((signal) => {
      const point = signal.points.findLast(([millis]) => millis <= at);
      return `${signal.name} ${point && point[1] !== null ? percent(point[1]) : "unknown"}`;
    });
    const held = chart.conditions.filter((of) => of.spans.some(([from, to]) => from <= at && at <= to)).map((of) => of.name);
    readout.textContent = `After ${seconds(at)}: ${[...left, ...held].join(", ")}`;
    slider.setAttribute("aria-valuetext", readout.textContent);
  };
  slider.addEventListener("input", look);
  for (const svg of parts.filter((part) => part instanceof SVGElement)) {
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      slider.value = ((event.clientX - box.left) / box.width) * chart.millis;
      look();
    });
  }
  place.replaceChildren(
    ...parts,
    make("div", { className: "ends" }, make("span", {}, chart.first), make("span", {}, chart.last)),
    make("label", { for: id }, "Moment"), slider, readout,
  );
  look();
}
