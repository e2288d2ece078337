/// The benchmarks that a command line requests.
struct BenchmarkOrder: Sendable {
  static let all: [any Benchmark] = [
    PollingBenchmark(), PlannerBenchmark(), EvaluationBenchmark(), AppendBenchmark(),
    DatabaseBenchmark(), DecodeBenchmark(), SnapshotBenchmark(), VerifyBenchmark(),
    AuditBenchmark(), BackfillBenchmark(),
    NightlyBenchmark(), FleetBenchmark(), StartBenchmark(), RelayBenchmark(), DelayBenchmark(),
    OutageBenchmark(),
  ]

  let benchmarks: [any Benchmark]
  let effort: Effort

  /// Parses `[NAME…] [--quick]`; no name means all.
  init(_ arguments: [String]) throws(Usage) {
    var names = arguments
    let isQuick = names.contains("--quick")
    names.removeAll { $0 == "--quick" }
    if let stranger = names.first(where: { name in !Self.all.contains { $0.name == name } }) {
      throw Usage(reason: stranger == "--help" ? nil : "there is no benchmark \"\(stranger)\"")
    }
    benchmarks = names.isEmpty ? Self.all : Self.all.filter { names.contains($0.name) }
    effort = Effort(isQuick: isQuick)
  }

  /// Runs the benchmarks one after another.
  func run() async throws -> [ResultRow] {
    var rows: [ResultRow] = []
    for benchmark in benchmarks {
      StandardError.note("\(benchmark.name): \(benchmark.summary)")
      rows += try await benchmark.run(effort) { StandardError.note("  \($0)") }
    }
    return rows
  }
}

/// The usage of the command, and what was wrong with it.
struct Usage: Error {
  let reason: String?

  var text: String {
    let names = BenchmarkOrder.all.map { benchmark in
      "  \(benchmark.name)\(String(repeating: " ", count: 12 - benchmark.name.count))"
        + benchmark.summary
    }
    return (reason.map { ["benchmarks: \($0)"] } ?? [])
      .appending("usage: benchmarks [NAME…] [--quick]").appending(contentsOf: names)
      .appending("       \(FilledLedger.usage), a ledger for trying things by hand")
      .joined(separator: "\n")
  }
}

extension [String] {
  fileprivate func appending(_ line: String) -> [String] { self + [line] }
  fileprivate func appending(contentsOf lines: [String]) -> [String] { self + lines }
}
