import CivilTime
import Foundation
import Foundations
import LedgerDatabase
import LedgerStore
import Operations

/// Runs one night in a separate process, so that its memory can be measured alone.
struct NightHelper {
  let users: Int

  /// The measurements that the helper sends to its parent.
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

  /// Runs an evening, which is not measured, and the night after it.
  func run() async throws -> Report {
    let folder = try TemporaryFolder()
    return try await run(in: DataDirectory(folder.path)) {}
  }

  /// Runs a shard's night: reports when it is ready, and begins on request. `argument` consists of the number of users, the
  /// shard's number and the database's address.
  static func serve(_ argument: String) async throws {
    let words = argument.split(separator: " ").map(String.init)
    guard words.count == 3, let users = Int(words[0]), let shard = Int64(words[1]) else {
      throw PeerFailure(what: "\"\(argument)\" is no night of a shard")
    }
    let pool = DatabasePool(try DatabaseAddress(words[2]))
    let files = DatabaseFiles(pool, worker: "benchmarks \(shard)", time: .machine)
    let directory = DataDirectory(
      files.folder(ofShard: shard),
      in: MountedFiles(base: PosixFileSystem(), root: files.root, files: files))
    let report = try await NightHelper(users: users).run(in: directory) {
      FileHandle.standardOutput.write(Data("ready\n".utf8))
      _ = readLine()
    }
    FileHandle.standardOutput.write(Data("\(report.line)\n".utf8))
  }

  /// Runs the night in a data folder; `wait` returns when it may begin.
  private func run(in directory: DataDirectory, wait: () -> Void) async throws -> Report {
    let clock = NightWorld.makeClock()
    let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
    defer { store.close() }
    let world = try await NightWorld(
      users: users, store: store, directory: directory, clock: clock)
    try await world.evening(count: users)
    Machine.forgetPeak()
    wait()
    return Report(try await world.night(), users: users)
  }
}
