import LedgerStore
import Operations

/// A big ledger for trying things by hand.
enum FilledLedger {
  static let usage = "benchmarks fill DIR RECORDS"

  /// Fills the data folder DIR when `arguments` ask for it, and says whether they did.
  static func run(_ arguments: [String]) async throws -> Bool {
    guard arguments.first == "fill" else { return false }
    guard arguments.count == 3, let records = Int(arguments[2]), records > 0 else {
      throw Usage(reason: "fill takes a folder and a number of records")
    }
    let clock = SystemClock()
    let store = try BenchmarkLedger.open(DataDirectory(arguments[1]), clock: { clock.now() })
    defer { store.close() }
    try await BenchmarkLedger.fill(store, records: records, group: 500)
    return true
  }
}
