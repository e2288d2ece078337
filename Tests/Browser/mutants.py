"""Ways to break a good page: the fault, the check that must find it, and the change."""

import re


def without_policy(text):
    """The page without its policy, so that what is added to it works."""
    return re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n', "", text)


def with_body(markup):
    """Adds markup to the end of the page."""
    return lambda text: without_policy(text).replace("</main>", markup + "</main>")


def with_style(rules):
    """Adds rules to the style sheet."""
    return lambda text: without_policy(text).replace("</style>", rules + "</style>", 1)


def first(old, new):
    """Replaces what `old` finds first."""
    return lambda text: re.sub(old, new, text, count=1, flags=re.S)


MUTANTS = (
    ("an unescaped script", "runs_nothing", with_body("<script>window.hacked=1</script>")),
    ("an unescaped handler", "runs_nothing", with_body("<svg onload='window.hacked=1'></svg>")),
    ("a script behind the policy", "loads",
     lambda text: text.replace("</main>", "<script>window.hacked=1</script></main>")),
    ("a link to a script", "runs_nothing", with_body("<a href='javascript:alert(1)'>x</a>")),
    ("no policy", "runs_nothing", without_policy),
    ("a style sheet that the policy does not know", "loads",
     lambda text: text.replace("</style>", "b {}</style>", 1)),
    ("a picture from elsewhere", "loads", with_body("<img src='http://127.0.0.1:9/x.png'>")),
    ("a finding less", "counts", first(r'<li id="f\d+-2">.*?</li></ul></li>\n', "")),
    ("a finding more", "counts", first(r'(<li id="f\d+-)2("><p>)', r'\g<1>2x"><p></p></li>\g<1>2\2')),
    ("a text escaped twice", "texts", lambda text: text.replace("&lt;", "&amp;lt;")),
    ("a text not escaped", "texts", lambda text: text.replace("&lt;", "<")),
    ("a missing target", "links", first(r'id="checks"', 'id="cheks"')),
    ("an id twice", "links", with_body("<p id='checks'></p>")),
    ("a table without caption", "structure", first(r"<caption>.*?</caption>", "")),
    ("a heading without scope", "structure", first(r'<th scope="col"', "<th")),
    ("numbers to the left", "structure", with_style(".number { text-align: left; }")),
    ("a level of headings left out", "structure",
     first(r'<h2 (id="h-checks">.*?)</h2>', r"<h4 \1</h4>")),
    ("a number that is none in a drawing", "structure", first(r'(<rect [^>]*width=)"[^"]*"', r'\1"NaN%"')),
    ("a drawing without name", "structure", with_body("<svg role='img'></svg>")),
    ("low contrast", "schemes", with_style("td { color: #999 !important; }")),
    ("low contrast in dark", "schemes",
     with_style("@media (prefers-color-scheme: dark) { p { color: #555 !important; } }")),
    ("no dark", "schemes",
     lambda text: without_policy(text).replace("prefers-color-scheme: dark", "width: 1px")),
    ("too wide", "narrow", with_style("h2 { width: 900px; }")),
    ("too wide when open", "narrow", with_style("details p { white-space: nowrap; width: 900px; }")),
    ("folded on paper", "printing",
     lambda text: without_policy(text).replace("details::details-content", "details::x")),
    ("dark on paper", "printing", with_style("@media print { body { background: #000 } }")),
    ("coloured links on paper", "printing", with_style("@media print { a { color: #00f !important } }")),
)
