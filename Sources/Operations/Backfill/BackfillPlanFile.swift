import CivilTime
package import Described
import Digests
package import Engine
package import Failures
package import Ledger
import RewardRules
package import StrictJSON

/// The file format of a plan: one JSON document with a line for each user and record; its last member is the hash of all
/// before it.
package enum BackfillPlanFile {
  /// The reason a file is not a plan that can be applied.
  package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The cause.
    package let description: String
  }

  fileprivate static let format: Int64 = 2
  private static let hashMember = Array(",\n\"hash\":\"".utf8)
  /// The length of the hash member at the end.
  private static let endBytes = hashMember.count + 64 + 3

  /// Returns the bytes of the file.
  package static func encode(_ plan: BackfillPlan) throws(RecordError) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    forPeople.write(plan, to: &json)
    json.key("records")
    json.beginArray()
    var bytes = Array(PlanHead(plan).json.dropLast()) + [UInt8(ascii: ",")]
    bytes += json.bytes.dropFirst()
    try append(plan.users.flatMap(\.records), to: &bytes)
    bytes += Array("]".utf8)
    return sealed(bytes)
  }

  /// Returns the file for a plan's members, with their hash appended.
  static func sealed(_ members: [UInt8]) -> [UInt8] {
    members + hashMember + Array("\(SHA256.digest(of: members))\"}\n".utf8)
  }

  /// Splits a file of several consecutive plans, one for each ledger. Leaves anything that is not a plan for ``decode(_:)`` to reject.
  package static func parts(of file: [UInt8]) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var rest = file[...]
    while let last = rest.firstRange(of: hashMember)?.lowerBound, last + endBytes < rest.endIndex {
      parts.append(Array(rest[..<(last + endBytes)]))
      rest = rest[(last + endBytes)...]
    }
    return parts + [Array(rest)]
  }

  /// Decodes the plan in `file`; throws ``Problem`` when it was changed or is not a plan.
  package static func decode(_ file: [UInt8]) throws(Problem) -> BackfillPlan {
    guard file.count > endBytes, file[(file.count - endBytes)...].starts(with: hashMember) else {
      throw Problem(description: "this is not a complete backfill plan")
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

  /// The members that a reader of the file does not need.
  private static let forPeople = JSONMembers<BackfillPlan> {
    $0.add("totals", \.totals)
    $0.add("runningDaysLose", \.openDays, "on days that are not closed, gains set off")
    $0.list("perUser", \.users) {
      $0.add("user", \.user)
      $0.include(\.totals)
      $0.optional("streakBefore", \.streakBefore)
      $0.optional("streakAfter", \.streakAfter)
    }
    $0.list(
      "issues", { $0.users.flatMap { user in user.issues.map { (user: user.user, issue: $0) } } }
    ) {
      $0.add("user", \.user)
      $0.add("day", \.issue.day)
      $0.add("severity", \.issue.severity.rawValue)
      $0.add("text", \.issue.text)
    }
  }

  /// The shape of the file.
  package static let shape = JSONShape.object(
    PlanHead.described.fields + forPeople.fields + [
      .init(
        "records", .list(.any, count: nil), help: "as lines of the ledger, without seq and at"),
      .init("hash", .text(.hash), help: "of all before it"),
    ])

  /// Appends each record as in its ledger line, without the frame.
  private static func append(
    _ records: [RecordBody], to bytes: inout [UInt8]
  ) throws(RecordError) {
    var encoder = RecordEncoder()
    for (index, record) in records.enumerated() {
      bytes += Array((index == 0 ? "\n{" : ",\n{").utf8)
      try encoder.appendBody(record, to: &bytes)
      // Remove the end of the line.
      bytes.removeLast()
    }
  }

  private static func read(_ bytes: [UInt8]) throws -> BackfillPlan {
    // Check this first, because another format may have another head.
    guard try PlanFormat(json: bytes).format == format else {
      throw Problem(description: "this version does not know the plan's format")
    }
    let head = try PlanHead(json: bytes)
    var records: [String: [RecordBody]] = [:]
    try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
      var reader = JSONReader(buffer)
      try reader.readObject { (reader, name) throws(JSONError) in
        guard case "records" = name else { return try reader.skipValue() }
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

  /// Reads the next record, in the same way as a line of the ledger.
  private static func record(from reader: inout JSONReader) throws(JSONError) -> RecordBody {
    _ = try reader.peek()
    let start = reader.offset
    try reader.skipValue()
    return try RecordDecoder.decode(frame + Array(reader.slice(start + 1..<reader.offset))).body
  }
}

extension RecordTotals: JSONObject {
  /// The numbers of records by kind, and the sums.
  package static let members = JSONMembers<Self> {
    $0.add("records", \.records)
    $0.add("grants", \.grants)
    $0.add("adjustments", \.adjustments)
    $0.add("waivers", \.waivers)
    $0.add("reversals", \.reversals)
    $0.include(\.amounts)
    $0.add("items", \.items)
  }
}

/// The format number, readable from a plan of any format.
private struct PlanFormat: DescribedObject {
  let format: Int64

  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    format = try coder.field("format", value?.pointee.format)
  }
}

/// The members of a plan that precede those written only for people.
private struct PlanHead {
  let format: Int64
  let id: String
  let ledger: String
  let head: LedgerHead
  let madeAt: Instant
  let isForAll: Bool
  let from: Day?
  let to: Day?
  let users: [String]
  let protects: String
  let holdings: [UserHoldings]

  init(_ plan: BackfillPlan) {
    format = BackfillPlanFile.format
    id = plan.id
    ledger = plan.ledger
    head = plan.head
    madeAt = plan.madeAt
    isForAll = plan.order.isForAll
    from = plan.order.days?.lowerBound
    to = plan.order.days?.upperBound
    users = plan.order.users.sorted()
    protects = plan.order.protection.rawValue
    holdings = plan.order.holdings.sorted { $0.key < $1.key }
      .map { UserHoldings(user: $0.key, holdings: $0.value) }
  }

  func plan(of users: [BackfillPlan.User]) throws(BackfillPlanFile.Problem) -> BackfillPlan {
    guard let protection = LossProtection(rawValue: protects) else {
      throw .init(description: "\"protects\" is not something that a plan can protect")
    }
    guard let days else {
      throw .init(description: "\"from\" and \"to\" are not a range of days")
    }
    let order = BackfillOrder(
      days: days, users: Set(self.users), isForAll: isForAll, protection: protection,
      holdings: Dictionary(holdings.map { ($0.user, $0.holdings) }) { $1 })
    return BackfillPlan(
      id: id, ledger: ledger, head: head, madeAt: madeAt, order: order, users: users)
  }

  /// The days of the order; the inner nil means it has none, the outer nil that they are invalid.
  private var days: ClosedRange<Day>?? {
    switch (from, to) {
    case (nil, nil): .some(nil)
    case (let from?, let to?) where from <= to: from...to
    default: nil
    }
  }
}

extension PlanHead: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    format = try coder.field("format", value?.pointee.format)
    id = try coder.field("id", value?.pointee.id)
    ledger = try coder.field("ledger", value?.pointee.ledger)
    head = try coder.field("head", value?.pointee.head)
    madeAt = try coder.field("at", value?.pointee.madeAt)
    isForAll = try coder.field("isForAll", value?.pointee.isForAll)
    from = try coder.optional("from", value?.pointee.from)
    to = try coder.optional("to", value?.pointee.to)
    users = try coder.field("users", value?.pointee.users)
    protects = try coder.field("protects", value?.pointee.protects)
    holdings = try coder.field("holdings", value?.pointee.holdings)
  }
}

/// The points and coins that a user has left elsewhere.
private struct UserHoldings {
  let user: String
  let holdings: Amounts
}

extension UserHoldings: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    holdings = try Amounts(held: &coder, value?.pointer(to: \.holdings))
  }
}

extension BackfillPlanFile.Problem: FailureConvertible {
  /// A bad-data failure: the file is not a plan.
  package var failure: Failure {
    Failure(.badData, description, remedy: "Make it again with --plan FILE.")
  }
}
