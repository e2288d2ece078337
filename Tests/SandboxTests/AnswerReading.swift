import CivilTime
import Evidence
import HTTPServer
import StrictJSON
import TestSupport

/// Reads the API's answers in the plainest way that can be right, apart from all other code.
enum AnswerReading {
  struct Unreadable: Error {
    let text: String
  }

  /// The activities that an answer of 603, 604 or 605 tells, in order of the beginnings.
  static func activities(_ body: [UInt8]) throws -> [Activity] {
    if body.isEmpty { return [] }
    let node = try JSONNode.parse(body)
    let objects = node.elements ?? [node]
    return try objects.compactMap(activity).sorted { ($0.from, $0.to) < ($1.from, $1.to) }
  }

  private static func activity(_ node: JSONNode) throws -> Activity? {
    let from =
      node["live_start_at"]?.string ?? node["subscribe_start_at"]?.string
      ?? node["created_at"]?.string
    guard let from else { return nil }
    if let moment = node["created_at"]?.string {
      let instant = try self.instant(moment)
      return Activity(kind: .gift, from: instant, to: instant)
    }
    let to = node["live_end_at"]?.string ?? node["subscribe_end_at"]?.string
    let kind: ActivityKind = node["live_start_at"] == nil ? .watch : .stream
    return .told(kind, from: try instant(from), to: try to.map(instant))
  }

  /// `YYYY-MM-DD` and `hh:mm:ss`, zeros as a fraction, and a zone; Tokyo's without one.
  static func instant(_ text: String) throws -> Instant {
    guard let day = Day(String(text.prefix(10))) else { throw Unreadable(text: text) }
    let time = text.dropFirst(11).prefix(8).split(separator: ":").compactMap { Int64($0) }
    guard time.count == 3 else { throw Unreadable(text: text) }
    var rest = text.dropFirst(19)
    if rest.hasPrefix(".") { rest = rest.dropFirst().drop { $0 == "0" } }
    let local = Int64(day.number) * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2]
    switch rest.first {
    case nil: return Instant(seconds: local - 32_400)
    case "Z": return Instant(seconds: local)
    case "+", "-":
      let parts = rest.dropFirst().split(separator: ":").compactMap { Int64($0) }
      guard parts.count == 2 else { throw Unreadable(text: text) }
      let offset = parts[0] * 3_600 + parts[1] * 60
      return Instant(seconds: rest.first == "-" ? local + offset : local - offset)
    default: throw Unreadable(text: text)
    }
  }
}

extension ServerAnswer {
  /// The response that is sent at once or after a delay, nil for the other answers.
  var response: ServerResponse? {
    switch self {
    case .respond(let response): response
    case .delay(_, let answer): answer.response
    case .cut, .truncate, .later: nil
    }
  }
}
