import Digests

/// The style of an audit's page.
enum AuditPageStyle {
  /// The complete style sheet.
  static let sheet: HTML = "\(colours)\(layout)\(figures)\(findings)\(paper)"

  /// The content policy: a browser may load only the page's own style sheet, in case an escape is ever forgotten.
  static var contentPolicy: String {
    "default-src 'none'; style-src 'sha256-\(Base64.text(SHA256.digest(of: sheet.bytes).bytes))'; "
      + "base-uri 'none'; form-action 'none'"
  }

  /// Returns the beginning of a page, up to the start of its body.
  static func head(_ title: HTML) -> HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(contentPolicy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <style>\(sheet)</style>
    </head>
    <body>

    """
  }

  /// The palette is distinguishable for colour-blind readers, and contrasts with the paper by 3 to 1.
  private static let colours: HTML = """
    :root {
      color-scheme: light dark;
      --paper: #fcfbf9; --raised: #f4f2ee; --ink: #1d2125; --soft: #59606a; --line: #dedad3;
      --link: #1a5a9e; --good: #1b6b45; --bad: #a92f1d; --left: #7d5600; --mark: #fff3d0;
      --series-0: #1b99e0; --series-1: #d27b22; --series-2: #00584b; --series-3: #7d4c8e;
      --series-4: #719d62; --series-5: #142443; --series-6: #6e2e08; --series-rest: #968a92;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #15181b; --raised: #1e2226; --ink: #e4e6e8; --soft: #a2aab3; --line: #343a41;
        --link: #8fbdf2; --good: #72cb9c; --bad: #ff9a86; --left: #e5b95f; --mark: #3a3320;
        --series-0: #999eff; --series-1: #b89632; --series-2: #2bc89a; --series-3: #ffbff1;
        --series-4: #bfe08a; --series-5: #0a78b0; --series-6: #a5623f; --series-rest: #747072;
      }
    }

    """

  /// Styles common to all parts of the page.
  private static let layout: HTML = """
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1.5rem; }
    body {
      margin: 0 auto; padding: 3rem clamp(1rem, 4vw, 2.5rem) 4rem; max-width: 66rem;
      background: var(--paper); color: var(--ink);
      font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
      overflow-wrap: anywhere;
    }
    a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: 1px; }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
    h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
    h2 { margin: 0 0 1rem; font-size: 1.375rem; letter-spacing: -.01em; }
    h3 { margin: 2rem 0 .75rem; font-size: 1rem; }
    p { margin: 0 0 1rem; max-width: 44rem; }
    section { margin-top: 3.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
    bdi { unicode-bidi: isolate; }
    code { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    .definitions { position: absolute; }
    .kind { margin: 0 0 .5rem; color: var(--soft); }
    .verdict {
      display: flex; gap: .875rem; align-items: flex-start; margin: 0;
      font-size: clamp(1.625rem, 5vw, 2.375rem); font-weight: 650; letter-spacing: -.02em;
    }
    .verdict .mark { flex: none; margin: .05em 0 0; width: 1.2em; height: 1.2em; }
    .verdict .mark { padding: .2em; border-radius: 50%; color: var(--paper); }
    .verdict .passed { background: var(--good); }
    .verdict .found { background: var(--bad); }
    .verdict .left-out { background: var(--left); }
    .lead { margin: .75rem 0 2rem; color: var(--soft); font-size: 1.0625rem; }
    .note, .nothing, .reason { color: var(--soft); }
    .note { font-size: .875rem; }
    .reason { display: block; font-size: .875rem; font-weight: 400; }
    dl, dd { margin: 0; }
    dt { color: var(--soft); font-size: .875rem; }
    .totals {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(8.25rem, 1fr));
      gap: 1.25rem 1rem; padding: 1.25rem 0; border-block: 1px solid var(--line);
    }
    .totals dd { font-size: 1.375rem; font-weight: 600; font-variant-numeric: tabular-nums; }
    .totals dd.change { color: var(--soft); font-size: .875rem; font-weight: 400; }
    nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1.25rem 0 0; padding: 0; }
    nav li { list-style: none; }
    footer { margin-top: 3.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
    .facts {
      display: grid; gap: .75rem 2rem; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr));
    }
    .facts .wide { grid-column: 1 / -1; }
    body:has(.sheet) { max-width: 96rem; }
    .word { white-space: nowrap; }
    .prose { min-width: 9rem; }
    .sheet table { font-size: .875rem; }
    @media screen and (min-width: 60rem) {
      main:not(.sheet) { display: grid; grid-template-columns: 1fr 1fr; column-gap: 4rem; }
      section { grid-column: 1 / -1; min-width: 0; }
      #streaks, #survival, #unknown-days, #unknowns { grid-column: auto; }
    }
    .mark { width: 1em; height: 1em; fill: none; stroke: currentColor; stroke-width: 2.2; }
    .mark { margin-right: .4em; vertical-align: -.125em; stroke-linecap: round; stroke-linejoin: round; }
    .passed { color: var(--good); }
    .found, .bad { color: var(--bad); }
    .left-out { color: var(--left); }

    """
}
