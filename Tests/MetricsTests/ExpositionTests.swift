import Foundations
import TestSupport
import Testing

/// The text of metrics in both formats; the scrape of a running service is checked with prometheus_client in Tests/Relay.
@Suite(.offThePool) struct ExpositionTests {
  private func page(_ format: Exposition.Format) -> String {
    var page = Exposition(format)
    let kind: Exposition.Labels = ["kind": "a\"b\\\n"]
    let sink: Exposition.Labels = ["sink": "s"]
    page.counter("x_things_total", "Things.\nAll \\ of them.", [(labels: kind, value: 3)])
    page.gauge("x_level", "How high.", 0.25)
    var histogram = Histogram(bounds: [0.5, 1])
    for value in [0.5, 0.75, 7, -1] { histogram.observe(value) }
    page.histogram("x_seconds", "How long.", [(labels: sink, value: histogram)])
    return page.finished()
  }

  @Test func openMetricsNamesFamiliesWithoutTheirSuffixAndEnds() {
    #expect(
      page(.openMetrics) == """
        # HELP x_things Things.\\nAll \\\\ of them.
        # TYPE x_things counter
        x_things_total{kind="a\\"b\\\\\\n"} 3.0
        # HELP x_level How high.
        # TYPE x_level gauge
        x_level 0.25
        # HELP x_seconds How long.
        # TYPE x_seconds histogram
        x_seconds_bucket{sink="s",le="0.5"} 2.0
        x_seconds_bucket{sink="s",le="1.0"} 3.0
        x_seconds_bucket{sink="s",le="+Inf"} 4.0
        x_seconds_count{sink="s"} 4.0
        x_seconds_sum{sink="s"} 8.25
        # EOF

        """)
  }

  /// Families of several pages stand together, as the formats want it.
  @Test func pagesAreAddedFamilyByFamily() {
    let labels: Exposition.Labels = ["kind": "a"]
    var sum = Exposition(.prometheus)
    for shard in ["0", "1"] {
      var page = Exposition(.prometheus, label: ("shard", shard))
      page.counter("x_total", "X.", [(labels: labels, value: 3)])
      if shard == "1" { page.gauge("only", "Only one has it.", 1) }
      page.gauge("y", "Y.", 2)
      sum.add(page)
    }
    #expect(
      sum.finished() == """
        # HELP x_total X.
        # TYPE x_total counter
        x_total{shard="0",kind="a"} 3.0
        x_total{shard="1",kind="a"} 3.0
        # HELP y Y.
        # TYPE y gauge
        y{shard="0"} 2.0
        y{shard="1"} 2.0
        # HELP only Only one has it.
        # TYPE only gauge
        only{shard="1"} 1.0

        """)
  }

  @Test func theOlderFormatNamesThemAsTheyAre() {
    let text = page(.prometheus)
    #expect(text.contains("# TYPE x_things_total counter\n"))
    #expect(!text.contains("# EOF"))
  }

  @Test(arguments: [
    (nil, Exposition.Format.prometheus), ("*/*", .prometheus),
    ("text/plain;version=0.0.4", .prometheus),
    ("application/openmetrics-text;version=1.0.0,text/plain;q=0.5", .openMetrics),
  ])
  func theFormatIsTheOneThatIsAskedFor(accept: String?, format: Exposition.Format) {
    #expect(Exposition.Format(accepting: accept) == format)
  }

  @Test func aHistogramCountsEachValueOnce() {
    var histogram = Histogram()
    for value in Histogram.durationBounds { histogram.observe(value) }
    histogram.observe(1_000)
    #expect(histogram.counts == Array(repeating: 1, count: Histogram.durationBounds.count + 1))
    #expect(histogram.count == Histogram.durationBounds.count + 1)
  }
}
