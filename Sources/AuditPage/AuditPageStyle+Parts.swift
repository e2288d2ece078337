extension AuditPageStyle {
  /// Styles for tables and plots.
  static let figures: HTML = """
    table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
    caption { padding-bottom: .625rem; color: var(--soft); font-size: .875rem; text-align: left; }
    th, td { padding: .4375rem .75rem .4375rem 0; text-align: left; vertical-align: top; }
    th:last-child, td:last-child { padding-right: 0; }
    tbody tr, tfoot tr { border-top: 1px solid var(--line); }
    thead th { overflow-wrap: break-word; color: var(--soft); font-size: .8125rem; font-weight: 500; vertical-align: bottom; }
    tbody th { min-width: 6rem; font-weight: 500; }
    .values thead .number { min-width: 5rem; overflow-wrap: anywhere; }
    tfoot th, tfoot td { font-weight: 600; }
    .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
    thead .number { white-space: normal; }
    .none { color: var(--soft); }
    td.bad { font-weight: 650; }
    .state { min-width: 5.5rem; }
    .state span { white-space: nowrap; }
    @media (max-width: 30rem) {
      th, td { padding-right: .5rem; }
      main:not(.sheet) .number { white-space: normal; }
      .state { min-width: 4.5rem; }
      tbody th { min-width: 5rem; }
    }
    .state a { color: inherit; }
    .scroll { overflow-x: auto; }
    .scroll caption { position: sticky; left: 0; max-width: calc(100vw - 2rem); }
    .scroll tbody th { min-width: 8rem; }
    .values tbody th { white-space: nowrap; }
    td.bar { width: 34%; min-width: 3rem; }
    @media (max-width: 30rem) { td.bar { width: 22%; min-width: 2.5rem; } }
    svg { overflow: visible; }
    svg.bar { display: block; margin-top: .375rem; }
    .swatch { margin-right: .5rem; vertical-align: -.0625rem; }
    figure { margin: 2rem 0 0; }
    figure h3 { margin: 0 0 .25rem; }
    .plot { display: grid; grid-template-columns: 2.5rem 1fr; gap: .625rem; margin-top: 1.25rem; }
    .scale {
      display: flex; flex-direction: column; justify-content: space-between; height: 168px;
      color: var(--soft); font-size: .75rem; line-height: 0; text-align: right;
      font-variant-numeric: tabular-nums;
    }
    .columns { display: block; font-size: .75rem; font-variant-numeric: tabular-nums; }
    .columns text { fill: var(--soft); }
    .columns line { stroke: var(--line); }
    .columns .base { stroke: var(--soft); }
    .area { fill: transparent; }
    g:hover > .area { fill: var(--raised); }
    .series-0 { fill: var(--series-0); } .series-1 { fill: var(--series-1); }
    .series-2 { fill: var(--series-2); } .series-3 { fill: var(--series-3); }
    .series-4 { fill: var(--series-4); } .series-5 { fill: var(--series-5); }
    .series-6 { fill: var(--series-6); } .series-7, .series-rest { fill: var(--series-rest); }
    .columns g rect:not(.area) { stroke: var(--paper); stroke-width: 1; }
    summary { cursor: pointer; }
    .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .75rem 0; padding: 0; font-size: .875rem; }
    .legend li { list-style: none; }
    .zone { border-top: 1px solid var(--line); }
    .zone > summary { padding: .625rem 0; }
    .zone figure { margin-top: 0; }
    .values summary { color: var(--link); font-size: .875rem; }
    .values > div { margin: .75rem 0 1.5rem; }

    """

  /// Styles for findings and records.
  static let findings: HTML = """
    .check { border-top: 1px solid var(--line); }
    .check > summary { padding: .875rem 0; }
    .check h3 { display: inline; margin: 0; }
    .check data { margin-left: .5rem; color: var(--bad); font-variant-numeric: tabular-nums; }
    .full { content-visibility: auto; contain-intrinsic-size: auto 6400px; }
    ol.items { margin: 0; padding: 0 0 0 3.75rem; }
    ol.items > li { padding: .5rem 0; font-variant-numeric: tabular-nums; }
    ol.items > li::marker { color: var(--soft); font-size: .8125rem; }
    ol.items p { margin: 0; }
    ol.items p, .places { max-height: 16rem; overflow-y: auto; }
    .places { margin: 0; padding: 0; color: var(--soft); font-size: .875rem; }
    .places li { display: inline; }
    .places li + li::before { content: " · "; }
    .remedy { color: var(--soft); font-size: .9375rem; }
    .command { font-size: .875rem; }
    .jumps { margin-bottom: 1rem; color: var(--soft); font-size: .875rem; }
    .jumps a { margin-right: .375rem; }
    .record { padding: .25rem 0 1rem; }
    .record h3 { margin: .75rem 0 .25rem; }
    .record .note { margin: 0 0 .25rem; }
    .record pre {
      margin: 0; padding: .75rem 1rem; max-height: 24rem; overflow-y: auto;
      background: var(--raised); border-radius: 6px; white-space: pre-wrap; word-break: break-all;
    }
    li:target, .record:target, .check:target > summary { background: var(--mark); }
    .record:target pre { background: none; }

    """

  /// Styles for printing: black on white, with nothing folded.
  static let paper: HTML = """
    @media print {
      @page { margin: 16mm 14mm; }
      :root {
        color-scheme: light;
        --paper: #fff; --raised: #fff; --ink: #000; --soft: #333; --line: #bbb; --link: #000;
        --good: #000; --bad: #000; --left: #000; --mark: #fff;
        --series-0: #1b99e0; --series-1: #d27b22; --series-2: #00584b; --series-3: #7d4c8e;
        --series-4: #719d62; --series-5: #142443; --series-6: #6e2e08; --series-rest: #968a92;
      }
      html { font-size: 9.5pt; }
      body { max-width: none; padding: 0; }
      .values table { font-size: 7.5pt; }
      a { color: inherit; text-decoration: none; }
      nav { display: none; }
      section { margin-top: 2rem; }
      h1, h2, h3, summary, caption { break-after: avoid; }
      tr, table, figure, .totals, ol.items > li { break-inside: avoid; }
      .values table { break-inside: auto; }
      .values th, .values td { padding-block: 1pt; }
      code { line-height: 1.25; }
      .full { content-visibility: visible; }
      .scroll, .record pre, ol.items p, .places { max-height: none; overflow: visible; }
      .record pre { border: 1px solid var(--line); }
      details::details-content { display: block; block-size: auto; content-visibility: visible; }
      svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }
    """
}
