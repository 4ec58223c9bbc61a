"""A real browser without a window, with an empty profile, that tells what it logs and asks the network for."""

from __future__ import annotations

import base64
import json
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip
_TALLEST = 16_000
"""Pixels."""


def require_browser() -> None:
    """Skip where there is none, unless the surroundings promise one."""
    missing = [str(path) for path in (CHROMIUM, DRIVER) if not path.exists()]
    if missing and os.environ.get("CEPS_REQUIRE_BROWSER") != "1":
        pytest.skip(f"no browser: {' and '.join(missing)} missing")
    assert not missing, f"CEPS_REQUIRE_BROWSER=1, but {missing} are missing"


class Browser:
    """Chromium, through its driver."""

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        self._profile = tempfile.TemporaryDirectory(prefix="ceps-browser-", ignore_cleanup_errors=True)
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for flag in (*_FLAGS, f"--user-data-dir={self._profile.name}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options, Service(str(DRIVER)))
        self.driver.set_script_timeout(60)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.driver.quit()
        self._profile.cleanup()

    def open(self, place: Path | str, size: tuple[int, int] = (1280, 900)) -> None:
        """A file or a URL, in a window of this size."""
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.console()
        self.requests()
        self.driver.get(place.resolve().as_uri() if isinstance(place, Path) else place)

    def scheme(self, name: str) -> None:
        """``light`` or ``dark``, as the user's system would say."""
        feature = {"name": "prefers-color-scheme", "value": name}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> list[Any]:
        return self.driver.find_elements("css selector", selector)

    def press(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def point_at(self, element: Any) -> None:
        from selenium.webdriver import ActionChains

        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        ActionChains(self.driver).move_to_element(element).perform()

    def first_paint(self) -> float:
        """Milliseconds after the page was asked for; waits for it."""
        found = self.driver.execute_async_script(
            "const done = arguments[0]; new PerformanceObserver((list) => { const [paint] = "
            "list.getEntriesByName('first-contentful-paint'); if (paint) done(paint.startTime); })"
            ".observe({ type: 'paint', buffered: true });"
        )
        return float(found)

    def console(self) -> list[str]:
        """What was logged since the last time."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """What pages have asked for since the last time, other than data in themselves."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        asked = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        # The browser's own first tab may still be loading.
        pages = [
            each
            for each in asked
            if not each["documentURL"].startswith(("chrome:", "chrome-untrusted:", "data:", "about:"))
        ]
        return [url for each in pages if not (url := each["request"]["url"]).startswith("data:")]

    def whole_page(self) -> bytes:
        """A picture of all of it, as far as the browser can take one."""
        size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], _TALLEST), "scale": 1}
        taken = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        return base64.b64decode(taken["data"])
