import CivilTime
import Digests
import Foundations
import Ledger
import LedgerStore
import NotificationRelay
import Scheduling
import StrictJSON

/// The users' push devices, from the roster file, which is read at the start and on reload. The digest of a token that reaches
/// no one is remembered, so that the same roster line does not bring it back.
final class RosterDevices: PushDevices {
  private struct Entry: Sendable {
    let token: String
    let language: String?
  }

  private struct State: Sendable {
    var entries: [String: Entry] = [:]
    var forgotten: Set<String> = []
  }

  private static let rosterLimitBytes = 1 << 30

  private let roster: String
  private let memory: String
  private let files: any FileSystem
  private let writer: LedgerWriter
  private let zones: any ZoneSource
  private let log: Log
  private let state = Lock(State())
  private let thread = BlockingThread(named: "rewards.devices")

  /// Creates the devices of the roster at `roster`; forgotten tokens are stored in the folder of the sink.
  init(
    roster: String, sink: String, in directory: DataDirectory, writer: LedgerWriter,
    zones: any ZoneSource, log: Log
  ) {
    self.roster = roster
    memory = "\(directory.relay(sink: sink))/forgotten"
    files = directory.files
    self.writer = writer
    self.zones = zones
    self.log = log
  }

  /// Reads the roster again; keeps the old devices when it is unreadable.
  func reload() async {
    do {
      try await thread.run { [self] in
        let forgotten = try readForgotten()
        let entries = Self.entries(
          try files.readInput(roster, limitBytes: Self.rosterLimitBytes))
        state.withLock { $0 = State(entries: entries, forgotten: forgotten) }
      }
    } catch {
      log.warning(
        "users' devices could not be read",
        ["file": .text(roster), "cause": .text("\(error)")])
    }
  }

  func device(of user: String) async -> PushDevice? {
    let entry = state.withLock { state -> Entry? in
      guard let entry = state.entries[user], !state.forgotten.contains(Self.digest(entry.token))
      else { return nil }
      return entry
    }
    guard let entry else { return nil }
    let name = await writer.read { state in
      state.ledger.account(of: user).map { state.ledger.zone(of: $0) }
    }
    let zone = name.flatMap { try? zones.zone(named: $0) }
    return PushDevice(token: entry.token, language: entry.language, zone: zone)
  }

  func forget(_ token: String, of user: String) async {
    let digest = Self.digest(token)
    let all = state.withLock { state in
      state.forgotten.insert(digest)
      return state.forgotten.sorted()
    }
    do {
      try await thread.run { [memory, files] in
        try files.replace(
          memory, with: [Array((all.joined(separator: "\n") + "\n").utf8)])
      }
    } catch {
      // The next push after a restart will find it out again.
      log.warning(
        "could not record that a device is gone",
        ["file": .text(memory), "cause": .text("\(error)")])
    }
  }

  private static func digest(_ token: String) -> String {
    SHA256.digest(of: Array(token.utf8)).description
  }

  private func readForgotten() throws -> Set<String> {
    let text = try files.readWholeIfPresent(memory) ?? []
    return Set(String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init))
  }

  /// Returns the entries of valid lines; reading the roster itself reports invalid ones.
  private static func entries(_ text: [UInt8]) -> [String: Entry] {
    var entries: [String: Entry] = [:]
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard let node = try? JSONNode.parse(Array(line)), let token = node["deviceToken"]?.string,
        !token.isEmpty, let user = node["user"]?.string ?? node["user"]?.int.map(String.init)
      else { continue }
      entries[user] = Entry(token: token, language: node["language"]?.string)
    }
    return entries
  }
}
