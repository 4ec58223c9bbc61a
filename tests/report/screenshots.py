"""Pictures of the page, for people to look at: ``python -m tests.report.screenshots OUT``."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

from ceps.report.page import page
from tests.report.browser import Browser
from tests.report.made import build_facts, comparison_facts, hostile_facts, large_facts, unfinished_facts

_DESK, _PHONE = (1280, 900), (390, 800)


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    pages = {
        "build": build_facts(),
        "routing": build_facts(routing=True),
        "comparison": comparison_facts(),
        "unfinished": unfinished_facts(),
        "hostile": hostile_facts(),
        "large": large_facts(),
    }
    with Browser() as browser:
        for name, facts in pages.items():
            file = out / f"{name}.html"
            file.write_text(page(facts), encoding="utf-8")
            for scheme, size in (("light", _DESK), ("dark", _DESK), ("phone", _PHONE)):
                browser.scheme("dark" if scheme == "dark" else "light")
                browser.open(file, size)
                (out / f"{name}-{scheme}.png").write_bytes(browser.whole_page())
                opener = browser.find("#instance-list .opens, .pairs .opens")
                if scheme != "phone" and opener:
                    browser.run("arguments[0].click()", opener[0])
                    (out / f"{name}-{scheme}-instance.png").write_bytes(browser.driver.get_screenshot_as_png())
            browser.scheme("light")
            browser.open(file, _DESK)
            (out / f"{name}.pdf").write_bytes(base64.b64decode(browser.driver.print_page()))
            print(f"{name}: {file.stat().st_size / 1e6:.1f} MB, first paint after {browser.first_paint():.0f} ms")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
