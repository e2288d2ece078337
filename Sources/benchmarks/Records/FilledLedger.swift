import LedgerStore
import Operations

/// Big ledgers for manual experiments.
enum FilledLedger {
  static let usage = "benchmarks fill DIR RECORDS | live DIR USERS NIGHTS"

  /// Fills the data folder DIR, or simulates lives in the folder DIR, if `arguments` request it; returns whether they did.
  static func run(_ arguments: [String]) async throws -> Bool {
    if arguments.first == "live" {
      guard arguments.count == 4, let users = Int(arguments[2]), let nights = Int(arguments[3]),
        users > 0, nights > 0
      else { throw Usage(reason: "live takes a folder and numbers of users and nights") }
      _ = try await PastWorld(users: users, nights: nights, in: arguments[1])
      return true
    }
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
