import CivilTime
import Ledger
import LedgerStore
import Operations
import Scheduling

/// Measures a start with a big ledger, and the memory that the process then holds.
struct StartBenchmark: Benchmark {
  let name = "start"
  let summary = "opening a big ledger from its snapshot, and the memory of many idle users"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let records = effort.pick(quick: 200_000, full: 10_000_000)
    let users = effort.pick(quick: 10_000, full: 100_000)
    let folder = try TemporaryFolder()
    try await prepare(folder, records: records, users: users)
    var seconds: [Double] = []
    var memory: [Double] = []
    for round in 1...effort.rounds {
      let helper = try PeerProcess.itself([HelperProcess.start, folder.path])
      defer { helper.wait() }
      let numbers = try helper.readLine().split(separator: " ").compactMap { Double($0) }
      guard numbers.count == 3, Int(numbers[2]) == users else {
        throw PeerFailure(what: "the helper of the start gave no report")
      }
      seconds.append(numbers[0])
      memory.append(numbers[1])
      note("round \(round): \(Figure.time(numbers[0])), \(Figure.mebibytes(Int(numbers[1])))")
    }
    return [
      ResultRow(
        work:
          "start: \(Figure.count(Double(records))) records, \(Figure.count(Double(users))) users, "
          + "about 10,000 records since the snapshot, warm page cache",
        measured: Figure.time(seconds.median), asked: "0.5 s",
        isReached: effort.isQuick ? nil : seconds.median <= 0.5),
      ResultRow(
        work: "resident memory then, \(Figure.count(Double(users))) users idle",
        measured: Figure.mebibytes(Int(memory.median)), asked: "100 MiB for 100,000",
        isReached: effort.isQuick ? nil : Int(memory.median) <= 100 << 20),
    ]
  }

  /// Prepares a data folder as a service leaves it when it is killed some minutes after its last snapshot.
  private func prepare(_ folder: TemporaryFolder, records: Int, users: Int) async throws {
    let directory = DataDirectory("\(folder.path)/data")
    let clock = NightWorld.makeClock()
    let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
    defer { store.close() }
    try await BenchmarkLedger.fill(store, records: records, group: 2_000)
    let world = try await NightWorld(
      users: users, store: store, directory: directory, clock: clock)
    try await world.evening(count: users)
    _ = try await world.night()
    let (state, head) = try await world.writer.snapshot()
    try store.writeSnapshot(payload: StateSnapshot.write(state), at: head)
    await LookMemory(world.writer).rewrite(in: world.looks)
    try await world.evening(count: min(users, 11_000))
    try StartHelper.configure(folder)
  }
}
