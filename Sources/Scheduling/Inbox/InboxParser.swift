package import CivilTime
import Evidence
import Ledger
import RewardRules
package import StrictJSON

/// A parser of inbox lines, each an activity, a credit or a `completeThrough` line.
///
/// `{"user","kind","at","id"?}` ·
/// `{"user","kind":"credit","at","points"?,"coins"?,"exp"?,"items"?,"boosterDays"?,"id"?}` · `{"completeThrough"}`;
/// unknown fields are ignored. Instants without an offset are read in the API's zone.
package struct InboxParser: Sendable {
  /// The longest line accepted; a longer one is refused unread.
  package static let lineLimitBytes = 64 * 1024
  private let naiveZone: Zone

  /// Creates a parser that reads instants without an offset in `naiveZone`.
  package init(naiveZone: Zone) { self.naiveZone = naiveZone }

  /// What is wrong with a line.
  package struct Problem: Error, Sendable, Equatable {
    /// The cause and the remedy.
    package let reason: String
  }

  /// Parses a line, given without its line break.
  package func parse(_ line: UnsafeBufferPointer<UInt8>) throws(Problem) -> InboxEntry {
    if line.count > Self.lineLimitBytes { throw Problem(reason: "longer than 64 KiB") }
    // Some programs begin a file with a byte order mark (RFC 8259, section 8.1). Its first line must not be lost for
    // that.
    let isMarked = line.starts(with: [0xEF, 0xBB, 0xBF])
    let line = isMarked ? UnsafeBufferPointer(rebasing: line.dropFirst(3)) : line
    var fields = Fields()
    do throws(JSONError) {
      var reader = JSONReader(line)
      try reader.readObject { (reader, key) throws(JSONError) in
        try fields.read(key, from: &reader)
      }
      try reader.finish()
    } catch {
      throw Problem(reason: "\(error)")
    }
    return try entry(of: fields)
  }

  private func entry(of fields: Fields) throws(Problem) -> InboxEntry {
    // A line of a file in rejected/ holds the rejected one.
    if fields.user == nil, fields.completeThrough == nil, var text = fields.text {
      return try text.withUTF8 { bytes in
        Result { () throws(Problem) in try parse(bytes) }
      }.get()
    }
    if let through = fields.completeThrough {
      // What else it said would be lost.
      if fields.kind != nil {
        throw Problem(reason: "\"completeThrough\" needs a line of its own, without a \"kind\"")
      }
      return .completeThrough(try instant(through, "completeThrough"))
    }
    guard let user = fields.user, UserID.isValid(user) else {
      throw Problem(reason: "\"user\" must be 1 to 64 characters of A-Z a-z 0-9 _ . -")
    }
    guard let at = fields.at else { throw Problem(reason: "\"at\" is missing") }
    let time = try instant(at, "at")
    guard let name = fields.kind else { throw Problem(reason: "\"kind\" is missing") }
    if name == "credit" {
      return .credit(CreditRecord(user: user, try credit(of: fields, at: time), id: fields.id))
    }
    guard let kind = ActivityKind(name: name) else {
      let hint = NearestName.hint(for: name, among: ActivityKind.allCases.map(\.name) + ["credit"])
      throw Problem(reason: "unknown kind \"\(name)\"\(hint)")
    }
    return .activity(user: user, kind: kind, at: time)
  }

  private func credit(of fields: Fields, at time: Instant) throws(Problem) -> Credit {
    for written in fields.ignored {
      guard let meant = Self.creditField(like: written) else { continue }
      throw Problem(reason: "unknown field \"\(written)\" in a credit; did you mean \"\(meant)\"?")
    }
    var credit = Credit(
      effective: time, items: fields.items,
      boosterDays: try whole(fields.boosterDays, "boosterDays", in: Self.boosterDays))
    for (unit, text) in fields.amounts {
      credit.amounts[unit] = try whole(text, unit.rawValue, in: Self.range(of: unit))
    }
    // Without an id of its own, the second of two equal purchases would count as the first one told twice.
    let needsID = credit.boosterDays != 0 || RewardUnit.held.contains { credit.amounts[$0] != 0 }
    if needsID, fields.id == nil {
      let names = RewardUnit.held.map(\.rawValue).joined(separator: ", ")
      throw Problem(reason: "a credit of \(names) or boosterDays needs the sender's own \"id\"")
    }
    guard credit.isEmpty else { return credit }
    let names = RewardUnit.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    throw Problem(reason: "a credit must have \(names), \"items\" or \"boosterDays\"")
  }

  /// Returns the field of a credit that a name looks like; nil for another. What stands under a misspelt one would be lost.
  private static func creditField(like name: String) -> String? {
    let name = name.lowercased()
    return NearestName.find(name, among: Credit.partNames)
      ?? Credit.partNames.first { name.utf8.count > 3 && $0.lowercased().hasPrefix(name) }
  }

  /// Returns the number that `text` is; 0 for a field that is missing.
  private func whole(
    _ text: String?, _ field: String, in range: ClosedRange<Int64>
  ) throws(Problem) -> Int64 {
    guard let text else { return 0 }
    if let number = Int64(text), range.contains(number) { return number }
    throw Problem(
      reason:
        "\"\(field)\" must be a whole number from \(range.lowerBound) to \(range.upperBound)")
  }

  private func instant(_ text: String, _ field: String) throws(Problem) -> Instant {
    do {
      return try InstantText.parse(text, naiveZone: naiveZone).instant
    } catch {
      throw Problem(reason: "\"\(field)\": \(error)")
    }
  }

  private struct Fields {
    var user: String?
    var kind: String?
    var at: String?
    var id: String?
    /// The amounts as they are written, by unit; nil for null.
    var amounts: [RewardUnit: String?] = [:]
    var items: [String] = []
    var boosterDays: String?
    var completeThrough: String?
    var text: String?
    /// The names of the fields that are ignored.
    private(set) var ignored: [String] = []
    /// One bit for each name already read.
    private var seen: UInt8 = 0

    private enum Name: UInt8 {
      case user, kind, at, id, items, boosterDays, completeThrough, text

      /// Nil for an amount, and for a field that is ignored.
      init?(_ key: JSONKey) {
        switch key {
        case "user": self = .user
        case "kind": self = .kind
        case "at": self = .at
        case "id": self = .id
        case "items": self = .items
        case "boosterDays": self = .boosterDays
        case "completeThrough": self = .completeThrough
        case "text": self = .text
        default: return nil
        }
      }
    }

    mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) {
      guard let name = Name(key) else {
        let text = try key.text()
        guard let unit = RewardUnit(rawValue: text) else {
          ignored.append(text)
          return try reader.skipValue()
        }
        guard amounts.updateValue(try Self.number(&reader), forKey: unit) == nil else {
          throw reader.error("\"\(unit.rawValue)\" appears twice")
        }
        return
      }
      // Two values under one name are ambiguous.
      let bit: UInt8 = 1 << name.rawValue
      guard seen & bit == 0 else { throw reader.error("\"\(name)\" appears twice") }
      seen |= bit
      switch name {
      case .user: user = try Self.text(&reader)
      case .kind: kind = try reader.readString()
      case .at: at = try reader.readString()
      case .id: id = try Self.text(&reader).flatMap { $0.isEmpty ? nil : $0 }
      case .boosterDays: boosterDays = try Self.number(&reader)
      case .items:
        try reader.readArray { (reader) throws(JSONError) in items.append(try reader.readString()) }
      case .completeThrough: completeThrough = try reader.readString()
      case .text:
        // In a line of its own it is a field that is ignored.
        if try reader.peek() == .string {
          text = try reader.readString()
        } else {
          try reader.skipValue()
        }
      }
    }

    /// Returns a number as it is written, nil for null, and an empty text for anything else. Only credits have numbers, so only they are
    /// judged.
    private static func number(_ reader: inout JSONReader) throws(JSONError) -> String? {
      let kind = try reader.peek()
      guard kind == .number else {
        try reader.skipValue()
        return kind == .null ? nil : ""
      }
      let range = try reader.readNumberText()
      return String(decoding: reader.slice(range), as: UTF8.self)
    }

    /// An id may be a text or a whole number.
    private static func text(_ reader: inout JSONReader) throws(JSONError) -> String? {
      switch try reader.peek() {
      case .number: String(try reader.readInt())
      case .null: try reader.readNull() ? nil : nil
      default: try reader.readString()
      }
    }
  }
}

extension InboxParser {
  /// The shape of a line: an activity, a credit, or how far the inbox is complete.
  package static let shape = JSONShape.either([
    .object([
      user, .init("kind", .words(ActivityKind.allCases.map(\.name))), .init("at", .text(.text)), id,
    ]),
    .object(
      [user, .init("kind", .word("credit")), .init("at", .text(.text))]
        + RewardUnit.allCases.map { .init($0.rawValue, .integer(range(of: $0)), isOptional: true) }
        + [
          .init("items", .list(.text(.text), count: nil), isOptional: true),
          .init("boosterDays", .integer(boosterDays), isOptional: true), id,
        ]),
    .object([.init("completeThrough", .text(.text))]),
  ])

  /// Returns what a credit may bring or, but for exp, take.
  private static func range(of unit: RewardUnit) -> ClosedRange<Int64> {
    unit == .exp ? 0...1_000_000_000_000 : -Amounts.most...Amounts.most
  }
  private static let boosterDays: ClosedRange<Int64> = 0...3_650
  private static let user = JSONShape.Field("user", .either([.text(.text), .integer(nil)]))
  private static let id = JSONShape.Field(
    "id", .either([.text(.text), .integer(nil)]), isOptional: true)
}
