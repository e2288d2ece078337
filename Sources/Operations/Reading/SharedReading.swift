import CivilTime
import Configuration
import Engine
import Ledger
import LedgerStore
import Scheduling
import Threading

/// Reads the past of users: as many at a time as fit into memory, several shares side by side.
struct SharedReading {
  /// Lines whose users are held at once by one thread: some half a gigabyte.
  private static let linesAShare: UInt64 = 1_500_000
  /// Fewer lines are not worth a second thread.
  private static let linesAThread: UInt64 = 20_000
  /// So many named users are held at once whatever their past.
  private static let usersAShare = 5_000

  let reader: LedgerReader
  let configuration: Configuration
  let environment: RuntimeEnvironment
  /// From where on the ledger is read, everybody's state there: pasts then begin behind its last closed days. Nil to read from
  /// the beginning.
  var base: LedgerState?
  var threads = Concurrently.threads
  /// Which users are read about; nil for all.
  var isWanted: (@Sendable (String) -> Bool)?
  /// Into how many shares all users are divided; nil for what the ledger's length asks for.
  var shares: Int?

  /// What `empty` becomes by reading the past of these users, or of all when `users` is nil. Blocks.
  ///
  /// Pasts are only examined when rules are in the ledger. Gatherings are merged in the order of the shares.
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
    try reader.readRecords(.of(choice), after: base?.seq ?? 0) { record in
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

  /// The days of a user that are not closed; none of a user in a zone that nobody knows, who is not judged.
  private func openDays(
    of account: Account, in state: LedgerState, _ windows: inout Windows, _ now: Instant
  ) -> [UserWindow] {
    let days = try? windows.open(
      of: account, zone: state.zone(of: account), through: now, in: state)
    return days ?? []
  }

  /// So many shares at least that no thread is left without one.
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

/// What is gathered from the past of some users; gatherings of different users are merged.
protocol PastGathering: Sendable {
  /// Whether the whole past of users is needed, or records are enough.
  static var needsPasts: Bool { get }
  /// Whether days that are not closed matter, too.
  var needsOpenDays: Bool { get }
  /// Looks at the next record about one of the users or about none; `state` stands before it and knows no other users.
  mutating func add(_ record: Record, before state: LedgerState)
  /// Looks at one user's timeline, whose history is whole.
  mutating func examine(_ timeline: Timeline)
  /// Looks at the end; `state` knows these users only.
  mutating func finish(_ state: LedgerState)
  /// Adds what was gathered of other users.
  mutating func merge(_ other: Self)
}

extension PastGathering {
  static var needsPasts: Bool { true }
  var needsOpenDays: Bool { false }
  mutating func add(_ record: Record, before state: LedgerState) {}
  mutating func examine(_ timeline: Timeline) {}
  mutating func finish(_ state: LedgerState) {}
}
