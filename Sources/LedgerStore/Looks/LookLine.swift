import CivilTime
import Evidence
import Scheduling
import StrictJSON

/// How a route's history of one user, or the inbox's watermark, is written on one line of the look journal.
///
/// `{"user","route","covered":[s,n,s,n,…],"latest":[s,n,s,n]?,"failures":[[s,n,"cause"],…],"looks"}`: instants are pairs
/// of seconds since 1970 and nanoseconds. The file is a cache: its form may change with any version.
enum LookLine {
  /// What a line says.
  enum Content {
    case entry(LookEntry)
    case watermark(InboxWatermark)
  }

  /// Appends the line of `entry`.
  static func append(_ entry: LookEntry, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("user", entry.user)
    writer.member("route", entry.source.name)
    writer.key("covered")
    writer.beginArray()
    for interval in entry.history.coverage.intervals {
      append(interval.from, to: &writer)
      append(interval.to, to: &writer)
    }
    writer.endArray()
    if let latest = entry.history.latest {
      writer.key("latest")
      writer.beginArray()
      append(latest.from, to: &writer)
      if let to = latest.to { append(to, to: &writer) }
      writer.endArray()
    }
    if !entry.history.failures.isEmpty {
      writer.key("failures")
      writer.beginArray()
      for failure in entry.history.failures {
        writer.beginArray()
        append(failure.at, to: &writer)
        writer.string(failure.cause.rawValue)
        writer.endArray()
      }
      writer.endArray()
    }
    writer.member("looks", entry.history.looks)
    writer.endObject()
  }

  /// The line of `watermark`.
  static func append(_ watermark: InboxWatermark, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("inboxThrough")
    writer.beginArray()
    append(watermark.through, to: &writer)
    writer.endArray()
    writer.endObject()
  }

  /// What a line says, or nil when it is damaged.
  static func parse(_ line: UnsafeBufferPointer<UInt8>) -> Content? {
    var fields = Fields()
    var reader = JSONReader(line)
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        try fields.take(key, from: &reader)
      }
      try reader.finish()
    } catch {
      return nil
    }
    if let through = fields.inboxThrough { return .watermark(InboxWatermark(through: through)) }
    guard let user = fields.user, let source = fields.source else { return nil }
    return .entry(LookEntry(user: user, source: source, history: fields.history))
  }

  private static func append(_ instant: Instant, to writer: inout JSONWriter) {
    writer.int(instant.seconds)
    writer.int(instant.nanoseconds)
  }

  private struct Fields {
    var user: String?
    var source: Source?
    var history = SourceHistory()
    var inboxThrough: Instant?

    mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) {
      switch key {
      case "user": user = try reader.readString()
      case "route": source = Source(name: try reader.readString())
      case "covered":
        let instants = try Self.instants(&reader)
        for index in stride(from: 0, to: instants.count - 1, by: 2) {
          history.coverage.cover(from: instants[index], to: instants[index + 1])
        }
      case "latest":
        let instants = try Self.instants(&reader)
        if let from = instants.first {
          history.latest = ReportedActivity(from: from, to: instants.count > 1 ? instants[1] : nil)
        }
      case "failures":
        try reader.readArray { (reader) throws(JSONError) in
          try takeFailure(from: &reader)
        }
      case "looks": history.looks = Int32(clamping: try reader.readInt())
      case "inboxThrough": inboxThrough = try Self.instants(&reader).first
      default: try reader.skipValue()
      }
    }

    private mutating func takeFailure(from reader: inout JSONReader) throws(JSONError) {
      var numbers: [Int64] = []
      var cause: FailureCause?
      try reader.readArray { (reader) throws(JSONError) in
        if try reader.peek() == .string {
          cause = FailureCause(rawValue: try reader.readString())
        } else {
          numbers.append(try reader.readInt())
        }
      }
      guard numbers.count == 2, let cause else { return }
      let at = Instant(seconds: numbers[0], nanoseconds: Int32(clamping: numbers[1]))
      history.failures.append(SourceHistory.Failure(at: at, cause: cause))
    }

    private static func instants(_ reader: inout JSONReader) throws(JSONError) -> [Instant] {
      var numbers: [Int64] = []
      try reader.readArray { (reader) throws(JSONError) in numbers.append(try reader.readInt()) }
      return stride(from: 0, to: numbers.count - 1, by: 2).map {
        Instant(seconds: numbers[$0], nanoseconds: Int32(clamping: numbers[$0 + 1]))
      }
    }
  }
}
