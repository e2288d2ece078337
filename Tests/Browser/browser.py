"""A real browser without a window, driven over its debugging protocol."""

import base64
import json
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

CHROMIUM = "/usr/bin/chromium"
DRIVER = "/usr/bin/chromedriver"
WIDE, NARROW = 1200, 360
# A page of many findings fills thousands of sheets.
SLOWEST_SECONDS = 900


class Browser:
    """One browser for all pages; every page is loaded into the same window."""

    def __init__(self):
        options = Options()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.set_page_load_timeout(120)
        self.driver.set_script_timeout(SLOWEST_SECONDS)
        self.driver.command_executor.set_timeout(SLOWEST_SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def load(self, path):
        """Loads a file; returns the seconds it took, the lines of the console and the requests that it made."""
        self.look()
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        address = path.resolve().as_uri()
        begin = time.monotonic()
        self.driver.get(address)
        seconds = time.monotonic() - begin
        console = [line["message"] for line in self.driver.get_log("browser")]
        return seconds, console, [url for url in self._requests() if url != address]

    def _requests(self):
        for line in self.driver.get_log("performance"):
            message = json.loads(line["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                yield message["params"]["request"]["url"]

    def run(self, script, *arguments):
        """The value of a function's body in the page, whose rules against scripts do not bind the driver."""
        return self.driver.execute_script(script, *arguments)

    def look(self, scheme="light", media="", width=WIDE):
        """Shows the page in light or dark, on screen or paper, so many pixels wide."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})

    def pdf(self):
        """The printed page, as the bytes of a PDF."""
        self.look()
        printed = self.driver.execute_cdp_cmd("Page.printToPDF", {
            "printBackground": False, "preferCSSPageSize": True, "paperWidth": 8.27,
            "paperHeight": 11.69, "transferMode": "ReturnAsStream"})
        pieces = []
        while True:
            piece = self.driver.execute_cdp_cmd(
                "IO.read", {"handle": printed["stream"], "size": 8 << 20})
            encoded = piece.get("base64Encoded")
            pieces.append(base64.b64decode(piece["data"]) if encoded else piece["data"].encode())
            if piece["eof"]:
                return b"".join(pieces)
