/// Measures the nightly reconciliation of very many users, without the network.
struct NightlyBenchmark: Benchmark {
  let name = "nightly"
  let summary = "the nightly reconciliation of many users, network excluded; three sizes"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let full = effort.pick(quick: 20_000, full: 1_000_000)
    var reports: [NightHelper.Report] = []
    for users in [full / 4, full / 2, full] {
      let helper = try PeerProcess.itself([HelperProcess.night, "\(users)"])
      defer { helper.wait() }
      guard let report = NightHelper.Report(try helper.readLine()) else {
        throw PeerFailure(what: "the helper of the night gave no report")
      }
      note(
        "\(users) users: \(report.looks) looks in \(Figure.time(report.visitSeconds)), close in "
          + "\(Figure.time(report.closeSeconds)), \(report.records) records, peak "
          + Figure.mebibytes(report.peakBytes))
      reports.append(report)
    }
    guard let last = reports.last, let first = reports.first else { return [] }
    let perUser = reports.map { $0.seconds / Double($0.users) }
    return [
      ResultRow(
        work: "nightly reconciliation of \(Figure.count(Double(full))) users, network excluded, "
          + "ledger and looks on disk",
        measured:
          "\(Figure.time(last.seconds)) (\(Figure.count(Double(last.looks))) looks, judging: "
          + "\(Figure.time(last.visitSeconds)); close: \(Figure.time(last.closeSeconds)))",
        asked: "20 s for 1 million",
        isReached: effort.isQuick ? nil : last.seconds <= 20),
      ResultRow(
        work: "its memory at most", measured: Figure.mebibytes(last.peakBytes), asked: "1 GiB",
        isReached: effort.isQuick ? nil : last.peakBytes <= 1 << 30),
      ResultRow(
        work:
          "the same for \(reports.map { Figure.count(Double($0.users)) }.joined(separator: ", ")) users",
        measured: perUser.map { Figure.time($0) }.joined(separator: ", ") + " a user",
        asked: "linear",
        isReached: last.seconds / Double(last.users) < 1.25 * first.seconds / Double(first.users)),
    ]
  }
}
