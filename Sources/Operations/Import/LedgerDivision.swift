import Ledger

/// Turns the lines of a ledger into those of a ledger that has some of its users. Pure.
///
/// What is about one user stays as it was. What is about nobody in particular (rules, excuses for all, acts, runs) stands in
/// every part, so that each goes on as the whole would have. Numbers of lines are the part's own.
struct LedgerDivision {
  /// Whether a user is in this part.
  private let holds: @Sendable (String) -> Bool
  /// Whether this part has the lines that are about nobody and mean nothing to what follows.
  private let isFirst: Bool
  private let gathered: ClosePortions
  /// The numbers of the part's lines beside those of the whole, in order.
  private var numbers: [(old: UInt64, new: UInt64)] = []

  /// A reference to a line that is not in the part.
  struct LostReference: Error {
    let line: UInt64
    let reference: UInt64
  }

  init(
    holds: @escaping @Sendable (String) -> Bool, isFirst: Bool,
    _ gathered: ClosePortions
  ) {
    self.holds = holds
    self.isFirst = isFirst
    self.gathered = gathered
  }

  /// What the part says in place of `record`; nil for nothing. Lines come in order; each that is taken is noted with ``note(_:as:)``.
  ///
  /// `head` is the part's last seal. Throws ``LostReference``.
  mutating func body(of record: Record, after head: LedgerHead) throws -> RecordBody? {
    if let user = record.body.user, !holds(user) { return nil }
    switch record.body {
    case .genesis, .seal: return nil
    case .grant(var grant):
      grant.evidence = try grant.evidence.map { old in
        guard let new = number(of: old) else {
          throw LostReference(line: record.seq, reference: old)
        }
        return new
      }
      return settled(.grant(grant))
    case .close(let close): return part(of: close, at: record.seq, after: head).map { .close($0) }
    case .excuse(var excuse):
      guard let users = excuse.users else { return record.body }
      excuse.users = users.filter(holds)
      return excuse.users == [] ? nil : .excuse(excuse)
    case .refused(let refused):
      return refused.user != nil || isFirst ? settled(record.body) : nil
    case .operator(let act): return isOfThisPart(act) ? record.body : nil
    case .reversal, .streak, .level: return settled(record.body)
    case .user, .rules, .evidence, .credit, .unknown, .message, .run: return record.body
    }
  }

  /// Notes the number that a line has in the part.
  mutating func note(_ old: UInt64, as new: UInt64) { numbers.append((old, new)) }

  /// The number of the line that stood at `old`; nil when it is not in the part.
  func number(of old: UInt64) -> UInt64? {
    let place = place(after: old)
    return place > 0 && numbers[place - 1].old == old ? numbers[place - 1].new : nil
  }

  /// The number of the first line that stood behind `old`; nil when there is none.
  func number(behind old: UInt64) -> UInt64? {
    let place = place(after: old)
    return place < numbers.count ? numbers[place].new : nil
  }

  /// What a person did to one user's grant is about that user.
  private func isOfThisPart(_ act: OperatorRecord) -> Bool {
    switch act.act {
    case .grant, .release: holds(String(act.subject.prefix { $0 != "/" }))
    // What waits for a second person would wait in every part, and be agreed to in one.
    case .request, .approve: !gathered.waitingRequests.contains(act.subject)
    case .pause, .resume, .schedule, .acceptClock, .confirmClose, .bringIn, .rules, .apply: true
    // What it takes back does not come to the part.
    case .undoFuture: false
    }
  }

  private func part(
    of whole: CloseRecord, at seq: UInt64, after head: LedgerHead
  ) -> CloseRecord? {
    guard let portion = gathered.portions[seq] else { return nil }
    return CloseRecord(
      zone: whole.zone, window: whole.window, dateStart: whole.dateStart, users: portion.users,
      counts: portion.counts, amounts: portion.amounts, tzdata: whole.tzdata,
      sources: whole.sources, head: head)
  }

  /// The line up to which a plan knew the part's lines, for the one up to which it knew all.
  private func settled(_ body: RecordBody) -> RecordBody {
    guard let change = body.settled, change.through > 0 else { return body }
    var body = body
    let place = place(after: change.through)
    body.settled?.through = place > 0 ? numbers[place - 1].new : 1
    return body
  }

  /// The place of the first line behind `old`.
  private func place(after old: UInt64) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle].old <= old { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
