import CivilTime
import Foundations
import Ledger
import LedgerStore
import Operations

/// Measures the verification of every line of a big ledger, compared with a database that only groups its lines by type.
struct VerifyBenchmark: Benchmark {
  let name = "verify"
  let summary =
    "the whole ledger checked, beside DuckDB's GROUP BY over the same files; three sizes"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let full = effort.pick(quick: 200_000, full: 2_000_000)
    let half = try await time(of: full / 2, effort, peer: false, note)
    let large = try await time(of: full * 5, effort, peer: false, note)
    let asked = try await time(of: full, effort, peer: true, note)
    let millions = Double(full) / 1e6
    let work = "ledger verify, \(Figure.count(Double(full))) records"
    let measured =
      "\(Figure.time(asked.ours)), \(Figure.count(Double(asked.records) / asked.ours)) records/s"
    let growth = ResultRow(
      work: "the same at \(millions / 2), \(millions) and \(millions * 5) million records",
      measured: [half, asked, large].map { Figure.time($0.ours / Double($0.records)) }
        .joined(separator: ", ") + " a record",
      asked: "linear", isReached: large.perRecord < 1.25 * half.perRecord)
    guard let duck = asked.duck else {
      return [.alone(work, measured, missing: "DuckDB for Python", askedText: "2"), growth]
    }
    return [
      .compared(
        work, measured, peer: "DuckDB \(Figure.time(duck))", ratio: duck / asked.ours, atLeast: 2,
        askedText: "2"),
      growth,
    ]
  }

  private struct Times {
    let records: Int
    let ours: Double
    var duck: Double?
    var perRecord: Double { ours / Double(records) }
  }

  private func time(
    of records: Int, _ effort: Effort, peer: Bool, _ note: (String) -> Void
  ) async throws -> Times {
    let folder = try TemporaryFolder()
    let directory = DataDirectory(folder.path)
    let clock = SystemClock()
    let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
    try await BenchmarkLedger.fill(store, records: records, group: 500)
    store.close()
    // DuckDB is given only the column that it needs, which is its fastest way.
    let duck =
      try !peer
      ? nil
      : PythonPeer(
        PackageResources.group_py, needing: "duckdb",
        ["\(directory.ledger)/*.jsonl", ", columns={'type': 'VARCHAR'}"])
    let thread = BlockingThread(named: "benchmarks.verify")
    var ours: [Double] = []
    var theirs: [Double] = []
    var count = 0
    for round in 1...effort.rounds {
      let (report, elapsed) = try await thread.run {
        let watch = Stopwatch()
        let report = try LedgerVerifier(directory).verify()
        return (report, watch.elapsed)
      }
      guard report.isIntact else { throw PeerFailure(what: "the ledger is damaged") }
      count = report.records
      ours.append(elapsed.wall)
      if let duck {
        let answer = try duck.run()
        guard answer.count == count else {
          throw PeerFailure(what: "DuckDB counted \(answer.count), we \(count)")
        }
        theirs.append(answer.seconds)
      }
      note(
        "\(count) records, round \(round): ours \(Figure.time(elapsed.wall)) "
          + "(processor \(Figure.time(elapsed.processor)))"
          + (theirs.last.map { ", DuckDB \(Figure.time($0))" } ?? ""))
    }
    return Times(records: count, ours: ours.median, duck: theirs.isEmpty ? nil : theirs.median)
  }
}
