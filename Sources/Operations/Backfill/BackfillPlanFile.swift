import CivilTime
import Digests
import Engine
public import Failures
public import Ledger
import RewardRules
import StrictJSON

/// A plan as a file: one JSON document, a line for each user and record, whose last member is the hash of all before it.
public enum BackfillPlanFile {
  /// Why a file is no plan that can be applied.
  public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The cause.
    public let description: String
  }

  fileprivate static let format: Int64 = 2
  private static let hashMember = Array(",\n\"hash\":\"".utf8)
  /// Of what stands behind all other members.
  private static let endBytes = hashMember.count + 64 + 3

  /// The file's bytes.
  public static func encode(_ plan: BackfillPlan) throws(RecordError) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("format", format)
    json.member("id", plan.id)
    json.member("ledger", plan.ledger)
    json.object("head") { json in
      json.member("seq", plan.head.seq)
      json.member("hash", plan.head.hash.description)
    }
    json.member("at", plan.madeAt.description)
    json.member("isForAll", plan.order.isForAll)
    if let days = plan.order.days {
      json.member("from", days.lowerBound.description)
      json.member("to", days.upperBound.description)
    }
    json.member("users", plan.order.users.sorted())
    json.member("protects", plan.order.protection.rawValue)
    json.objects("holdings", plan.order.holdings.sorted { $0.key < $1.key }) { json, holding in
      json.member("user", holding.key)
      json.member("points", holding.value.points)
      json.member("coins", holding.value.coins)
    }
    json.object("totals") { write(plan.totals, to: &$0) }
    json.object("runningDaysLose") { plan.openDays.writeMembers(to: &$0) }
    json.objects("perUser", plan.users) { json, user in
      json.member("user", user.user)
      write(user.totals, to: &json)
      if let before = user.streakBefore, let after = user.streakAfter {
        json.member("streakBefore", before)
        json.member("streakAfter", after)
      }
    }
    json.objects("issues", plan.users.flatMap { user in user.issues.map { (user.user, $0) } }) {
      json, issue in
      json.member("user", issue.0)
      json.member("day", issue.1.day.description)
      json.member("severity", issue.1.severity.rawValue)
      json.member("text", issue.1.text)
    }
    json.key("records")
    json.beginArray()
    var bytes = json.bytes
    try append(plan.users.flatMap(\.records), to: &bytes)
    bytes += Array("]".utf8)
    return sealed(bytes)
  }

  /// The file of a plan's members, with their hash behind them.
  static func sealed(_ members: [UInt8]) -> [UInt8] {
    members + hashMember + Array("\(SHA256.digest(of: members))\"}\n".utf8)
  }

  /// The plans in a file that holds several, one after another: of several ledgers one each. What is no plan is left for ``decode(_:)``
  /// to complain of.
  public static func parts(of file: [UInt8]) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var rest = file[...]
    while let last = rest.firstRange(of: hashMember)?.lowerBound, last + endBytes < rest.endIndex {
      parts.append(Array(rest[..<(last + endBytes)]))
      rest = rest[(last + endBytes)...]
    }
    return parts + [Array(rest)]
  }

  /// The plan that `file` holds; throws ``Problem`` when it was changed or is none.
  public static func decode(_ file: [UInt8]) throws(Problem) -> BackfillPlan {
    guard file.count > endBytes, file[(file.count - endBytes)...].starts(with: hashMember) else {
      throw Problem(description: "this is no whole plan of a backfill")
    }
    let body = Array(file.dropLast(endBytes))
    let hash = String(decoding: file.suffix(67).prefix(64), as: UTF8.self)
    guard SHA256.digest(of: body).description == hash else {
      throw Problem(description: "the plan was changed after it was made")
    }
    do {
      return try read(body + Array("}".utf8))
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(description: "\(error)")
    }
  }

  private static func write(_ totals: RecordTotals, to json: inout JSONWriter) {
    json.member("records", totals.records)
    json.member("grants", totals.grants)
    json.member("adjustments", totals.adjustments)
    json.member("waivers", totals.waivers)
    json.member("reversals", totals.reversals)
    totals.amounts.writeMembers(to: &json)
    json.member("items", totals.items)
  }

  /// Each record as its line will have it, but for the frame.
  private static func append(
    _ records: [RecordBody], to bytes: inout [UInt8]
  ) throws(RecordError) {
    var encoder = RecordEncoder()
    for (index, record) in records.enumerated() {
      bytes += Array((index == 0 ? "\n{" : ",\n{").utf8)
      try encoder.appendBody(record, to: &bytes)
      // The end of the line.
      bytes.removeLast()
    }
  }

  private static func read(_ bytes: [UInt8]) throws -> BackfillPlan {
    var head = PlanHead()
    var records: [String: [RecordBody]] = [:]
    try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
      var reader = JSONReader(buffer)
      try reader.readObject { (reader, name) throws(JSONError) in
        guard case "records" = name else { return try head.take(name, from: &reader) }
        try reader.readArray { (reader) throws(JSONError) in
          let body = try record(from: &reader)
          records[body.user ?? "", default: []].append(body)
        }
      }
    }
    return try head.plan(
      of: records.map { BackfillPlan.User(user: $0.key, records: $0.value, issues: []) }
        .sorted { $0.user < $1.user })
  }

  private static let frame = Array("{\"seq\":1,\"at\":\"2000-01-01T00:00:00.000Z\",".utf8)

  /// The record that stands next, read as a line of the ledger is.
  private static func record(from reader: inout JSONReader) throws(JSONError) -> RecordBody {
    _ = try reader.peek()
    let start = reader.offset
    try reader.skipValue()
    return try RecordDecoder.decode(frame + Array(reader.slice(start + 1..<reader.offset))).body
  }
}

/// What stands in a plan before its records.
private struct PlanHead {
  private var format: Int64?
  private var id: String?
  private var ledger: String?
  private var seq: Int64?
  private var hash: String?
  private var at: String?
  private var isForAll = false
  private var from: String?
  private var to: String?
  private var users: [String] = []
  private var protects: String?
  private var holdings: [String: Holdings] = [:]

  mutating func take(_ name: JSONKey, from reader: inout JSONReader) throws(JSONError) {
    switch name {
    case "format": format = try reader.readInt()
    case "id": id = try reader.readString()
    case "ledger": ledger = try reader.readString()
    case "head":
      try reader.readObject { (reader, name) throws(JSONError) in
        switch name {
        case "seq": seq = try reader.readInt()
        case "hash": hash = try reader.readString()
        default: try reader.skipValue()
        }
      }
    case "at": at = try reader.readString()
    case "isForAll": isForAll = try reader.readBool()
    case "from": from = try reader.readString()
    case "to": to = try reader.readString()
    case "users":
      try reader.readArray { (reader) throws(JSONError) in users.append(try reader.readString()) }
    case "protects": protects = try reader.readString()
    case "holdings":
      try reader.readArray { (reader) throws(JSONError) in try takeHoldings(from: &reader) }
    default: try reader.skipValue()
    }
  }

  func plan(of users: [BackfillPlan.User]) throws(BackfillPlanFile.Problem) -> BackfillPlan {
    guard format == BackfillPlanFile.format else {
      throw .init(description: "this version does not know the plan's format")
    }
    guard let id, let ledger, let seq = seq.flatMap({ UInt64(exactly: $0) }),
      let hash = hash.flatMap({ Digest(hex: $0) }),
      let protection = protects.flatMap({ LossProtection(rawValue: $0) }),
      let madeAt = at.flatMap({ try? InstantText.parse($0).instant }),
      let days = days
    else { throw .init(description: "a member of the plan is missing") }
    let order = BackfillOrder(
      days: days, users: Set(self.users), isForAll: isForAll, protection: protection,
      holdings: holdings)
    return BackfillPlan(
      id: id, ledger: ledger, head: LedgerHead(seq: seq, hash: hash), madeAt: madeAt,
      order: order, users: users)
  }

  /// The days of the order, nil inside when it has none; nil when they are none.
  private var days: ClosedRange<Day>?? {
    switch (from, to) {
    case (nil, nil): return .some(nil)
    case (let from?, let to?):
      guard let first = Day(from), let last = Day(to), first <= last else { return nil }
      return first...last
    default: return nil
    }
  }

  private mutating func takeHoldings(from reader: inout JSONReader) throws(JSONError) {
    var user = ""
    var points: Int64 = 0
    var coins: Int64 = 0
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user": user = try reader.readString()
      case "points": points = try reader.readInt()
      case "coins": coins = try reader.readInt()
      default: try reader.skipValue()
      }
    }
    holdings[user] = Holdings(points: points, coins: coins)
  }
}

extension BackfillPlanFile.Problem: FailureConvertible {
  /// Bad data: it is no plan.
  public var failure: Failure {
    Failure(.badData, description, remedy: "Make it again with --plan FILE.")
  }
}
