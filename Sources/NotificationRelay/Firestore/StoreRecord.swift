import CivilTime
import Ledger

/// What this program has written to a user's document so far. It stands in the document itself and changes in the same commit as
/// what it describes, so no crash, race or lost answer can part them.
struct StoreRecord: Equatable, Sendable {
  /// The id of the ledger.
  var ledger: String
  /// The ledger's last line when it was written.
  var position: UInt64 = 0
  /// The shop points written.
  var points: Int64 = 0
  /// The exp written.
  var exp: Int64 = 0
  /// The logins written.
  var logins: Int64 = 0
  /// The cycle day written; nil if none was.
  var cycleDay: Int64?
  /// The items written and not taken back.
  var items: [String] = []
  /// ``Earnings/boosterSeconds`` when the booster's end was last considered.
  var boosterSeconds: Int64 = 0
  /// ``Earnings/boosterUntil`` at that time.
  var boosterUntil: Instant?

  /// Creates the record of a document to which nothing was written.
  init(ledger: String) { self.ledger = ledger }

  /// Reads a record; nil if the field holds something else.
  init?(_ value: StoreValue) {
    guard case .map(let fields) = value, case .string(let ledger)? = fields["ledger"],
      let position = Self.integer("position", fields).flatMap({ UInt64(exactly: $0) }),
      let points = Self.integer("points", fields), let exp = Self.integer("exp", fields),
      let logins = Self.integer("logins", fields),
      let boosterSeconds = Self.integer("boosterSeconds", fields),
      let items = Self.strings("items", fields)
    else { return nil }
    self.ledger = ledger
    self.position = position
    self.points = points
    self.exp = exp
    self.logins = logins
    self.items = items
    self.boosterSeconds = boosterSeconds
    switch fields["cycleDay"] {
    case nil: break
    case .integer(let day): cycleDay = day
    default: return nil
    }
    switch fields["boosterUntil"] {
    case nil: break
    case .timestamp(let end): boosterUntil = end
    default: return nil
    }
  }

  /// The record as a field's value.
  var value: StoreValue {
    var fields: [String: StoreValue] = [
      "ledger": .string(ledger), "position": .integer(Int64(clamping: position)),
      "points": .integer(points), "exp": .integer(exp), "logins": .integer(logins),
      "items": .array(items.map { .string($0) }), "boosterSeconds": .integer(boosterSeconds),
    ]
    if let cycleDay { fields["cycleDay"] = .integer(cycleDay) }
    if let boosterUntil { fields["boosterUntil"] = .timestamp(boosterUntil) }
    return .map(fields)
  }

  private static func integer(_ name: String, _ fields: [String: StoreValue]) -> Int64? {
    guard case .integer(let number)? = fields[name] else { return nil }
    return number
  }

  private static func strings(_ name: String, _ fields: [String: StoreValue]) -> [String]? {
    guard case .array(let elements)? = fields[name] else { return nil }
    let strings = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return strings.count == elements.count ? strings : nil
  }
}
