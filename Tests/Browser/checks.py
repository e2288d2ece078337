"""What must be true of an audit's page in a browser. Each check returns what is wrong, in words."""

import re
import shutil
import subprocess
import unicodedata
from collections import Counter

from browser import NARROW

LOAD_SECONDS = 10
LEAST_CONTRAST = 4.5
# The contrast of more texts is not computed: they are set like those before.
TEXTS_MEASURED = 4_000

# What a page may consist of has no way to load or to run anything.
FORBIDDEN = ("script,link,img,image,iframe,frame,object,embed,form,base,audio,video,source,input,"
             "button,foreignObject,animate,set,[src],[srcset],[style],[formaction]")

OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true);"

CONTRASTS = """
const parse = text => {
  const parts = text.match(/[\\d.]+/g).map(Number);
  return {rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1};
};
const over = (top, below) => top.rgb.map((c, i) => c * top.alpha + below[i] * (1 - top.alpha));
const luminance = rgb => {
  const [r, g, b] = rgb.map(c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const ratio = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + .05) / (low + .05);
};
const backgrounds = new Map();
const behind = element => {
  if (!element) return [255, 255, 255];
  if (!backgrounds.has(element)) {
    const own = parse(getComputedStyle(element).backgroundColor);
    const below = own.alpha < 1 ? behind(element.parentElement) : [0, 0, 0];
    backgrounds.set(element, over(own, below));
  }
  return backgrounds.get(element);
};
const worst = [];
let measured = 0;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode() && measured < arguments[0]) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || element.closest('svg title, svg desc')) continue;
  if (!element.checkVisibility()) continue;
  measured += 1;
  const style = getComputedStyle(element);
  const ground = behind(element);
  const ink = over(parse(element.closest('svg') ? style.fill : style.color), ground);
  const contrast = ratio(ink, ground);
  if (contrast < arguments[1])
    worst.push(`${contrast.toFixed(2)} for "${walker.currentNode.data.trim().slice(0, 40)}"`);
}
const fills = new Set();
for (const shape of document.querySelectorAll('svg rect:not(.area)')) {
  if (!shape.checkVisibility()) continue;
  const fill = getComputedStyle(shape).fill;
  if (fills.has(fill)) continue;
  fills.add(fill);
  const contrast = ratio(parse(fill).rgb, behind(shape));
  if (contrast < 3) worst.push(`${contrast.toFixed(2)} for a shape of ${fill}`);
}
return [measured, worst];
"""


def loads(browser, page):
    """The page loads fast, says nothing on the console and asks the network for nothing."""
    seconds, console, requests = browser.load(page.path)
    page.note(f"loaded in {seconds:.1f} s")
    wrong = [f"console: {line}" for line in console] + [f"request: {url}" for url in requests]
    if seconds > LOAD_SECONDS:
        wrong.append(f"loaded in {seconds:.1f} s, more than {LOAD_SECONDS}")
    return wrong


def runs_nothing(browser, page):
    """Nothing in the page has run or could run, and its own rules forbid it."""
    wrong = []
    if browser.run("return typeof window.hacked") != "undefined":
        wrong.append("a script of the page ran")
    found = browser.run(
        "return [...document.querySelectorAll(arguments[0])].map(e => e.outerHTML.slice(0, 80))",
        FORBIDDEN)
    wrong += [f"forbidden: {element}" for element in found]
    wrong += browser.run("""
        const wrong = [];
        for (const element of document.querySelectorAll('*'))
          for (const {name, value} of element.attributes) {
            if (name.startsWith('on')) wrong.push(`handler ${name}`);
            if (name.endsWith('href') && !value.startsWith('#')) wrong.push(`address ${value}`);
          }
        return wrong;""")
    policy = browser.run(
        "return document.querySelector('meta[http-equiv=Content-Security-Policy]')?.content ?? ''")
    if "default-src 'none'" not in policy or "unsafe" in policy:
        wrong.append(f"the content security policy is {policy!r}")
    if not browser.run("return document.styleSheets[0]?.cssRules.length ?? 0"):
        wrong.append("the style sheet is not in force")
    return wrong


def counts(browser, page):
    """As many findings are listed as the page says, in all and for each check."""
    promised, checks = browser.run("""
        const value = element => element ? Number(element.value) : 0;
        return [value(document.querySelector('data.listed')),
          [...document.querySelectorAll('details.check')].map(each => [each.id,
            value(each.querySelector('summary data')), each.querySelectorAll('ol > li').length])]
        """)
    page.note(f"{promised} findings listed")
    wrong = [f"{name} promises {said} findings and lists {listed}"
             for name, said, listed in checks if said != listed]
    listed = sum(count for _, _, count in checks)
    if promised != listed:
        wrong.append(f"the page promises {promised} findings and lists {listed}")
    if page.listed is not None and listed < page.listed:
        wrong.append(f"the page lists {listed} findings, {page.listed} were made")
    return wrong


def texts(browser, page):
    """What others wrote stands there as they wrote it."""
    if not page.users:
        return []
    shown = Counter(browser.run(
        "return [...document.querySelectorAll('#c13 .places bdi')].map(e => e.textContent)"))
    written = Counter(visible(user) for user in page.users)
    page.note(f"{sum(shown.values())} texts as they were written")
    wrong = [f"nobody wrote {text[:60]!r}" for text in shown - written]
    if len(page.users) == page.listed:
        wrong += [f"not on the page: {text[:60]!r}" for text in written - shown]
    return wrong


def visible(text):
    """`text` as the page shows it: what is invisible, or turns its neighbours round, is named."""
    hidden = (r"[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
              r"\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]")
    return re.sub(hidden, lambda match: f"‹U+{ord(match[0]):04X}›", text)


def links(browser, page):
    """Ids are unique and everything that is referred to is there; a link shows what it leads to."""
    wrong = browser.run("""
        const wrong = [], ids = new Set();
        for (const {id} of document.querySelectorAll('[id]')) {
          if (ids.has(id)) wrong.push(`two elements have the id ${id}`);
          ids.add(id);
        }
        for (const each of document.querySelectorAll('[href]')) {
          const target = each.getAttribute('href').slice(1);
          if (!ids.has(target)) wrong.push(`a link leads to ${target}, which is not there`);
        }
        for (const each of document.querySelectorAll('[aria-labelledby]'))
          for (const id of each.getAttribute('aria-labelledby').split(' '))
            if (!ids.has(id)) wrong.push(`a label is ${id}, which is not there`);
        return wrong;""")
    for last in ("details.check:last-of-type ol:last-of-type > li:last-child", ".record:last-child"):
        target = browser.run(f"return [...document.querySelectorAll('{last}')].at(-1)?.id")
        if not target:
            continue
        browser.run("location.hash = arguments[0]", target)
        seen = browser.driver.execute_async_script("""
            const done = arguments[1];
            setTimeout(() => {
              const element = document.getElementById(arguments[0]);
              const box = element.getBoundingClientRect();
              done(element.checkVisibility() && box.bottom > 0 && box.top < innerHeight);
            }, 300);""", target)
        if not seen:
            wrong.append(f"a link to {target} does not bring it into sight")
    return wrong


def structure(browser, page):
    """Headings, tables and drawings can be read without seeing them."""
    return browser.run("""
        const wrong = [];
        const levels = [...document.querySelectorAll('h1,h2,h3,h4')].map(e => +e.tagName[1]);
        if (levels.filter(level => level == 1).length != 1 || levels[0] != 1)
          wrong.push('there is not one h1 at the top');
        levels.forEach((level, i) => {
          if (i && level > levels[i - 1] + 1) wrong.push(`h${level} follows h${levels[i - 1]}`);
        });
        if (!document.documentElement.lang) wrong.push('the page has no language');
        for (const table of document.querySelectorAll('table')) {
          if (!table.caption?.textContent.trim()) wrong.push('a table has no caption');
          if (table.querySelector('th:not([scope])')) wrong.push('a th has no scope');
          if (table.querySelector('tbody tr:not(:has(th))')) wrong.push('a row has no heading');
          for (const cell of table.querySelectorAll('tbody td.number')) {
            const style = getComputedStyle(cell);
            if (style.textAlign != 'right' || style.fontVariantNumeric != 'tabular-nums')
              { wrong.push('a number is not aligned'); break; }
          }
        }
        for (const svg of document.querySelectorAll('svg:not(svg svg)')) {
          const named = svg.getAttribute('role') == 'img' && svg.querySelector('title')
            && svg.querySelector('desc');
          if (!named && svg.getAttribute('aria-hidden') != 'true') wrong.push('a drawing has no name');
        }
        for (const each of document.querySelectorAll('svg, svg *'))
          for (const {name, value} of each.attributes) {
            if (/NaN|inf|undefined|null/i.test(value)) wrong.push(`${name}="${value}" in a drawing`);
            if (/^(width|height|r)$/.test(name) && value.startsWith('-'))
              wrong.push(`${name}="${value}" in a drawing`);
          }
        return wrong;""")


def schemes(browser, page):
    """Light and dark differ, and all text can be read in both."""
    wrong, colours = [], {}
    browser.run(OPEN_ALL)
    for scheme in ("light", "dark"):
        browser.look(scheme=scheme)
        colours[scheme] = browser.run(
            "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]")
        measured, low = browser.run(CONTRASTS, TEXTS_MEASURED, LEAST_CONTRAST)
        page.note(f"contrast of {measured} texts in {scheme}")
        wrong += [f"{scheme}: contrast {each}" for each in low]
    for kind, light, dark in zip(("background", "foreground"), colours["light"], colours["dark"]):
        if light == dark:
            wrong.append(f"the {kind} is {light} in light and in dark")
    return wrong


def narrow(browser, page):
    """A narrow window does not scroll sideways, folded or open."""
    wrong = []
    for state, script in (("folded", "document.querySelectorAll('details').forEach("
                           "each => each.open = false);"), ("open", OPEN_ALL)):
        browser.run(script)
        browser.look(width=NARROW)
        inner, outer = browser.run(
            "const e = document.scrollingElement; return [e.scrollWidth, e.clientWidth]")
        if inner > outer:
            wrong.append(f"{state}, the page is {inner} pixels wide in a window of {outer}")
    browser.look()
    return wrong


def printing(browser, page):
    """On paper there are all findings, black on white."""
    browser.run("document.querySelectorAll('details').forEach(each => each.open = false);")
    browser.look(scheme="dark", media="print")
    wrong = browser.run("""
        const wrong = [], white = 'rgb(255, 255, 255)', black = 'rgb(0, 0, 0)';
        const body = getComputedStyle(document.body);
        if (body.backgroundColor != white || body.color != black)
          wrong.push(`printed ${body.color} on ${body.backgroundColor}`);
        for (const link of document.querySelectorAll('main a')) {
          const [r, g, b] = getComputedStyle(link).color.match(/\\d+/g);
          if (r != g || g != b) { wrong.push('links are coloured'); break; }
        }
        const hidden = [...document.querySelectorAll('details > :not(summary, nav), ol > li')].filter(
          each => !each.checkVisibility() || !each.getBoundingClientRect().height).length;
        if (hidden) wrong.push(`${hidden} folded parts are not printed`);
        return wrong;""")
    pdf = browser.pdf()
    sheets = len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))
    page.note(f"printed on {sheets} sheets")
    if not sheets:
        wrong.append("nothing was printed")
    return wrong + not_printed(browser, page, pdf)


def not_printed(browser, page, pdf):
    """The findings whose text is not in the PDF."""
    if not shutil.which("pdftotext"):
        page.note("its text not read: pdftotext is not there")
        return []
    read = subprocess.run(["pdftotext", "-", "-"], input=pdf, capture_output=True, check=True)
    paper = squeezed(read.stdout.decode())
    texts = browser.run("return [...document.querySelectorAll('ol > li > p')].map(e => e.textContent)")
    position, missing = 0, []
    for text in texts:
        found = paper.find(squeezed(text), position)
        if found < 0:
            missing.append(f"not on paper: {text[:60]!r}")
        else:
            position = found + 1
    page.note(f"{len(texts) - len(missing)} findings read from it")
    return missing


def squeezed(text):
    """The letters and digits of `text`: lines break anywhere, and one glyph may be two letters."""
    return re.sub(r"[^0-9A-Za-z]+", "", unicodedata.normalize("NFKC", text))


ALL = (loads, runs_nothing, counts, texts, structure, links, schemes, narrow, printing)
