// evictd's code in WebAssembly (crates/playground), and how it is asked.
"use strict";

let compiled = null;
let wasm = null;
// What was taken last: code that was started anew is given it again.
let kept = null;

function started() {
  compiled ??= new WebAssembly.Module(Uint8Array.from(atob(WASM), (letter) => letter.charCodeAt(0)));
  if (!wasm) {
    wasm = new WebAssembly.Instance(compiled, {}).exports;
    if (kept) call("load", kept);
  }
  return wasm;
}

function call(name, question) {
  const code = started();
  const at = code.room(question.length);
  if (!at && question.length) return { error: "more than 64 MiB: take fewer moments, or evictd replay" };
  new Uint8Array(code.memory.buffer, at, question.length).set(question);
  code[name]();
  const answer = new Uint8Array(code.memory.buffer, code.answer(), code.answer_bytes());
  return JSON.parse(new TextDecoder().decode(answer));
}

// Never throws. Code that stopped is in an unknown state, and is thrown away.
function ask(name, question) {
  const bytes = question instanceof Uint8Array ? question : new TextEncoder().encode(JSON.stringify(question ?? null));
  try {
    const answer = call(name, bytes);
    if (name === "load" && !answer.error) kept = bytes;
    return answer;
  } catch (error) {
    wasm = null;
    return { error: `evictd's code stopped (${error.message}), which is a defect whatever it was given: please report it, with the recording or the seed. This page goes on with what it had.` };
  }
}
