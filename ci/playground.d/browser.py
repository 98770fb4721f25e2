"""A headless Chromium, driven through its debugging pipe: JSON messages, each ended by a zero
byte, on descriptors 3 and 4."""

import base64
import contextlib
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time

# It has no way out: names lead nowhere, and a proxy that is not there.
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9",
    "--remote-debugging-pipe", "--remote-debugging-io-pipes=3,4",
]

KEYS = {"Tab": 9, "Enter": 13, " ": 32, "PageUp": 33, "PageDown": 34, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}


class Browser:
    """One page of it."""

    def __init__(self, folder):
        to_read, self.writer = os.pipe()
        self.reader, to_write = os.pipe()

        def descriptors():
            os.dup2(to_read, 13)
            os.dup2(to_write, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        command = ["chromium", *ARGUMENTS, f"--user-data-dir={folder}", "about:blank"]
        with open(pathlib.Path(folder, "log"), "wb") as log:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
                command, stdout=log, stderr=log, preexec_fn=descriptors, close_fds=False, start_new_session=True
            )
        os.close(to_read)
        os.close(to_write)
        self.number, self.rest, self.session = 0, b"", None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Network", "Runtime", "Log", "Page":
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """What the browser answers."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.write(message)
        while True:
            answer = self.next()
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def write(self, message):
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.writer, data) :]

    def next(self, seconds=60):
        while b"\0" not in self.rest:
            if not select.select([self.reader], [], [], seconds)[0]:
                raise RuntimeError("the browser does not answer")
            read = os.read(self.reader, 1 << 20)
            if not read:
                raise RuntimeError(f"the browser ended with exit {self.process.wait()}")
            self.rest += read
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, page):
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.wait_for("document.readyState === 'complete'")

    def run(self, script):
        """The value of a script, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script[:200]}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def wait_for(self, condition, seconds=30):
        ends = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > ends:
                raise RuntimeError(f"never true: {condition}")
            time.sleep(0.02)

    def press(self, key, times=1):
        for _ in range(times):
            text = {"text": "\r"} if key == "Enter" else {"text": " "} if key == " " else {}
            common = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": KEYS[key]}
            self.call("Input.dispatchKeyEvent", type="keyDown", **common, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def show_as(self, width, scheme, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, file, whole=False):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))

    def happened(self, method):
        return [event["params"] for event in self.events if event.get("method") == method]


@contextlib.contextmanager
def browser():
    """A browser that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="evictd-playground-", ignore_cleanup_errors=True) as folder:
        it = Browser(folder)
        try:
            yield it
        finally:
            it.session = None
            with contextlib.suppress(RuntimeError, OSError):
                it.call("Browser.close")
            try:
                it.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(it.process.pid, 9)
                it.process.wait()
