"use strict";
// The page of `matcha serve --http`: asks /v1/ask, and shows the answers. Text goes in as text, never as HTML.

const at = (id) => document.getElementById(id);
const state = { token: sessionStorage.getItem("matcha-token") || "", running: null };

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

// Whole numbers of more than 53 bits stay as they are written.
function parse(text) {
  const quoted = (all, word, number) => (word || !/^-?\d{16,}$/.test(number) ? all : `"${number}"`);
  return JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)/g, quoted));
}

async function ask(path, request, signal) {
  const headers = { "Content-Type": "application/json" };
  if (state.token) headers.Authorization = `Bearer ${state.token}`;
  const how = request ? { method: "POST", body: JSON.stringify(request), headers, signal } : { headers, signal };
  const response = await fetch(path, how);
  if (response.status === 401) at("access").hidden = false;
  return parse(await response.text());
}

function show(...parts) {
  at("answer").replaceChildren(...parts);
}

function table(heads, rows, figures = []) {
  const made = element("table"), head = element("thead"), body = element("tbody"), line = element("tr");
  heads.forEach((one) => line.append(element("th", one)));
  head.append(line);
  rows.forEach((row) => {
    const out = element("tr");
    row.forEach((cell, i) => out.append(element("td", cell, figures[i] || "")));
    body.append(out);
  });
  made.append(head, body);
  const scroll = element("div", undefined, "scroll");
  scroll.append(made);
  return scroll;
}

function picture(svg, words) {
  const figure = element("figure"), image = element("img");
  const bytes = new TextEncoder().encode(svg);
  image.src = `data:image/svg+xml;base64,${btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""))}`;
  image.alt = words;
  figure.append(image);
  return figure;
}

function problems(answer) {
  const lines = (answer.errors || []).map((one) => one.message + (one.hint ? `\n  hint: ${one.hint}` : ""));
  return element("p", lines.join("\n") || answer.status, "wrong");
}

function partly(answer) {
  if (answer.complete !== false) return "";
  return element("p", answer.status === "ok" ? "There are more." : `Not complete: ${answer.status}.`, "quiet");
}

function showCount(answer) {
  if (Array.isArray(answer.result)) {
    const isOne = !Array.isArray(answer.result[0]) && answer.columns && answer.columns.length === answer.result.length;
    return isOne ? showBars(answer) : showRows(answer);
  }
  const text = typeof answer.result === "number" || typeof answer.result === "string" ? grouped(answer.result) : String(answer.result);
  show(element("p", text, "number"), partly(answer), element("p", answer.meaning || answer.signature, "quiet"));
}

function showRows(answer) {
  if (!Array.isArray(answer.result)) return showCount(answer);
  const rows = answer.result.slice(0, 100).map((row) => (Array.isArray(row) ? row : [row]));
  const parts = [element("h2", "First matches"), partly(answer), table(answer.columns || [], rows)];
  if (answer.picture) parts.push(picture(answer.picture, "The first matches, drawn"));
  show(...parts);
}

function showBars(answer) {
  const bars = element("div", undefined, "bars"), names = answer.columns || answer.result.map((_, i) => `${i + 1}`);
  const logs = answer.result.map((one) => Math.log10(Number(one) + 1)), most = Math.max(1, ...logs);
  answer.result.forEach((count, i) => {
    const bar = element("progress");
    bar.max = most;
    bar.value = logs[i];
    bar.setAttribute("aria-label", names[i]);
    bars.append(element("span", names[i]), bar, element("span", grouped(count), "figure"));
  });
  show(element("h2", "Motifs"), element("p", "Bars have a logarithmic scale.", "quiet"), partly(answer), bars);
}

function showPlan(answer) {
  const plan = answer.plan, parts = [element("h2", "Plan"), element("p", answer.meaning || plan.signature, "quiet")];
  if (answer.picture) parts.push(picture(answer.picture, "The pattern and the order in which its vertices are matched"));
  const engines = (plan.engines || []).map((one) => [
    `${one.engine} on ${one.device === "cuda" ? "a GPU" : "a CPU"}`,
    one.ns === undefined ? "" : `${(Number(one.ns) / 1e6).toPrecision(3)} ms`, one.refused || (one.chosen ? "answers" : "")]);
  if (engines.length) parts.push(element("h2", "Engines"), table(["engine", "expected", ""], engines, ["", "figure", ""]));
  const steps = (plan.steps || []).map((one) => [
    "  ".repeat(one.depth) + one.text, one.estimated === undefined ? "" : Number(one.estimated).toPrecision(3)]);
  if (steps.some((one) => one[1])) parts.push(element("h2", "Steps"), table(["step", "estimated"], steps, ["step", "figure"]));
  show(...parts);
}

const actions = {
  count: { request: {}, show: showCount },
  matches: { request: { picture: true }, options: { matches: true, limit: 12 }, show: showRows },
  plan: { request: { explain: true }, show: showPlan },
  motifs: { request: {}, options: { induced: "vertex" }, show: showBars },
};

function requestOf(name) {
  const action = actions[name], kind = at("kind").value;
  const options = { timeout: Number(at("seconds").value) || 30, ...action.options };
  const request = { ...action.request, options };
  if (at("graph").options.length > 1) request.graph = at("graph").value;
  if (name === "motifs" && state.graphs[at("graph").value].directed) {
    return { ...request, file: "std.directed", options: { timeout: options.timeout, entry: "triads" } };
  }
  if (name === "motifs") return { ...request, pattern: "motif:4" };
  if (kind === "query") {
    delete options.matches;
    delete options.limit;
    return { ...request, query: at("pattern").value };
  }
  if (name !== "matches" || kind === "vertex") options.induced = kind;
  return { ...request, pattern: at("pattern").value };
}

async function run(name) {
  if (state.running) state.running.abort();
  const controller = new AbortController();
  state.running = controller;
  document.querySelector("[value=stop]").disabled = false;
  at("state").textContent = "Running …";
  const url = new URLSearchParams({ pattern: at("pattern").value, kind: at("kind").value, graph: at("graph").value, show: name });
  history.replaceState(null, "", `#${url}`);
  try {
    const answer = await ask("v1/ask", requestOf(name), controller.signal);
    if (state.running !== controller) return;
    if (answer.errors || answer.result === null) show(problems(answer));
    else actions[name].show(answer);
    const ms = answer.ms;
    at("state").textContent = ms ? `Compiled in ${ms.compile} ms, run in ${ms.run} ms.` : "";
  } catch (problem) {
    if (state.running === controller) at("state").textContent = problem.name === "AbortError" ? "Stopped." : String(problem);
  }
  if (state.running === controller) {
    state.running = null;
    document.querySelector("[value=stop]").disabled = true;
  }
}

async function open() {
  const all = await ask("v1/graphs");
  if (all.errors) {
    at("state").textContent = all.errors[0].message;
    return;
  }
  at("access").hidden = true;
  state.graphs = all.graphs || { graph: all.graph };
  const graphs = state.graphs;
  at("graph").replaceChildren(...Object.keys(graphs).map((name) => element("option", name)));
  const facts = (name) => `${grouped(graphs[name].vertices)} vertices, ${grouped(graphs[name].edges)} edges`;
  const tell = () => { at("facts").textContent = `${facts(at("graph").value)} · Matcha ${all.version}`; };
  at("graph").addEventListener("change", tell);
  at("names").replaceChildren(...all.patterns.map((name) => { const one = element("option"); one.value = name; return one; }));
  const kept = new URLSearchParams(location.hash.slice(1));
  for (const name of ["pattern", "kind", "graph"]) if (kept.get(name)) at(name).value = kept.get(name);
  if (!at("graph").value) at("graph").selectedIndex = 0;
  tell();
  at("state").textContent = "";
  if (actions[kept.get("show")]) run(kept.get("show"));
}

at("question").addEventListener("submit", (event) => { event.preventDefault(); run("count"); });
document.querySelectorAll("#question button[type=button]").forEach((button) => {
  button.addEventListener("click", () => (button.value === "stop" ? state.running && state.running.abort() : run(button.value)));
});
at("access").addEventListener("submit", (event) => {
  event.preventDefault();
  state.token = at("token").value.trim();
  sessionStorage.setItem("matcha-token", state.token);
  open();
});
open().catch((problem) => { at("state").textContent = String(problem); });
