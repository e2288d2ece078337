public import CivilTime
import Digests
public import Ledger
public import StrictJSON

/// One attempt to deliver an event, and what came of it.
public struct DeliveryAttempt: Sendable, Equatable {
  /// How an attempt ended.
  public enum Outcome: String, Sendable {
    /// The receiver has the event.
    case delivered
    /// It is tried again.
    case failed
    /// It was given up: it is sent again only when somebody asks for it.
    case dead
    /// There was nobody to send it to.
    case skipped
  }

  /// The event's id.
  public var event: String
  /// The event's place in the ledger.
  public var position: EventPosition
  /// The lane.
  public var lane: Lane
  /// Which attempt, from 1.
  public var attempt: Int
  /// How it ended.
  public var outcome: Outcome
  /// The receiver's status, when there is one.
  public var status: Int?
  /// Why it failed.
  public var reason: String?
  /// When it is tried again; for `failed` only.
  public var next: Instant?
  /// How long after its record the event was delivered, in seconds; for `delivered` only, where the record is known.
  public var delaySeconds: Int64?

  /// Whether nothing is sent any more of a grant: the first event of its line was delivered or given up, or there was nobody to send
  /// it to.
  var settlesGrant: Bool {
    outcome != .failed && position.index == 0 && (lane.kind == .events || lane.kind == .replay)
  }

  /// An entry that is not sent.
  static func skipped(_ entry: Entry, _ reason: String) -> DeliveryAttempt {
    DeliveryAttempt(
      event: entry.event?.id ?? "", position: entry.position, lane: entry.lane, attempt: 1,
      outcome: .skipped, reason: reason)
  }
}

/// One line of `relay/SINK/`: the sealed log of what was sent where.
public enum RelayRecord: Sendable, Equatable {
  /// An attempt. The event is settled unless it failed.
  case attempt(DeliveryAttempt)
  /// The lane's events from here on are unsettled, although the cursor may pass them.
  case behind(Lane, from: EventPosition)
  /// The lane is not behind any more.
  case caughtUp(Lane)
  /// Everything up to this seal is settled, but for the lanes that are behind.
  case cursor(LedgerHead)
  /// Nothing is sent until somebody resumes the sink.
  case paused(reason: String, actor: String)
  /// An end of a pause.
  case resumed(actor: String)
  /// These events are to be sent again; `wereDead` when they were given up before.
  case replay(user: String, positions: [EventPosition], wereDead: Bool, actor: String)
  /// A part of where the log before this one stood, as in `cursor.json`; from 1.
  case base(part: Int, of: Int, text: String)
  /// From here on these events are wanted, as ``EventFilter/description`` tells.
  case filter(String)
  /// An event that was given up in a log before this one, and when.
  case dead(DeliveryAttempt, since: Instant)
}

extension RelayRecord {
  /// The fields of the line behind `seq` and `at`, `type` first, with the `}` and the `\n` that end it.
  var fields: [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    write(to: &json)
    json.endObject()
    json.endLine()
    return Array(json.bytes.dropFirst())
  }

  private func write(to json: inout JSONWriter) {
    switch self {
    case .attempt(let attempt):
      json.member("type", "attempt")
      Self.write(attempt, to: &json)
    case .dead(let attempt, let since):
      json.member("type", "dead")
      Self.write(attempt, to: &json)
      json.member("since", since.description)
    case .base(let part, let count, let text):
      json.member("type", "base")
      json.member("part", part)
      json.member("parts", count)
      json.member("text", text)
    case .filter(let text):
      json.member("type", "filter")
      json.member("events", text)
    case .behind(let lane, let from):
      json.member("type", "behind")
      Self.write(lane, to: &json)
      Self.write(from, to: &json)
    case .caughtUp(let lane):
      json.member("type", "caughtUp")
      Self.write(lane, to: &json)
    case .cursor(let head):
      json.member("type", "cursor")
      json.member("through", head.seq)
      json.member("hash", head.hash.description)
    case .paused(let reason, let actor):
      json.member("type", "paused")
      json.member("reason", reason)
      json.member("actor", actor)
    case .resumed(let actor):
      json.member("type", "resumed")
      json.member("actor", actor)
    case .replay(let user, let positions, let wereDead, let actor):
      json.member("type", "replay")
      json.member("user", user)
      json.objects("events", positions) { Self.write($1, to: &$0) }
      if wereDead { json.member("dead", true) }
      json.member("actor", actor)
    }
  }

  private static func write(_ attempt: DeliveryAttempt, to json: inout JSONWriter) {
    json.member("event", attempt.event)
    write(attempt.position, to: &json)
    write(attempt.lane, to: &json)
    json.member("attempt", attempt.attempt)
    json.member("outcome", attempt.outcome.rawValue)
    if let status = attempt.status { json.member("status", status) }
    if let reason = attempt.reason { json.member("reason", reason) }
    if let next = attempt.next { json.member("next", next.description) }
    if let delay = attempt.delaySeconds { json.member(delayName, delay) }
  }

  private static func write(_ position: EventPosition, to json: inout JSONWriter) {
    json.member("of", position.seq)
    if position.index > 0 { json.member("index", position.index) }
  }

  private static func write(_ lane: Lane, to json: inout JSONWriter) {
    if lane.kind != .events { json.member("lane", lane.kind.rawValue) }
    json.member("user", lane.user)
  }
}

extension RelayRecord {
  /// A line, with or without its `\n`, and when it was recorded; nil for lines of other types, as seals are. Throws when it
  /// cannot be read.
  public static func read(
    _ line: UnsafeBufferPointer<UInt8>
  ) throws(JSONError) -> (at: Instant, record: RelayRecord)? {
    let fields = RelayFields(
      try JSONNode.parse(Array(line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...])))
    guard let record = try body(try fields.text("type"), fields) else { return nil }
    return (try fields.instant("at"), record)
  }

  private static let delayName = "delay"

  /// The line of the ledger that a record names first; nil when it names none.
  static func line(in record: UnsafeBufferPointer<UInt8>) -> UInt64? { number("of", in: record) }

  /// How long a delivery took that a record tells of; nil when it tells of none.
  static func delay(in record: UnsafeBufferPointer<UInt8>) -> Int64? {
    number(delayName, in: record).map { Int64(clamping: $0) }
  }

  /// The first number with this name, without the record being taken apart.
  private static func number(
    _ name: String, in record: UnsafeBufferPointer<UInt8>
  ) -> UInt64? {
    let name = Array("\"\(name)\":".utf8)
    var start = 0
    while start + name.count < record.count {
      guard record[start] == name[0],
        record[start..<start + name.count].elementsEqual(name)
      else {
        start += 1
        continue
      }
      var number: UInt64 = 0
      for byte in record[(start + name.count)...] {
        guard (0x30...0x39).contains(byte) else { break }
        number = number &* 10 &+ UInt64(byte - 0x30)
      }
      return number
    }
    return nil
  }

  private static func body(
    _ type: String, _ fields: RelayFields
  ) throws(JSONError) -> RelayRecord? {
    switch type {
    case "attempt": return .attempt(try attempt(fields))
    case "dead": return .dead(try attempt(fields), since: try fields.instant("since"))
    case "base":
      return .base(
        part: Int(try fields.number("part")), of: Int(try fields.number("parts")),
        text: try fields.text("text"))
    case "filter": return .filter(try fields.text("events"))
    case "behind": return .behind(try fields.lane(), from: try fields.position())
    case "caughtUp": return .caughtUp(try fields.lane())
    case "cursor":
      let text = "\(try fields.number("through")):\(try fields.text("hash"))"
      guard let head = LedgerHead(text) else { throw fields.missing("hash") }
      return .cursor(head)
    case "paused":
      return .paused(reason: try fields.text("reason"), actor: try fields.text("actor"))
    case "resumed": return .resumed(actor: try fields.text("actor"))
    case "replay":
      var positions: [EventPosition] = []
      for event in try fields.objects("events") { positions.append(try event.position()) }
      return .replay(
        user: try fields.text("user"), positions: positions, wereDead: fields.has("dead"),
        actor: try fields.text("actor"))
    default: return nil
    }
  }

  private static func attempt(_ fields: RelayFields) throws(JSONError) -> DeliveryAttempt {
    guard let outcome = DeliveryAttempt.Outcome(rawValue: try fields.text("outcome")) else {
      throw fields.missing("outcome")
    }
    return DeliveryAttempt(
      event: try fields.text("event"), position: try fields.position(),
      lane: try fields.lane(), attempt: Int(try fields.number("attempt")), outcome: outcome,
      status: fields.has("status") ? Int(try fields.number("status")) : nil,
      reason: fields.has("reason") ? try fields.text("reason") : nil,
      next: try fields.instantIfThere("next"),
      delaySeconds: fields.has(delayName) ? Int64(try fields.number(delayName)) : nil)
  }
}
