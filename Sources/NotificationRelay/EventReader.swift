package import CivilTime
import Evidence
import Foundations
import Ledger
package import LedgerStore
import RewardRules

/// Reads the parts of the ledger that a sink's queue requests, as events. All calls block.
package struct EventReader: Sendable {
  /// The maximum number of records in a portion that may make events.
  private static let recordsPerPortion = 2_048
  /// How many lines a single reading for lagging lanes may skip.
  private static let linesPerCatchUp: UInt64 = 200_000
  /// The largest gap that is read through; a larger one starts a new reading.
  private static let nearLines: UInt64 = 20_000
  /// The index of an account among a record's events: after all others.
  private static let accountIndex = 100

  private let ledger: @Sendable () -> LedgerReader
  private let mapping: EventMapping
  private let filter: EventFilter
  private let isOneLane: Bool
  private let titles = Titles()
  /// Where the last main reading, and the last one for lagging lanes, stopped.
  private let places = Places()

  /// What rules call their missions, by version; nil for a version that the ledger does not hold.
  private final class Titles: Sendable {
    let missions = Lock<[String: MissionRules?]>([:])
  }

  private final class Places: Sendable {
    let next = Lock<LedgerReader.Place?>(nil)
    let behind = Lock<LedgerReader.Place?>(nil)
  }

  /// Creates a reader of whatever `ledger` returns at the time.
  package init(
    _ ledger: @escaping @Sendable () -> LedgerReader, mapping: EventMapping,
    filter: EventFilter = .rewards, isOneLane: Bool
  ) {
    self.ledger = ledger
    self.mapping = mapping
    self.filter = filter
    self.isOneLane = isOneLane
  }

  /// Returns whether the sink wants an event.
  func wants(_ event: CloudEvent) -> Bool { filter.wants(event) }

  /// The last readable line.
  var head: UInt64 { ledger().head.seq }

  /// Reads one part.
  func read(_ part: LedgerPart) throws -> LanePortion {
    switch part {
    case .next(let after):
      try read(after: after, through: .max, lanes: nil, resuming: places.next)
    case .behind(let after, let through, let lanes):
      try read(
        after: after, through: min(through, after + Self.linesPerCatchUp), lanes: lanes,
        resuming: places.behind)
    case .again(let lanes): try read(lanes)
    }
  }

  /// Calls `body` with what all records after a line make, and when each was recorded; for displays.
  package func entries(
    after seq: UInt64, _ body: (_ entry: LaneEntry, _ recordedAt: Instant) throws -> Void
  ) throws {
    var after = seq
    while after < head {
      var times: [UInt64: Instant] = [:]
      let portion = try read(
        after: after, through: .max, lanes: nil, resuming: places.next,
        noting: { times[$0.seq] = $0.at })
      for entry in portion.entries {
        if let at = times[entry.position.seq] { try body(entry, at) }
      }
      after = portion.through
    }
  }

  /// Returns the position of the last record that changed a user's state; nil if none did.
  package func lastState(of user: String) throws -> EventPosition? {
    var last: EventPosition?
    try ledger().scanUntilStopped(.of(.named([user]))) { record in
      if record.body.changedUser == user {
        last = EventPosition(seq: record.seq, index: Self.accountIndex)
      }
      return .next
    }
    return last
  }

  private func read(
    after: UInt64, through: UInt64, lanes: Set<Lane>?,
    resuming known: Lock<LedgerReader.Place?>, noting: (Record) -> Void = { _ in }
  ) throws -> LanePortion {
    var portion = LanePortion(through: after)
    var records: [Record] = []
    let users = lanes.map { Set($0.map(\.user)) }
    var place = known.withLock { $0 }
    defer { known.withLock { [place] in $0 = place } }
    // One thread reads little at a time, and a portion needs no more.
    try ledger().scan(after: after, threads: 1, resuming: &place) { record in
      if records.count >= Self.recordsPerPortion || record.seq > through { return .stop }
      portion.through = record.seq
      if case .seal(let seal) = record.body {
        portion.seals.append(LedgerHead(seq: record.seq, hash: seal.hash))
      } else if users?.contains(isOneLane ? "" : record.body.user ?? "") ?? true {
        noting(record)
        records.append(record)
      }
      return .next
    }
    portion.entries = try entries(of: records).filter { lanes?.contains($0.lane) ?? true }
    return portion
  }

  private func read(_ lanes: [Lane: [EventPosition]]) throws -> LanePortion {
    var portion = LanePortion(through: 0)
    var records: [Record] = []
    var lines = Set(lanes.values.joined().map(\.seq)).sorted()[...]
    let ledger = ledger()
    // There is nothing beyond the end.
    while let first = lines.first, first <= ledger.head.seq {
      try ledger.scanLines(after: first - 1) { seq, line in
        guard let next = lines.first, next < seq + Self.nearLines else { return .stop }
        guard seq == next else { return .next }
        lines.removeFirst()
        records.append(try RecordDecoder.decode(line))
        return .next
      }
    }
    portion.entries = try entries(of: records)
    return portion
  }

  private func entries(of records: [Record]) throws -> [LaneEntry] {
    let corrections = try corrections(of: records)
    return try records.flatMap { record in
      let events = mapping.events(
        of: record, before: corrections[record.seq], title: try title(of: record)
      ).enumerated()
      return events.filter { filter.wants($0.element) }.map { index, event in
        LaneEntry(
          EventPosition(seq: record.seq, index: index),
          lane: Lane(user: isOneLane ? "" : event.subject ?? ""), event: event)
      } + accounts(of: record)
    }
  }

  /// Returns what the rules of a grant call its mission; nil for other records.
  private func title(of record: Record) throws -> LocalizedText? {
    guard case .grant(let grant) = record.body, ActivityKind(name: grant.mission) != nil else {
      return nil
    }
    if let known = titles.missions.withLock({ $0[grant.rules] }) {
      return known?.title(of: grant.mission)
    }
    var found: [String: MissionRules?] = [grant.rules: nil]
    try ledger().scan(.ofTypes([.rules])) { record in
      guard case .rules(let rules) = record.body else { return }
      found[rules.version] = try? RulesDocument.parse(
        recorded: rules.document, completedBy: rules.defaults
      ).missions
    }
    titles.missions.withLock { [found] in $0.merge(found) { _, new in new } }
    return found[grant.rules]??.title(of: grant.mission)
  }

  private func accounts(of record: Record) -> [LaneEntry] {
    guard filter.wantsAccounts, let user = record.body.changedUser, filter.includes(user) else {
      return []
    }
    let position = EventPosition(seq: record.seq, index: Self.accountIndex)
    return [LaneEntry(position, lane: Lane(.account, user: user), event: nil)]
  }

  private func corrections(of records: [Record]) throws -> Corrections {
    var corrections = Corrections(of: records)
    guard let (users, through) = corrections.reading else { return corrections }
    let ledger = ledger()
    try corrections.fold { body in
      try ledger.scanUntilStopped(.of(.named(users), skipping: Self.withoutAmounts)) { record in
        if record.seq > through { return .stop }
        try body(record)
        return .next
      }
    }
    return corrections
  }

  private static let withoutAmounts = Set(RecordType.allCases).subtracting([.grant, .reversal])
}

extension RecordBody {
  /// The user whose state the record changes.
  fileprivate var changedUser: String? {
    switch self {
    case .grant, .reversal, .streak, .level, .credit, .user: user
    default: nil
    }
  }
}
