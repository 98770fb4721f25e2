"""Whether each part of the page can be read: on a small screen and a large one, dark and
light, by a screen reader too."""

# Each is a script that returns what is wrong, in words.
CHECKS = {
    "wider than the screen": """[...document.querySelectorAll("body *")].filter((of) =>
        of.checkVisibility() && !(of instanceof SVGElement) && of.getBoundingClientRect().right > innerWidth + 1)""",
    "its text is cut off": """[...document.querySelectorAll("body *:not(input, option)")].filter((of) =>
        of.checkVisibility() && of.clientWidth && (of.scrollWidth > of.clientWidth + 1 || of.scrollHeight > of.clientHeight + 2 && getComputedStyle(of).overflowY !== "visible"))""",
    "a control without a name": """[...document.querySelectorAll("button, input, select, summary, [tabindex]")].filter((of) =>
        !(of.labels?.[0]?.textContent.trim() || of.textContent.trim() || of.getAttribute("aria-label")))""",
    "a control that no key reaches": """[...document.querySelectorAll("button, input, select, summary")].filter((of) =>
        of.tabIndex < 0 && of.role !== "tab")""",
    "too little contrast": """(() => {
        const light = (colour) => {
            const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255).map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = (of) => { for (; of; of = of.parentElement) { const colour = getComputedStyle(of).backgroundColor; if (!/, 0\\)$|transparent/.test(colour)) return colour; } return "rgb(255, 255, 255)"; };
        const texts = [...document.querySelectorAll("body *")].filter((of) => of.checkVisibility() && !(of instanceof SVGElement) && [...of.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
        return texts.filter((of) => {
            const [one, other] = [light(getComputedStyle(of).color), light(ground(of))].sort((a, b) => b - a);
            return (one + 0.05) / (other + 0.05) < 4.5;
        });
    })()""",
}


def problems_with_looks(it):
    count = 0
    for width in 360, 1280:
        for scheme in "light", "dark":
            it.show_as(width, scheme)
            for part in "recording", "box":
                it.run(f"select('{part}'); take('x', new Uint8Array(2)); document.querySelectorAll('details').forEach((of) => {{ of.open = true; }})")
                for problem, script in CHECKS.items():
                    count += 1
                    for found in it.run(f"{script}.map((of) => `${{of.tagName}} ${{of.id}} ${{of.textContent.slice(0, 60)}}`)"):
                        yield f"{part}, {width} pixels wide, {scheme}: {problem}: {found}"
    print(f"{count} looks at it: nothing is cut off, nameless or hard to read")
