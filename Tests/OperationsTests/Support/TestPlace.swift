import CheerAPI
import CivilTime
import Configuration
import Foundation
import Foundations
import LedgerStore
import Operations
import Scheduling

/// A folder with everything that a service needs: configuration, roster, secrets. Gone with the value.
final class TestPlace: Sendable {
  /// What differs from test to test.
  struct Settings {
    /// The API; nil for a service without credentials.
    var baseURL: String?
    var credential = "\"token\": {\"file\": \"./api-token\"}"
    var everyMinutes = 60
    var inboxEverySeconds = 900
    var requiresWatermark = false
    var sources = "{}"
    var relay = "{\"journal\": {\"kind\": \"file\", \"path\": \"./events.jsonl\"}}"
    var data = "./data"
    var rules: [String] = []
    var timeoutSeconds = 60
    var admin = "127.0.0.1:0"
    var countsFollows = false
  }

  let path: String
  private let lines = Lock<[String]>([])

  init(_ settings: Settings = Settings()) throws {
    path = FileManager.default.temporaryDirectory.path + "/rw-\(UUID().uuidString.prefix(13))"
    try FileManager.default.createDirectory(
      atPath: "\(path)/jobs", withIntermediateDirectories: true)
    try write("draw-secret", "the draws of a test\n", isSecret: true)
    try write("api-token", "sandbox-token", isSecret: true)
    try write("users.jsonl", "")
    try configure(settings)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Everything that was logged, a line each.
  var log: [String] { lines.withLock { $0 } }

  /// The data folder.
  var directory: DataDirectory { DataDirectory("\(path)/data") }

  func configure(_ settings: Settings) throws {
    let api = settings.baseURL.map { url in
      """
      "api": {"baseURL": "\(url)", "timeZone": "Asia/Tokyo", \(settings.credential),
        "requestsPerSecond": 100000, "timeoutSeconds": \(settings.timeoutSeconds),
        "countFollows": \(settings.countsFollows)},
      """
    }
    let rules = settings.rules.map { "\"\($0)\"" }.joined(separator: ", ")
    try write(
      "rewards.json",
      """
      {
        "data": "\(settings.data)", "users": "./users.jsonl", "jobs": "./jobs", "rules": [\(rules)],
        "drawSecret": {"file": "./draw-secret"}, \(api ?? "")
        "poll": {"everyMinutes": \(settings.everyMinutes)},
        "inbox": {"requireWatermark": \(settings.requiresWatermark),
          "everySeconds": \(settings.inboxEverySeconds)},
        "sources": \(settings.sources), "relay": \(settings.relay), "admin": {"listen": "\(settings.admin)"}
      }
      """)
  }

  func write(_ name: String, _ text: String, isSecret: Bool = false) throws {
    let file = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes(
      [.posixPermissions: isSecret ? 0o600 : 0o644], ofItemAtPath: file)
  }

  func read(_ name: String) -> String {
    let bytes = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []).sorted()
  }

  func configuration() throws -> Configuration {
    try ConfigurationLoader(environment: [:], zones: Self.zones).load(file: "\(path)/rewards.json")
  }

  func environment(_ clock: any ServiceClock) -> RuntimeEnvironment {
    RuntimeEnvironment(
      clock: clock, zones: Self.zones, variables: [:],
      log: Log(level: .info, layout: .logfmt, clock: clock) { [lines] line in
        lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
      },
      randomBytes: RandomBytes.make, command: "rewards test", actor: "tester")
  }

  /// Opens the folder, with the rules in use.
  func open(_ clock: any ServiceClock, writes: Bool = true) async throws -> Runtime {
    let runtime = try await Runtime.open(configuration(), environment(clock), writes: writes)
    try await runtime.recordRules()
    return runtime
  }

  static let zones: any ZoneSource = SystemZones(directory: nil)
}

extension TestPlace {
  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
  }

  /// Backs the data folder up, loses it, and restores the backup.
  func loseAndRestore(now: Instant, isInboxComplete: Bool) async throws {
    let backup = "\(path)/backup"
    _ = try await LedgerReading.backup(
      directory, into: backup, isFull: false, now: now, command: "test")
    try remove("data")
    _ = try await LedgerReading.restore(
      backup, into: directory, command: "test", isInboxComplete: isInboxComplete)
  }
}

extension TestPlace {
  /// Makes a file longer; throws when the disk has no room for it.
  func append(_ name: String, count: Int) throws {
    let file = "\(path)/\(name)"
    if !FileManager.default.fileExists(atPath: file) {
      _ = FileManager.default.createFile(atPath: file, contents: nil)
    }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    defer { try? handle.close() }
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(repeating: 0x78, count: count))
  }
}
