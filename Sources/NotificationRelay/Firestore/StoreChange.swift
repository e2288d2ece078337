import CivilTime
import Ledger
import RewardRules

/// The difference between what a user has earned and what was written to the user's document.
///
/// It follows from the document, its record and the ledger alone, so it is the same after a crash, a lost answer or a repetition:
/// what was written is in the record, and is not due again.
struct StoreChange: Equatable, Sendable {
  /// The document.
  var document: StoreDocument
  /// The record after the change.
  var record: StoreRecord
  /// Fields that get a new value.
  var values: [StoreField: StoreValue] = [:]
  /// Fields that grow by a number.
  var increments: [StoreField: Int64] = [:]
  /// Items to be added.
  var addedItems: [String] = []
  /// Items to be removed.
  var removedItems: [String] = []

  /// Whether nothing is to be written.
  private(set) var isEmpty = false

  /// Why a user's document is left alone.
  enum Obstacle: Error, Equatable {
    /// It holds something that does not fit; in words.
    case unusable(String)
    /// It was written from a later line of the ledger than there is now.
    case ahead(UInt64)
  }

  /// Computes the change of `document`, whose record is `record`.
  init(
    of document: StoreDocument, from record: StoreRecord, to current: CurrentEarnings,
    _ fields: StoreFields, now: Instant
  ) throws(Obstacle) {
    self.document = document
    self.record = record
    let reading = FieldReading(document: document, fields: fields)
    try add(.points, \.points, current.earnings.points, reading)
    try addExp(current, reading)
    try add(.logins, \.logins, current.earnings.logins, reading)
    try setCycleDay(current, reading)
    try changeItems(current, reading)
    try setBooster(current, reading, now)
    try setFlags(current, reading)
    // A record that is gone is written again, even if nothing else is due.
    let isKept =
      document.fields[fields.record] ?? .null != .null
      || record == StoreRecord(ledger: record.ledger)
    isEmpty =
      isKept && self.record == record && values.isEmpty && increments.isEmpty && addedItems.isEmpty
      && removedItems.isEmpty
    self.record.ledger = current.ledger
    self.record.position = current.position
  }

  /// Adds what is due of a sum, and notes it as written.
  private mutating func add(
    _ field: StoreField, _ written: WritableKeyPath<StoreRecord, Int64>, _ earned: Int64,
    _ reading: FieldReading
  ) throws(Obstacle) {
    guard reading.has(field) else { return }
    let due = try Self.difference(earned, record[keyPath: written])
    try reading.requireNumber(field)
    if due != 0 { increments[field] = due }
    record[keyPath: written] = earned
  }

  /// How far a level may be beyond the table, which may have been longer.
  private static let levelsBeyond = 1_000

  /// Adds exp as the app does: what fills a level raises it, and the rest counts within the next.
  private mutating func addExp(
    _ current: CurrentEarnings, _ reading: FieldReading
  ) throws(Obstacle) {
    guard reading.has(.exp) else { return }
    let due = try Self.difference(current.earnings.exp, record.exp)
    var state = AccountState()
    state.exp = try reading.integer(.exp) ?? 0
    let level = try reading.integer(.level) ?? 1
    record.exp = current.earnings.exp
    guard reading.has(.level) else {
      if due != 0 { increments[.exp] = due }
      return
    }
    guard (1...Int64(current.caps.count + Self.levelsBeyond)).contains(level) else {
      throw .unusable("\(reading.name(.level)) is \(level), which is no level")
    }
    if due == 0 { return }
    state.level = Int32(level)
    guard state.apply(exp: due, caps: current.caps) else {
      throw .unusable("\(reading.name(.exp)) would pass 64 bits")
    }
    values[.exp] = .integer(state.exp)
    if Int64(state.level) != level { values[.level] = .integer(Int64(state.level)) }
  }

  private mutating func setCycleDay(
    _ current: CurrentEarnings, _ reading: FieldReading
  ) throws(Obstacle) {
    guard reading.has(.cycleDay) else { return }
    let day = Int64(current.earnings.cycleDay)
    let shown = try reading.integer(.cycleDay)
    if record.cycleDay ?? 0 != day, shown != max(0, day - 1) {
      values[.cycleDay] = .integer(max(0, day - 1))
    }
    if record.cycleDay ?? 0 != day { record.cycleDay = day }
  }

  /// Adds what is new and takes back what is gone. What the app itself adds or removes stays as it is.
  private mutating func changeItems(
    _ current: CurrentEarnings, _ reading: FieldReading
  ) throws(Obstacle) {
    guard reading.has(.items) else { return }
    try reading.requireArray(.items)
    let (earned, written) = (current.earnings.items, record.items)
    addedItems = earned.filter { !written.contains($0) }
    removedItems = written.filter {
      !earned.contains($0) && !current.earnings.elsewhere.contains($0)
    }
    record.items = earned
  }

  /// Moves the booster's end by as much as the ledger has moved it since the last write, in what still runs.
  ///
  /// The app may have sold boosters that the ledger does not know; the new end follows theirs.
  private mutating func setBooster(
    _ current: CurrentEarnings, _ reading: FieldReading, _ now: Instant
  ) throws(Obstacle) {
    guard reading.has(.boosterUntil) else { return }
    let shown = try reading.instant(.boosterUntil)
    let (end, before) = (current.earnings.boosterUntil?.inMicroseconds, record.boosterUntil)
    // Of what was granted since, no more than can still run: the rest is over.
    let runs = current.earnings.grantedBoosterUntil.map { Self.wholeDays(from: now, to: $0) } ?? 0
    let granted = min(
      runs, try Self.difference(current.earnings.boosterSeconds, record.boosterSeconds))
    record.boosterSeconds = current.earnings.boosterSeconds
    record.boosterUntil = end
    var wanted = shown
    if let end, end > max(before ?? .earliest, now) {
      wanted = end
      if let shown, shown > now {
        let moved = Self.moved(from: before, to: end, now)
        wanted = max(shown.adding(seconds: max(0, min(granted, moved))), end)
      }
    } else if let before, before > max(end ?? .earliest, now), let shown, shown > now {
      let lost = before.seconds(since: max(end ?? .earliest, now))
      wanted = max(shown.adding(seconds: -lost), now.inMicroseconds)
    }
    if let wanted, wanted != shown { values[.boosterUntil] = .timestamp(wanted) }
  }

  /// Returns how far the ledger has moved the end, in seconds, of what still runs. Where none ran at the last write, the whole days
  /// of boosters that have just begun.
  private static func moved(from before: Instant?, to end: Instant, _ now: Instant) -> Int64 {
    if let before, before > now { return end.seconds(since: before) }
    return wholeDays(from: now, to: end)
  }

  /// Returns the time between two instants in seconds, rounded up to whole days; 0 if the second is not later.
  private static func wholeDays(from start: Instant, to end: Instant) -> Int64 {
    (max(0, end.seconds(since: start)) + 86_399) / 86_400 * 86_400
  }

  /// Sets the flags of what was rewarded for the running day, so that the app does not give it again.
  private mutating func setFlags(
    _ current: CurrentEarnings, _ reading: FieldReading
  ) throws(Obstacle) {
    let collected = reading.fields.collectedValue
    if let flag = try reading.flag(.dailyReward), current.rewarded.contains("login"),
      flag != collected
    {
      values[.dailyReward] = .bool(collected)
    }
    guard var flags = try reading.flags(.missionRewards) else { return }
    let before = flags
    for (index, mission) in StoreField.missions.enumerated()
    where flags.indices.contains(index) && current.rewarded.contains(mission) {
      flags[index] = collected
    }
    if flags != before { values[.missionRewards] = .array(flags.map { .bool($0) }) }
  }

  private static func difference(_ left: Int64, _ right: Int64) throws(Obstacle) -> Int64 {
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    if overflow { throw .unusable("its record of what was written is beyond 64 bits") }
    return difference
  }
}

/// Reads a document's fields, each of which may be missing or null but must not be of another type.
private struct FieldReading {
  let document: StoreDocument
  let fields: StoreFields

  /// Whether the documents have the field.
  func has(_ field: StoreField) -> Bool { fields[field] != nil }

  /// The field's name in the documents.
  func name(_ field: StoreField) -> String { fields[field] ?? "" }

  private func value(_ field: StoreField) -> StoreValue? {
    let value = fields[field].flatMap { document.fields[$0] }
    return value == .null ? nil : value
  }

  private func odd(_ field: StoreField, _ expected: String) -> StoreChange.Obstacle {
    .unusable("\(name(field)) is not \(expected)")
  }

  func integer(_ field: StoreField) throws(StoreChange.Obstacle) -> Int64? {
    switch value(field) {
    case nil: return nil
    case .integer(let number)?: return number
    default: throw odd(field, "an integer")
    }
  }

  func instant(_ field: StoreField) throws(StoreChange.Obstacle) -> Instant? {
    switch value(field) {
    case nil: return nil
    case .timestamp(let instant)?: return instant
    default: throw odd(field, "a timestamp")
    }
  }

  func flag(_ field: StoreField) throws(StoreChange.Obstacle) -> Bool? {
    switch value(field) {
    case nil: return nil
    case .bool(let flag)?: return flag
    default: throw odd(field, "a boolean")
    }
  }

  func flags(_ field: StoreField) throws(StoreChange.Obstacle) -> [Bool]? {
    guard let value = value(field) else { return nil }
    guard case .array(let elements) = value else { throw odd(field, "an array of booleans") }
    let flags = elements.compactMap { if case .bool(let flag) = $0 { flag } else { nil } }
    if flags.count != elements.count { throw odd(field, "an array of booleans") }
    return flags
  }

  func requireNumber(_ field: StoreField) throws(StoreChange.Obstacle) {
    switch value(field) {
    case nil, .integer?, .double?: return
    default: throw odd(field, "a number")
    }
  }

  func requireArray(_ field: StoreField) throws(StoreChange.Obstacle) {
    switch value(field) {
    case nil, .array?: return
    default: throw odd(field, "an array")
    }
  }
}

extension Instant {
  /// The instant as precisely as Firestore stores it.
  var inMicroseconds: Instant {
    Instant(seconds: seconds, nanoseconds: nanoseconds / 1_000 * 1_000)
  }
}
