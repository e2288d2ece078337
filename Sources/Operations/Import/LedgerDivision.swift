import Ledger

/// Converts the lines of a ledger to those of a ledger with only some of its users. Pure.
///
/// Lines about one user stay as they were. Lines about no particular user (rules, outages and pardons for all, acts,
/// runs) are in every part, so that each continues as the whole would have. Line numbers are the part's own.
struct LedgerDivision {
  /// Whether this part has a user.
  private let holds: @Sendable (String) -> Bool
  /// Whether this part has the lines that concern no user and do not affect later lines.
  private let isFirst: Bool
  private let gathered: ClosePortions
  /// What the part's records add up to, by the line of the act that they name.
  private let sums: [UInt64: ActSums]
  /// The line numbers of the whole and of the part, in order.
  private var numbers: [(old: UInt64, new: UInt64)] = []

  /// A reference to a line that is not in the part.
  struct LostReference: Error {
    let line: UInt64
    let reference: UInt64
  }

  init(
    holds: @escaping @Sendable (String) -> Bool, isFirst: Bool,
    _ gathered: ClosePortions, _ sums: [UInt64: ActSums]
  ) {
    self.holds = holds
    self.isFirst = isFirst
    self.gathered = gathered
    self.sums = sums
  }

  /// Returns the part's version of `record`; nil when the part has none. Lines must come in order, and each one taken
  /// must be noted with ``note(_:as:)``.
  ///
  /// `head` is the part's last seal. Throws ``LostReference``.
  mutating func body(of record: Record, after head: LedgerHead) throws -> RecordBody? {
    guard var body = try part(of: record, after: head) else { return nil }
    if let act = body.by { body.by = try numberInPart(of: act, named: record.seq) }
    return body
  }

  private func part(of record: Record, after head: LedgerHead) throws -> RecordBody? {
    if let user = record.body.user, !holds(user) { return nil }
    switch record.body {
    case .genesis, .seal: return nil
    case .grant(var grant):
      grant.evidence = try grant.evidence.map { try numberInPart(of: $0, named: record.seq) }
      return settled(.grant(grant))
    case .close(let close): return part(of: close, at: record.seq, after: head).map { .close($0) }
    case .excuse(let excuse):
      guard var part = Self.part(of: excuse, holds) else { return nil }
      part.withdraws = try part.withdraws.map { try numberInPart(of: $0, named: record.seq) }
      return .excuse(part)
    case .refused(let refused):
      return refused.user != nil || isFirst ? settled(record.body) : nil
    case .operator(var act):
      if !isOfThisPart(act) { return nil }
      if act.sums.records > 0 { act.sums = sums[record.seq] ?? ActSums() }
      if let line = gathered.withdrawals[record.seq], let new = number(of: line) {
        act.what = Excuses.withdrawal(of: new)
      }
      return .operator(act)
    case .reversal, .streak, .level: return settled(record.body)
    case .user, .rules, .evidence, .credit, .unknown, .message, .run: return record.body
    }
  }

  /// Returns the part's version of an outage or a pardon; nil if none of its users is in the part.
  private static func part(
    of excuse: ExcuseRecord, _ holds: (String) -> Bool
  ) -> ExcuseRecord? {
    guard let users = excuse.users else { return excuse }
    var part = excuse
    part.users = users.filter(holds)
    return part.users == [] ? nil : part
  }

  /// Adds a record of the whole to `sums` under the act that it names, if the part with these users has it.
  static func count(
    _ body: RecordBody, in sums: inout [UInt64: ActSums], _ holds: (String) -> Bool
  ) {
    guard let act = body.by else { return }
    if case .excuse(let excuse) = body, part(of: excuse, holds) == nil { return }
    sums[act, default: ActSums()].add(body)
  }

  private func numberInPart(of old: UInt64, named line: UInt64) throws -> UInt64 {
    guard let new = number(of: old) else { throw LostReference(line: line, reference: old) }
    return new
  }

  /// Notes the number of a line in the part.
  mutating func note(_ old: UInt64, as new: UInt64) { numbers.append((old, new)) }

  /// Returns the number in the part of line `old`; nil when it is not in the part.
  func number(of old: UInt64) -> UInt64? {
    let place = place(after: old)
    return place > 0 && numbers[place - 1].old == old ? numbers[place - 1].new : nil
  }

  /// Returns the number in the part of the first line after `old`; nil when there is none.
  func number(behind old: UInt64) -> UInt64? {
    let place = place(after: old)
    return place < numbers.count ? numbers[place].new : nil
  }

  /// Whether the act is in this part; an act on one user's grant concerns that user.
  private func isOfThisPart(_ act: OperatorRecord) -> Bool {
    switch act.act {
    case .grant, .release: holds(GrantKey(act.subject).user)
    case .forget, .remove: holds(act.subject)
    // A waiting request would wait in every part but be approved in only one.
    case .request, .approve, .decline: !gathered.waitingRequests.contains(act.subject)
    case .pause, .resume, .schedule, .acceptClock, .confirmClose, .bringIn, .rules, .limits,
      .signers, .sources, .apply, .deliver, .excuse:
      true
    // One part sends it.
    case .broadcast: holds(act.subject)
    // The lines that it takes back do not come to the part.
    case .undoFuture: false
    }
  }

  private func part(
    of whole: CloseRecord, at seq: UInt64, after head: LedgerHead
  ) -> CloseRecord? {
    guard let portion = gathered.tally.portion(of: seq) else { return nil }
    return CloseRecord(
      zone: whole.zone, window: whole.window, dateStart: whole.dateStart, users: portion.users,
      counts: portion.counts, amounts: portion.amounts, tzdata: whole.tzdata,
      sources: whole.sources, head: head)
  }

  /// Replaces the line up to which a plan knew the whole with the corresponding line of the part.
  private func settled(_ body: RecordBody) -> RecordBody {
    guard let change = body.settled, change.through > 0 else { return body }
    var body = body
    let place = place(after: change.through)
    body.settled?.through = place > 0 ? numbers[place - 1].new : 1
    return body
  }

  /// Returns the place of the first line after `old`.
  private func place(after old: UInt64) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle].old <= old { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
