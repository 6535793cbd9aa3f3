#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of ./demo: demo.py ROOT COMMAND FOLDER. It is whole and needs nothing else; where a browser is
installed, the browser opens it without a network and shows its tables and pictures."""
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import time

root, command, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WITHOUT_END = {"meta", "br", "img", "link", "stop"}
failures = []


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.outside = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in WITHOUT_END:
            self.open.append(tag)
        self.outside += [v for k, v in attrs
                         if k in ("src", "href", "xlink:href", "data") and not v.startswith("#")]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            failures.append(f"</{tag}> ends nothing")


def look(text, what):
    """What a reader must see."""
    for words in ("variance", "pathwise", "quadrature", "ELBO", "coverage 90 %", "epistemic"):
        if words not in text:
            failures.append(f"{what} lacks {words!r}")


begun = time.monotonic()
done = subprocess.run([root / "cmake" / "demo.sh", command, folder], capture_output=True, text=True,
                      check=False)
seconds = time.monotonic() - begun
path = (folder / "demo.html").resolve()
if done.returncode != 0 or f"The page: {path}" not in done.stdout:
    sys.exit(f"demo.sh: {done.returncode}: {done.stderr}{done.stdout[-500:]}")
text = path.read_text(encoding="utf-8")
page = Page()
page.feed(text)
drawn = shutil.which("gnuplot") is not None
if page.open:
    failures.append(f"not closed: {page.open}")
if page.outside or re.search(r"url\((?!['\"]?#)|@import", text):
    failures.append(f"the page needs other files: {page.outside}")
if page.seen.count("svg") < (2 if drawn else 0) or page.seen.count("pre") != 4:
    failures.append(f"{page.seen.count('svg')} pictures and {page.seen.count('pre')} texts")
look(text, "the page")

browser = next(filter(None, map(shutil.which, BROWSERS)), None)
if browser:
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"]
    shown = subprocess.run([browser, *flags, "--dump-dom", path.as_uri()], capture_output=True, text=True,
                           check=False, timeout=60)
    look(shown.stdout, "what the browser shows")
    if drawn and shown.stdout.count("<svg") < 2:
        failures.append("the browser shows no pictures")
print("\n".join(failures) or f"the page is whole, {seconds:.0f} s; "
      + (f"{browser} shows it" if browser else "no browser is installed: skipped"))
sys.exit(bool(failures))
