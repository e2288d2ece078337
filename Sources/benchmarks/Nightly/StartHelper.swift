import Configuration
import Foundation
import Foundations
import Ledger
import LedgerStore
import Operations
import Scheduling

/// Opens a runtime in a separate process, as `rewards serve` does.
enum StartHelper {
  /// Writes a configuration next to the data in `folder`.
  static func configure(_ folder: TemporaryFolder) throws {
    try write(
      """
      {"data": "./data", "drawSecret": {"file": "./draws"}, "users": "./users.jsonl",
       "api": {"baseURL": "http://127.0.0.1:9/api/v1", "token": {"file": "./token"}}}
      """, "\(folder.path)/rewards.json")
    try write("\(BenchmarkWriter.drawText)\n", "\(folder.path)/draws")
    try write("token\n", "\(folder.path)/token")
    try write("", "\(folder.path)/users.jsonl")
  }

  /// Opens the data in `folder` once; returns the seconds, the memory in bytes afterwards, and the number of users.
  static func run(folder: String) async throws -> String {
    let zones = SystemZones(directory: nil)
    let clock = SystemClock()
    let log = Log(level: .warning, layout: .logfmt, clock: clock) { line in
      // A skipped snapshot would make this another measurement.
      StandardError.note(String(decoding: line, as: UTF8.self))
    }
    let environment = RuntimeEnvironment(
      clock: clock, zones: zones, variables: [:], log: log, randomBytes: RandomBytes.make,
      command: "benchmarks", actor: "benchmarks")
    let watch = Stopwatch()
    let configuration = try ConfigurationLoader(environment: [:], zones: zones).load(
      file: "\(folder)/rewards.json")
    let runtime = try await Runtime.open(configuration, environment)
    let seconds = watch.elapsed.wall
    let memory = Machine.memory("VmRSS")
    let users = await runtime.writer.read { $0.ledger.accounts.count }
    // Not closed, so that the next round finds the data as this one did.
    return "\(seconds) \(memory) \(users)"
  }

  private static func write(_ text: String, _ path: String) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    chmod(path, 0o600)
  }
}
