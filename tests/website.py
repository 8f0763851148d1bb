"""Open the built site in Chromium: the search, the finder, links and every kind of page.

``make release`` builds the site and runs this file; ``make test`` does not. It needs ``chromium``
on the path. The folder of the site is ``build/docs``, or the one that RECEVAL_SITE_FOLDER names.
"""

import os
import re
import tomllib
from html import unescape
from pathlib import Path
from urllib.parse import quote_plus, unquote, urlsplit

import numpy as np
import pandas as pd
import pytest
from sites import served

from receval import explain_difference, measures, which

ROOT = Path(__file__).parents[1]
SITE = Path(os.environ.get("RECEVAL_SITE_FOLDER", ROOT / "build/docs"))
QUESTIONS = tomllib.loads((ROOT / "docs/questions.toml").read_text(encoding="utf-8"))["questions"]
PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1366, "height": 768}
N_LISTS = 500

# Pages whose look is tested: all that are written by hand, and some of each generated kind.
PAGES = sorted(
    path.relative_to(SITE).as_posix()
    for path in SITE.rglob("*.html")
    if not {"api", "_static"} & {*path.relative_to(SITE).parts}
)
PAGES += ["api/index.html", "api/receval.evaluate.html", "api/receval.evaluation.Evaluation.html"]


@pytest.fixture(scope="module")
def address():
    """The address of a server of the built site."""
    assert (SITE / "index.html").exists(), f"{SITE} has no site; run make docs"
    with served(SITE) as without_slash:
        yield f"{without_slash}/"


@pytest.fixture(scope="module")
def page(browser):
    return browser.new_page(viewport=LAPTOP)


# The search ---------------------------------------------------------------------------------------


def results_of(page, address, question):
    """Return the pages that the search shows, in the order of the results."""
    page.goto(f"{address}search.html?q={quote_plus(question)}")
    page.wait_for_function(
        "() => /finished|did not match/i"
        ".test(document.querySelector('#search-results .search-summary')?.textContent)"
    )
    links = page.locator("#search-results ul.search > li > a")
    hrefs = links.evaluate_all("links => links.map(link => link.href)")
    return [urlsplit(href).path.removeprefix("/").removesuffix(".html") for href in hrefs]


def test_pages_with_keywords_exist_and_there_are_thirty_questions():
    keywords = tomllib.loads((ROOT / "docs/keywords.toml").read_text(encoding="utf-8"))
    assert [page for page in keywords if not (SITE / f"{page}.html").exists()] == []
    assert len({question["ask"] for question in QUESTIONS}) == 30


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["ask"])
def test_the_search_answers(page, address, question):
    results = results_of(page, address, question["ask"])
    assert question["page"] in results[:3], results[:8]


# The finder ---------------------------------------------------------------------------------------

SEARCH = """([value, grades, unlisted, measure, k]) => {
    const all = finder.data();
    return finder.search(value, finder.makeList(grades, unlisted), measure, k, all)
        .map(row => [row.convention, row.changes, row.value, row.distance,
                     row.steps.map(step => [step.choice, step.value])]);
}"""


CANDIDATE = ["convention", "changes", "value", "distance"]
LAST_BITS = {"rtol": 1e-12, "atol": 1e-12}


def random_case(rng, names):
    """Return a list, further relevant items, a measure and a cut-off, as the finder takes them."""
    scale = [[0, 1], [0, 1, 2, 3], [0, 0.25, 0.5, 1, 2.5, 5]][rng.integers(3)]
    sizes = rng.integers(0, 16), rng.integers(0, 5)
    grades, unlisted = (rng.choice(scale, size=size).tolist() for size in sizes)
    measure = str(rng.choice(names))
    takes_cutoff = measure != "R-Precision" and rng.random() < 0.8
    return grades, unlisted, measure, int(rng.integers(1, 20)) if takes_cutoff else None


def test_the_finder_is_equal_to_which(page, address):
    page.goto(f"{address}finder.html")
    names = page.evaluate("() => Object.keys(finder.data().measures)")
    assert {"nDCG", "MAP", "Precision", "Recall", "MRR"} <= set(names) <= set(measures().index)
    rng = np.random.default_rng(41)
    for _ in range(N_LISTS):
        grades, unlisted, measure, k = random_case(rng, names)
        if not grades and not any(unlisted):  # neither takes a user without any item
            continue
        name = measure if k is None else f"{measure}@{k}"
        # Ask for the value of one of the candidates, rounded as a paper prints it.
        rows = page.evaluate(SEARCH, ["0.5", grades, unlisted, measure, k])
        values = [row[2] for row in rows if not np.isnan(row[2])]
        printed = f"{rng.choice(values):.{rng.integers(1, 5)}f}"
        expected = which(printed, grades, [*grades, *unlisted], measure=name)
        rows = page.evaluate(SEARCH, [printed, grades, unlisted, measure, k])
        shown = pd.DataFrame([row[:4] for row in rows], columns=CANDIDATE)
        # Nearest first: equal distances may differ in their last bit, so compare the distances.
        np.testing.assert_allclose(shown["distance"], expected["distance"], **LAST_BITS)
        pd.testing.assert_frame_equal(
            shown.sort_values(CANDIDATE, ignore_index=True),
            expected[CANDIDATE].sort_values(CANDIDATE, ignore_index=True),
            check_dtype=False,  # JavaScript has whole numbers
            obj=f"{name} = {printed} of {grades} and {unlisted}",
            **LAST_BITS,
        )


@pytest.mark.parametrize("end", ["rectools", "lenskit", "ranksys"])
def test_the_finder_goes_from_choice_to_choice_as_explain_difference(page, address, end):
    page.goto(f"{address}finder.html")
    grades, unlisted = [3, 0, 2, 1], [3, 1]
    rows = page.evaluate(SEARCH, ["0.5", grades, unlisted, "MAP", 3])
    (steps,) = [row[4] for row in rows if row[:2] == [end, ""]]
    lists = {"ann": [0, 1, 2, 3]}
    truth = {"ann": dict(enumerate([*grades, *unlisted]))}
    expected = explain_difference(lists, truth, "MAP@3", "receval", end)["value"].iloc[1:-1]
    assert [choice for choice, _ in steps] == expected.index.tolist()
    np.testing.assert_allclose([value for _, value in steps], expected, rtol=1e-12)


def test_the_list_is_in_the_address(page, address):
    page.goto("about:blank")
    page.goto(f"{address}finder.html#grades=1+0+1&value=0.83&measure=MAP&k=3")
    assert "print MAP@3 = 0.83" in page.inner_text(".finder-verdict")
    page.fill("#finder [name=grades]", "0 1 1")
    link = page.evaluate("location.href")
    page.goto("about:blank")
    page.goto(link)
    assert page.input_value("#finder [name=grades]") == "0 1 1"
    assert page.input_value("#finder [name=measure]") == "MAP"


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("grades", "1 x", 'got "x"'),
        ("grades", "1 -2", 'got "-2"'),
        ("grades", "", "type the grades"),
        ("value", "high", "a number such as 0.88"),
        ("k", "0", "a whole number from 1"),
    ],
)
def test_the_finder_says_what_is_wrong(page, address, field, text, message):
    page.goto("about:blank")
    page.goto(f"{address}finder.html")
    page.fill(f"#finder [name={field}]", text)
    assert message in page.inner_text(".finder-error")
    assert page.locator("#finder-output table").count() == 0


def test_a_visitor_finds_the_convention_by_the_search_and_the_finder(page, address):
    page.goto("about:blank")
    page.goto(f"{address}search.html?q=which+nDCG+is+this")
    page.locator("#search-results ul.search > li > a").first.click()
    page.fill("#finder [name=value]", "0.76")
    assert "print nDCG@10 = 0.76" in page.inner_text(".finder-verdict")
    page.locator("#finder-output a", has_text="rectools").first.click()
    assert "RecTools" in page.inner_text("h1")


# Links --------------------------------------------------------------------------------------------


def test_links_lead_to_pages_and_anchors():
    paths = [path for path in SITE.rglob("*.html") if "_static" not in path.parts]
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    tag_with_anchor = r'<[^>]* (?:id|name)="([^"]*)"'
    anchors = {path: {"", "top", *re.findall(tag_with_anchor, texts[path])} for path in paths}
    links = {
        (path, unescape(href))
        for path, text in texts.items()
        for href in re.findall(r'<a [^>]*?href="([^"]*)"', text)
    }
    assert len(links) > 10_000
    dead = []
    for path, href in sorted(links):
        target = urlsplit(href)
        # A name of a measure, such as nDCG@10, is not an address of mail.
        assert target.scheme != "mailto", href
        if target.scheme or target.netloc:
            continue
        to = (path.parent / unquote(target.path)).resolve() if target.path else path
        anchor = unquote(target.fragment)
        # The last two are text to mark, and the input of the finder.
        has_anchor = anchor in anchors.get(to, [anchor]) or anchor.startswith((":~:", "grades="))
        if not to.exists() or not has_anchor:
            dead.append(f"{path.relative_to(SITE)}: {href}")
    assert dead == []


def test_pages_have_a_preview():
    text = (SITE / "measures/ndcg.html").read_text(encoding="utf-8")
    properties = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)"', text))
    parts = {"title": "nDCG", "description": "best possible list", "image": "preview.png"}
    assert all(part in properties[name] for name, part in parts.items())


# The look -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_without_errors_and_fit_on_a_phone(browser, address, scheme):
    """Half of the pages are opened in light and the other half in dark colours, all on a phone."""
    context = browser.new_context(viewport=PHONE, color_scheme=scheme)
    tab = context.new_page()
    faults = []
    tab.on("pageerror", lambda error: faults.append((tab.url, str(error))))

    def note_message(message):
        if message.type == "error":
            faults.append((tab.url, message.text))

    def note_request(request):
        if not request.url.startswith((address, "data:", "blob:")):
            faults.append((tab.url, request.url))

    tab.on("console", note_message)
    tab.on("request", note_request)
    for name in PAGES[("light", "dark").index(scheme) :: 2]:
        tab.goto(address + name)
        # The column of the text scrolls by itself, so the page is narrow even if a word is wide.
        width = tab.evaluate(
            "() => Math.max(...[...document.querySelectorAll('html, .bd-article-container')]"
            ".map(part => part.scrollWidth))"
        )
        if width > PHONE["width"]:
            faults.append((name, f"{width} pixels wide"))
        if tab.evaluate("() => document.documentElement.dataset.theme") != scheme:
            faults.append((name, f"not {scheme}"))
    context.close()
    assert faults == []
