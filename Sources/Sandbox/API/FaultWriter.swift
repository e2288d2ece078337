internal import CivilTime
import Foundations
internal import HTTPServer

/// Turns a fault, other than a lie, into an answer.
struct FaultWriter {
  let now: Instant
  /// The original answer.
  let honest: ServerResponse

  /// Returns the faulty answer.
  func answer(_ fault: Fault, _ random: inout SplitMix64) -> ServerAnswer {
    switch fault {
    case .unauthorized: .respond(.json(Array(#"{"message":"Unauthenticated."}"#.utf8), status: 401))
    case .forbidden: .respond(.json(Array(#"{"message":"Forbidden"}"#.utf8), status: 403))
    case .throttled: .respond(throttled(&random))
    case .serverError: .respond(.text("error\n", status: Int(random.number(in: 500...504))))
    case .cut: .cut
    case .truncated: truncated(&random)
    case .notJSON: .respond(.json(notJSON(&random)))
    case .oversized: .respond(.json(honest.body + Self.padding))
    case .olderValue, .missingValue, .futureInstant, .endBeforeStart: .respond(honest)
    }
  }

  /// White space, so that only the length of such a body is wrong.
  private static let padding = [UInt8](repeating: 0x20, count: 1 << 20 + 1)

  private func throttled(_ random: inout SplitMix64) -> ServerResponse {
    let seconds = random.number(in: 1...5)
    let value = random.chance(0.5) ? String(seconds) : Self.httpDate(now.adding(seconds: seconds))
    return ServerResponse(status: 429, headers: [HTTPField("Retry-After", value)])
  }

  private func truncated(_ random: inout SplitMix64) -> ServerAnswer {
    let whole = honest.body.isEmpty ? Array("null".utf8) : honest.body
    let sent = random.number(in: 0...Int64(whole.count - 1))
    return .truncate(.json(whole), sentBytes: Int(sent))
  }

  private func notJSON(_ random: inout SplitMix64) -> [UInt8] {
    switch random.number(in: 0...3) {
    case 0: Array("<html><body>502 Bad Gateway</body></html>".utf8)
    case 1: honest.body + Array(" }".utf8)
    case 2: Array(repeating: UInt8(ascii: "["), count: 40) + Array(repeating: 0x5D, count: 40)
    default: Array(#"[{"subscribe_start_at": "20"#.utf8)
    }
  }

  /// Returns the instant in the date format of RFC 9110, for example `Fri, 20 Nov 2026 05:49:37 GMT`.
  static func httpDate(_ instant: Instant) -> String {
    let text = InstantFormat.text(of: Instant(seconds: instant.seconds), fraction: .asNeeded)
    guard let day = Day(String(text.prefix(10))) else { return text }
    let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let date = "\(text.dropFirst(8).prefix(2)) \(months[day.civil.month - 1]) \(text.prefix(4))"
    return "\(weekdays[day.weekday]), \(date) \(text.dropFirst(11).prefix(8)) GMT"
  }
}
