internal import CivilTime
package import Scheduling
internal import StrictJSON

/// Writes structured lines, one per event, through a given sink.
///
/// Callers pass facts, never secrets, and user ids only at `debug`. Safe to call from any thread; the sink receives
/// whole lines.
package final class Log: Sendable {
  /// The format of a line.
  package enum Layout: String, CaseIterable, Sendable {
    /// `at=… level=info event="…" key=value`
    case logfmt
    /// One JSON object per line.
    case json
  }

  /// The least important level that is written.
  package let level: LogLevel
  private let layout: Layout
  /// The fields on every line.
  private let common: KeyValuePairs<String, LogValue>
  private let clock: any ServiceClock
  private let write: @Sendable ([UInt8]) -> Void

  /// Creates a log that stamps lines with `clock` and passes each, with its line end, to `write`.
  package init(
    level: LogLevel, layout: Layout, clock: any ServiceClock,
    common: KeyValuePairs<String, LogValue> = [:], write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.level = level
    self.common = common
    self.layout = layout
    self.clock = clock
    self.write = write
  }

  /// Returns the same log with these fields on every line.
  package func with(_ common: KeyValuePairs<String, LogValue>) -> Log {
    Log(level: level, layout: layout, clock: clock, common: common, write: write)
  }

  /// Logs a detail for developers.
  package func debug(
    _ event: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    if level <= .debug { write(.debug, event(), fields()) }
  }

  /// Logs an expected event.
  package func info(
    _ event: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    if level <= .info { write(.info, event(), fields()) }
  }

  /// Logs something that needs attention eventually.
  package func warning(
    _ event: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    if level <= .warning { write(.warning, event(), fields()) }
  }

  /// Logs something that needs attention now.
  package func error(_ event: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
    write(.error, event, fields)
  }

  private func write(
    _ level: LogLevel, _ event: String, _ fields: KeyValuePairs<String, LogValue>
  ) {
    let fields = common.map { ($0.key, $0.value) } + fields.map { ($0.key, $0.value) }
    let at = InstantFormat.text(of: clock.now(), fraction: .milliseconds)
    switch layout {
    case .json: write(Self.jsonLine(at, level, event, fields))
    case .logfmt: write(Self.logfmtLine(at, level, event, fields))
    }
  }

  private static func jsonLine(
    _ at: String, _ level: LogLevel, _ event: String, _ fields: [(String, LogValue)]
  ) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("at", at)
    json.member("level", level.rawValue)
    json.member("event", event)
    for (name, value) in fields {
      switch value {
      case .text(let text): json.member(name, shown(text))
      case .number(let number): json.member(name, number)
      case .flag(let flag): json.member(name, flag)
      }
    }
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

  private static func logfmtLine(
    _ at: String, _ level: LogLevel, _ event: String, _ fields: [(String, LogValue)]
  ) -> [UInt8] {
    var line = "at=\(at) level=\(level.rawValue) event=\(quoted(event))"
    for (name, value) in fields {
      switch value {
      case .text(let text): line += " \(name)=\(quoted(shown(text)))"
      case .number(let number): line += " \(name)=\(number)"
      case .flag(let flag): line += " \(name)=\(flag)"
      }
    }
    return Array(line.utf8) + [UInt8(ascii: "\n")]
  }

  private static let textLimit = 2_000

  /// Returns the text made safe to show: text from outside may contain terminal commands or be endless.
  private static func shown(_ text: String) -> String {
    ShownText.plain(ShownText.short(text, limit: textLimit))
  }

  /// Returns the text, quoted when it is empty or contains characters that would end or confuse a value.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy {
      $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
        && $0 != UInt8(ascii: "\\")
    }
    if isPlain, !text.isEmpty { return text }
    var json = JSONWriter()
    json.string(text)
    return json.text
  }
}

/// The importance of a log line; the cases are in ascending order.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case debug, info, warning, error

  /// Whether `left` is less important.
  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.weight < right.weight }

  private var weight: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    }
  }
}

/// A value in a log line.
package enum LogValue: Equatable, Sendable {
  case text(String)
  case number(Int)
  case flag(Bool)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// A text.
  package init(stringLiteral value: String) { self = .text(value) }
}

extension LogValue: ExpressibleByIntegerLiteral {
  /// A number.
  package init(integerLiteral value: Int) { self = .number(value) }
}

extension LogValue: ExpressibleByBooleanLiteral {
  /// A Boolean.
  package init(booleanLiteral value: Bool) { self = .flag(value) }
}
