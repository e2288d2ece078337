import CivilTime
import Configuration
import Engine
import Foundations
import Ledger
import LedgerStore
import Scheduling

/// Reads the past of users, as many at a time as fit into memory, several shares in parallel.
struct SharedReading {
  /// The number of lines whose users one thread holds at once: about half a gigabyte.
  private static let linesAShare: UInt64 = 1_500_000
  /// The number of lines below which a second thread does not pay off.
  private static let linesAThread: UInt64 = 20_000
  /// The number of named users held at once, however long their past.
  private static let usersAShare = 5_000

  let reader: LedgerReader
  let configuration: Configuration
  let environment: RuntimeEnvironment
  /// The state of all users at the line after which reading begins, so that pasts begin after its last closed days. Nil reads
  /// from the beginning.
  var base: LedgerState?
  var threads = Concurrently.threads
  /// The users to read about; nil for all.
  var isWanted: (@Sendable (String) -> Bool)?
  /// The number of shares that all users are divided into; nil chooses by the length of the ledger.
  var shares: Int?

  /// Fills `empty` from the past of these users, or of all when `users` is nil, and returns it. Blocks.
  ///
  /// Examines pasts only when the ledger has rules. Merges gatherings in the order of the shares.
  func read<Gathering: PastGathering>(
    _ empty: Gathering, of users: Set<String>? = nil
  ) throws -> Gathering {
    let choices = users.map(choices) ?? allUsers
    let now = environment.clock.now()
    let looks =
      empty.needsOpenDays ? try KeptLooks(configuration, now: now, of: users) : KeptLooks()
    let parts = try Concurrently.map(choices.count, threads: threads) { number in
      try read(empty, choices[number], of: users, looks, now)
    }
    return parts.dropFirst().reduce(into: parts.first ?? empty) { $0.merge($1) }
  }

  private func read<Gathering: PastGathering>(
    _ empty: Gathering, _ choice: UserChoice, of users: Set<String>?, _ looks: KeptLooks,
    _ now: Instant
  ) throws -> Gathering {
    var gathering = empty
    var state = LedgerState()
    if let base {
      state = try LedgerState(base, where: choice.includes)
    } else if Gathering.needsPasts {
      state = LedgerState(.pastsWhere { users?.contains($0) ?? true })
    }
    try reader.scan(.of(choice), after: base?.seq ?? 0, threads: 1) { record in
      gathering.add(record, before: state)
      state.apply(record)
    }
    if Gathering.needsPasts, state.rules.current != nil {
      try state.requireRules()
      let terms = try EngineTerms(configuration, variables: environment.variables)
      var windows = Windows(zones: environment.zones)
      for index in state.accounts.indices {
        let account = state.account(at: index)
        let days = empty.needsOpenDays ? openDays(of: account, in: state, &windows, now) : []
        gathering.examine(
          Timeline(
            account: account, history: state.history(at: index), openWindows: days,
            looks: looks[account.id], inboxThrough: looks.inboxThrough,
            excuses: state.excuses(for: account.id), rules: state.rules, terms: terms))
      }
    }
    gathering.finish(state)
    return gathering
  }

  /// Returns the open days of a user; empty for a user in an unknown zone, who is not judged.
  private func openDays(
    of account: Account, in state: LedgerState, _ windows: inout Windows, _ now: Instant
  ) -> [UserWindow] {
    let days = try? windows.open(
      of: account, zone: state.zone(of: account), through: now, in: state)
    return days ?? []
  }

  /// Rounds a number of shares up so that every thread has one.
  private func even(_ count: Int) -> Int { (max(1, count) + threads - 1) / threads * threads }

  private var allUsers: [UserChoice] {
    let lines = reader.head.seq - (base?.seq ?? 0)
    let needed = Int(clamping: (lines + Self.linesAShare - 1) / Self.linesAShare)
    let count = shares ?? (lines < Self.linesAThread ? 1 : even(needed))
    return (0..<count).map { UserChoice.share($0, of: count).among(isWanted) }
  }

  private func choices(of users: Set<String>) -> [UserChoice] {
    let names = users.sorted()
    let byLines = Int(clamping: reader.head.seq / Self.linesAShare) + 1
    let byUsers = (names.count + Self.usersAShare - 1) / Self.usersAShare
    let count = shares ?? (names.count > 1_000 ? even(min(byLines, byUsers)) : 1)
    let size = max(1, (names.count + count - 1) / count)
    return stride(from: 0, to: names.count, by: size).map {
      .named(names[$0..<min($0 + size, names.count)])
    }
  }
}

/// The results gathered from the past of some users; gatherings of different users are merged.
protocol PastGathering: Sendable {
  /// Whether it needs the whole past of users, not just records.
  static var needsPasts: Bool { get }
  /// Whether it also needs open days.
  var needsOpenDays: Bool { get }
  /// Examines the next record about one of the users or about none; `state` is the state before it and holds no other users.
  mutating func add(_ record: Record, before state: LedgerState)
  /// Examines one user's timeline, which has the whole history.
  mutating func examine(_ timeline: Timeline)
  /// Examines the final state, which holds only these users.
  mutating func finish(_ state: LedgerState)
  /// Adds the results for other users.
  mutating func merge(_ other: Self)
}

extension PastGathering {
  static var needsPasts: Bool { true }
  var needsOpenDays: Bool { false }
  mutating func add(_ record: Record, before state: LedgerState) {}
  mutating func examine(_ timeline: Timeline) {}
  mutating func finish(_ state: LedgerState) {}
}
