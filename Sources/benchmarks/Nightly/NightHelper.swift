import CivilTime
import LedgerStore
import Operations

/// One night in a process of its own, so that its memory is its own.
struct NightHelper {
  let users: Int

  /// What was measured, as it travels from the helper to its parent.
  struct Report {
    let users: Int
    let visitSeconds: Double
    let closeSeconds: Double
    let processorSeconds: Double
    let records: Int
    let peakBytes: Int
    let looks: Int

    var seconds: Double { visitSeconds + closeSeconds }

    var line: String {
      "\(users) \(visitSeconds) \(closeSeconds) \(processorSeconds) \(records) \(peakBytes) \(looks)"
    }

    init?(_ line: String) {
      let words = line.split(separator: " ")
      let numbers = words.compactMap { Double($0) }
      guard words.count == 7, numbers.count == 7 else { return nil }
      users = Int(numbers[0])
      visitSeconds = numbers[1]
      closeSeconds = numbers[2]
      processorSeconds = numbers[3]
      records = Int(numbers[4])
      peakBytes = Int(numbers[5])
      looks = Int(numbers[6])
    }

    init(_ night: NightWorld.Night, users: Int) {
      self.users = users
      visitSeconds = night.visiting.wall
      closeSeconds = night.closing.wall
      processorSeconds = night.visiting.processor + night.closing.processor
      records = night.records
      looks = night.looks
      peakBytes = Machine.memory("VmHWM")
    }
  }

  /// An evening that is not measured, and the night after it.
  func run() async throws -> Report {
    let folder = try TemporaryFolder()
    let directory = DataDirectory(folder.path)
    let clock = NightWorld.makeClock()
    let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
    defer { store.close() }
    let world = try await NightWorld(
      users: users, store: store, directory: directory, clock: clock)
    try await world.evening(count: users)
    Machine.forgetPeak()
    return Report(try await world.night(), users: users)
  }
}
