"""Tries the playground as a person does, in a headless Chromium, from disk.

usage: test.py PAGE EVICTD SIMULATOR
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import checks
from browser import browser

# Of what the page decides and what evictd decides nothing may differ, with any of these.
FLAGS = [
    [],
    [["eviction-hard", "memory.available<30%"]],
    [["eviction-hard", "memory.available<95%,nodefs.available<40%"], ["eviction-pressure-transition-period", "30s"]],
    [["eviction-hard", ""], ["eviction-soft", "memory.available<90%"], ["eviction-soft-grace-period", "memory.available=1s"]],
    [["eviction-hard", "memory.available<10%,pid.available<5%"], ["eviction-minimum-reclaim", "memory.available=2%"]],
]

SEEDS = range(180, 200)

# More is no page that one drags a slider on. What it takes is printed.
MOST_SECONDS = 10


def text_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.stdout


def expect(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def as_evictd_decides(it, evictd, folder):
    """The same bytes decide: what the page shows is what evictd prints."""
    options = it.run("[...byId('included').options].map((option) => option.value)")
    expect(len(options) == 3, f"three recordings are included: {options}")
    total, different = 0, set()
    for option in options:
        it.run(f"byId('included').value = {json.dumps(option)}; byId('included').dispatchEvent(new Event('change'))")
        expect(it.run("byId('trouble').hidden"), f"{option} is a recording: {it.run('byId(`trouble`).textContent')}")
        file = pathlib.Path(folder, "recording.jsonl")
        file.write_text(it.run("new TextDecoder().decode(kept)"), encoding="utf-8")
        for flags in FLAGS:
            given = [f"--{name}={value}" for name, value in flags]
            printed = text_of(evictd, "replay", "--json", "--why", *given, str(file)).splitlines()
            expected = [[of["time"], of["decided"], of["why"]] for of in map(json.loads, printed)]
            answer = it.run(f"ask('replay', {json.dumps(flags)})")
            found = [[of["time"], of["text"], of["why"]] for of in answer.get("decided", [])]
            expect(found == expected, f"{option} {given}: the page decides {len(found)} things ({answer.get('error')}), evictd {len(expected)}")
            total += len(found)
            different.add(json.dumps(found))
        expect(it.run("ask('replay', []).decided.every((of) => !of.isNew) && !ask('replay', []).gone.length"), f"{option} is decided as recorded")
    expect(len(different) > 6, f"other thresholds decide otherwise: {len(different)} outcomes")
    print(f"{len(options)} recordings with {len(FLAGS)} sets of flags: {total} decisions, all as evictd prints them")


def as_the_simulator_tells(it, simulator):
    """A seed is the same story here and there."""
    for seed in SEEDS:
        run = it.run(f"ask('run', {{ seed: {seed} }})")
        lines = text_of(simulator, "--seed", str(seed)).splitlines()[2:-1]
        expect(run.get("story") == lines, f"seed {seed} is another story: {run.get('error')}")
    expect(run["recording"] == text_of(simulator, "--record", str(seed)), f"seed {seed} is another recording")
    print(f"{len(SEEDS)} seeds: each the story that the simulator tells")


def by_keys_alone(it):
    """From the top of the page to a threshold, another decision, and a machine in a box."""
    place = "document.activeElement?.id || document.activeElement?.textContent"
    reached = []

    def tab_to(name):
        for _ in range(40):
            it.press("Tab")
            reached.append(it.run(place))
            if reached[-1] == name:
                return
        sys.exit(f"FAILED: the Tab key never reaches {name}: {reached}")

    tab_to("tab-recording")
    tab_to("hard-memory.available")
    before = it.run("byId('decisions').textContent")
    it.press("Home")
    expect(it.run("shown.fields['eviction-hard']") == "memory.available<0%", "Home is a threshold of 0%")
    expect("No evictions" in it.run("byId('summary').textContent"), "a threshold that is off evicts nobody")
    expect(it.run("byId('decisions').textContent") != before, "the decisions have changed")
    it.press("PageUp", 3)
    expect("1 eviction: default/batch" in it.run("byId('summary').textContent"), "a higher threshold evicts")
    expect(it.run("byId('command').textContent").startswith("evictd replay --why --eviction-hard='memory.available<"), "the command line is told")
    tab_to("reset")
    it.press("Enter")
    expect(it.run("byId('decisions').textContent") == before, "As recorded gives back what was recorded")
    tab_to("chart-moment")
    it.press("Home")
    expect(it.run("document.querySelector('#chart .readout').textContent").startswith("After 00:00:00: memory.available "), "the moment is told")
    it.run("document.activeElement.blur(); byId('tab-recording').focus()")
    it.press("ArrowRight")
    expect(it.run("document.activeElement.id === 'tab-box' && !byId('box').hidden"), "an arrow key turns to the other part")
    it.run("byId('seed').value = 186")
    tab_to("next")
    it.press("Enter")
    expect(it.run("byId('seed').value") == "187", "Enter takes the next seed")
    it.press("Tab")
    expect(it.run("document.activeElement.type") == "checkbox", "the switches follow")
    for _ in range(3):
        it.press("Tab")
    it.press(" ")
    expect(it.run("ran.features.includes('Sigkill') && byId('story').textContent.includes('SIGKILL of evictd')"), "who kills evictd reads of it")
    tab_to("adopt")
    it.press("Enter")
    expect("seed-187.jsonl" in it.run("byId('command').textContent"), "a run is a recording to try thresholds on")
    print(f"keys alone: {len(reached)} stops, a threshold, another decision, a machine")


# What may be dropped here, and what the page has to say of it.
GOOD = '{"recording":{"form":1,"node":"n","evictd":"0","flags":["--eviction-hard=memory.available<50%"]}}\\n'
MOMENT = '{"seen":{"atNanos":%d,"time":"2026-11-26T00:00:00Z","signals":{"memory.available":{"available":1,"capacity":9}},"pods":[]}}\\n'
BROKEN = {
    "empty": ("''", "Its first line is like"),
    "a picture": ("new Uint8Array([0x89, 80, 78, 71, 10, 26, 0xff, 0xfe])", "no recording of evictd record"),
    "other JSON": ("""'{"kind":"Pod"}\\n'""", "evictd record FILE writes one"),
    "a deep one": ("'['.repeat(2e6)", "recursion limit"),
    "a newer form": ("""'{"recording":{"form":9}}\\n'""", "made by a newer evictd"),
    "a wrong flag": (f"'{GOOD}'.replace('hard', 'herd')", "did you mean --eviction-hard?"),
    "a flag of a file": (f"'{GOOD}'.replace('eviction-hard', 'config')", "give the flags that it holds"),
    "a torn end": (f"'{GOOD}{MOMENT % 1}'.slice(0, -9)", "line 2: ends within the line"),
    "time that goes back": (f"'{GOOD}{MOMENT % 5}{MOMENT % 1}'", "before that of the last moment"),
    "a film": ("new Uint8Array((64 << 20) + 1)", "more than 64 MiB"),
    "too many pods": (f"""'{GOOD}' + '{{"pod":{{"metadata":{{"uid":"u"}}}}}}\\n'.repeat(40000)""", "more pods and moments than a page"),
    "a hostile name": (f"""'{GOOD}{MOMENT % 1}'.replace('"n"', '"<img src=x onerror=boom()>"')""", ""),
}


def whatever_is_dropped(it):
    """What is wrong is told, and the page goes on."""
    it.run("choose('eviction.jsonl')")
    summary = it.run("byId('summary').textContent")
    for name, (content, told) in BROKEN.items():
        it.run(f"""(async () => {{
            const data = new DataTransfer();
            data.items.add(new File([{content}], "dropped.jsonl"));
            byId("trouble").textContent = byId("wrong").textContent = "";
            dispatchEvent(new DragEvent("drop", {{ dataTransfer: data, bubbles: true, cancelable: true }}));
        }})()""")
        it.wait_for(f"(byId('trouble').textContent + byId('wrong').textContent).includes({json.dumps(told)}) && (!!{json.dumps(told)} || byId('about').textContent.includes('<img'))")
        expect(it.run("document.querySelectorAll('main img').length") == 0, f"{name}: a name is no markup")
        it.run("choose('eviction.jsonl')")
        expect(it.run("byId('summary').textContent") == summary, f"after {name} the page works as before")
    it.run("byId('field-eviction-hard').value = 'memory'; byId('field-eviction-hard').dispatchEvent(new Event('input'))")
    expect("Below is what the flags before that decide" in it.run("byId('wrong').textContent"), "a wrong flag is told, and what is shown meanwhile")
    it.run("byId('reset').click()")
    expect(it.run("byId('wrong').hidden && byId('summary').textContent") == summary, "a wrong flag is taken back")
    # Code that stops as a panic does there, by a trap.
    it.run("wasm = { ...wasm, load() { throw new WebAssembly.RuntimeError('unreachable'); } }; take('x.jsonl', new Uint8Array(9))")
    expect("is a defect whatever it was given" in it.run("byId('trouble').textContent"), "a trap is told")
    it.run("decide()")
    expect(it.run("byId('wrong').hidden && byId('summary').textContent") == summary, "after a trap the page goes on with what it had")
    expect("whole number" in it.run("ask('run', { seed: -1 }).error"), "a wrong seed is told")
    print(f"{len(BROKEN)} broken files and a trap: each told, and the page works as before")


HOUR = """(() => {
    const moments = 3600, pods = 20, lines = ['{"recording":{"form":1,"node":"n","evictd":"0","flags":["--eviction-hard=memory.available<20%"]}}'];
    for (let pod = 0; pod < pods; pod++) lines.push(JSON.stringify({ pod: { metadata: { name: `pod-${pod}`, namespace: "default", uid: `uid-${pod}` }, spec: { containers: [{ name: "main" }] } } }));
    for (let at = 0; at < moments; at++) {
        const available = Math.round(4e9 * (0.5 + 0.4 * Math.sin(at / 100)));
        const of = [];
        for (let pod = 0; pod < pods; pod++) of.push({ uid: `uid-${pod}`, memoryWorkingSetBytes: 1e8 + pod * at, swapBytes: 0, ephemeralStorageBytes: 0, processCount: 3, containers: [{ name: "main", memoryWorkingSetBytes: 1e8, logsBytes: 0, logsInodes: 0, rootfsBytes: 0 }] });
        lines.push(JSON.stringify({ seen: { atNanos: at * 1e9, time: "2026-11-26T00:00:00Z", layout: "one filesystem", signals: { "memory.available": { available, capacity: 4e9 } }, pods: of } }));
    }
    return new TextEncoder().encode(lines.join("\\n") + "\\n");
})()"""


def how_fast_it_is(it):
    """A recorded hour: read, decided, drawn."""
    timed = "(() => { const begun = performance.now(); take('hour.jsonl', hour); const both = performance.now(); decide(); return [both - begun, performance.now() - both, hour.length]; })()"
    for name, script in [
        ("the hour that is included (360 moments)", "new TextEncoder().encode(RECORDINGS[1].text)"),
        ("an hour of a look each second, 20 pods", HOUR),
    ]:
        it.run(f"window.hour = {script}; 0")
        first, again, size = it.run(timed)
        expect(it.run("byId('trouble').hidden && byId('wrong').hidden"), f"{name} is decided")
        print(f"{name}, {size / 1e6:.1f} MB: {first / 1000:.2f} s to read, decide and draw, {again / 1000:.2f} s for other thresholds")
        expect(first < MOST_SECONDS * 1000, f"{name} takes {first / 1000:.0f} s")


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__.strip())
    page, evictd, simulator = sys.argv[1:]
    with browser() as it, tempfile.TemporaryDirectory(prefix="evictd-playground-") as folder:
        it.show_as(1280, "light")
        it.open(pathlib.Path(page, "index.html"))
        by_keys_alone(it)
        as_evictd_decides(it, evictd, folder)
        as_the_simulator_tells(it, simulator)
        whatever_is_dropped(it)
        how_fast_it_is(it)
        for problem in checks.problems_with_looks(it):
            expect(False, problem)
        asked = sorted({event["request"]["url"] for event in it.happened("Network.requestWillBeSent")})
        expect(len(asked) >= 6 and all(url.startswith(("file://", "data:", "about:")) for url in asked), f"nothing is asked of anybody: {asked}")
        print(f"{len(asked)} files read from disk, nothing asked of anybody")
        errors = it.happened("Runtime.exceptionThrown") + [event for event in it.happened("Log.entryAdded") if event["entry"]["level"] == "error"]
        expect(not errors, f"nothing is complained of: {json.dumps(errors)[:500]}")
    print("the playground works")


if __name__ == "__main__":
    main()
