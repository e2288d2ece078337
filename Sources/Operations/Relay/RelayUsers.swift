import CivilTime
import Digests
import Foundations
import Ledger
import LedgerStore
import NotificationRelay
import Scheduling
import StrictJSON

/// Users as sinks need them: their devices and their accounts in the app, from the roster file, which is read at the start and on
/// reload, and what the ledger says of them.
///
/// The digest of a token that reaches no one is remembered, so that the same roster line does not bring it back.
final class RelayUsers: PushDevices, StoreAccounts {
  private struct Entry: Sendable {
    let token: String?
    let language: String?
    let account: String?
    let apiUser: String?
  }

  private struct State: Sendable {
    var entries: [String: Entry] = [:]
    var forgotten: Set<String> = []
  }

  private static let rosterLimitBytes = 1 << 30

  let sink: String
  private let roster: String
  private let memory: String
  private let files: any FileSystem
  let writer: LedgerWriter?
  let zones: any ZoneSource
  private let log: Log
  private let state = Lock(State())
  private let thread = BlockingThread(named: "rewards.devices")

  /// Creates the users of the roster at `roster`; forgotten tokens are stored in the folder of the sink. Without
  /// `writer` nothing is known from the ledger.
  init(
    roster: String, sink: String, in directory: DataDirectory, writer: LedgerWriter?,
    zones: any ZoneSource, log: Log
  ) {
    self.sink = sink
    self.roster = roster
    memory = "\(directory.relay(sink: sink))/forgotten"
    files = directory.files
    self.writer = writer
    self.zones = zones
    self.log = log
  }

  /// Reads the roster again; keeps what was known when it is unreadable.
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
        "users' devices and accounts could not be read",
        ["file": .text(roster), "cause": .text("\(error)")])
    }
  }

  func device(of user: String) async -> PushDevice? {
    let found = state.withLock { state -> (token: String, language: String?)? in
      guard let entry = state.entries[user], let token = entry.token,
        !state.forgotten.contains(Self.digest(token))
      else { return nil }
      return (token, entry.language)
    }
    guard let found else { return nil }
    let name = await writer?.read { state in
      state.ledger.account(of: user).map { state.ledger.zone(of: $0) }
    }
    let zone = (name ?? nil).flatMap { try? zones.zone(named: $0) }
    return PushDevice(token: found.token, language: found.language, zone: zone)
  }

  func account(of user: String) async -> StoreAccount {
    let entry = state.withLock { $0.entries[user] }
    return StoreAccount(id: entry?.apiUser ?? user, document: entry?.account)
  }

  func forget(_ token: String, of user: String) async {
    let digest = Self.digest(token)
    let all = state.withLock { state in
      state.forgotten.insert(digest)
      return state.forgotten.sorted()
    }
    do {
      try await thread.run { [memory, files] in
        try Self.write(all, to: memory, in: files)
      }
    } catch {
      // The next push after a restart will find it out again.
      log.warning(
        "could not record that a device is gone",
        ["file": .text(memory), "cause": .text("\(error)")])
    }
  }

  /// Forgets the device and the account of a user, and whether the device's token reaches nobody; returns whether there was one of
  /// them.
  func erase(_ user: String) async throws -> Bool {
    try await thread.run { [self] in
      let (wasThere, left) = state.withLock { state -> (Bool, Set<String>?) in
        guard let entry = state.entries.removeValue(forKey: user) else { return (false, nil) }
        let wasDead = entry.token.map { state.forgotten.remove(Self.digest($0)) != nil } ?? false
        return (true, wasDead ? state.forgotten : nil)
      }
      if let left {
        try Self.write(left.sorted(), to: memory, in: files)
      }
      return wasThere
    }
  }

  private static func write(
    _ digests: [String], to memory: String, in files: any FileSystem
  ) throws {
    try files.replace(memory, with: digests.map { Array("\($0)\n".utf8) })
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
      guard let node = try? JSONNode.parse(Array(line)),
        let user = id("user", node)
      else { continue }
      let entry = Entry(
        token: node["deviceToken"]?.string.flatMap { $0.isEmpty ? nil : $0 },
        language: node["language"]?.string, account: id("account", node),
        apiUser: id("apiUser", node))
      if entry.token != nil || entry.account != nil || entry.apiUser != nil {
        entries[user] = entry
      }
    }
    return entries
  }

  /// Returns an id, which may be written as a whole number.
  private static func id(_ key: String, _ node: JSONNode) -> String? {
    (node[key]?.string ?? node[key]?.int.map(String.init)).flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension RelayUsers: EarningsSource {
  func earnings(of users: [String], at now: Instant) async -> [String: CurrentEarnings] {
    let zones = zones
    let found = await writer?.read { state in
      users.map { ($0, state.ledger.currentEarnings(of: $0, at: now, in: zones)) }
    }
    return (found ?? []).reduce(into: [:]) { $0[$1.0] = $1.1 }
  }
}

extension LedgerState {
  /// Returns what a user's document should have been given; nil for an unknown user. In an unknown zone no day runs, so none of its
  /// rewards are known as today's.
  func currentEarnings(
    of user: String, at now: Instant, in zones: any ZoneSource
  ) -> CurrentEarnings? {
    guard let account = account(of: user), let earnings = earnings(of: user) else { return nil }
    let day = (try? zones.zone(named: zone(of: account)))?.window(containing: now)
    return CurrentEarnings(
      ledger: ledger, position: seq, earnings: earnings,
      caps: rules.caps(on: day?.day ?? account.boundaryDay),
      day: day ?? DayWindow(day: account.boundaryDay, start: now, end: now),
      rewarded: day.map { rewarded(user, on: $0.day) } ?? [])
  }
}

/// Nobody, for tests of a sink.
struct NoUsers: PushDevices, StoreAccounts, EarningsSource {
  func device(of user: String) async -> PushDevice? { nil }
  func forget(_ token: String, of user: String) async {}
  func account(of user: String) async -> StoreAccount { StoreAccount(id: user, document: nil) }
  func earnings(of users: [String], at now: Instant) async -> [String: CurrentEarnings] { [:] }
}
