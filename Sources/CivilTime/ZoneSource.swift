public import Failures

/// Where time zones come from; the operating system's files in production.
///
/// Implementations are safe to call from any thread and answer a name that they know without I/O.
public protocol ZoneSource: Sendable {
  /// Returns the rules of the zone with this IANA name, links included; throws when there are none.
  func zone(named name: String) throws(ZoneError) -> Zone
  /// The version of the database, as `2026f`; `unknown` when the system does not tell.
  var version: String { get }
  /// When the database was made or installed, by its files; nil when the system does not tell.
  var builtAt: Instant? { get }
}

extension ZoneSource {
  /// The system does not tell.
  public var builtAt: Instant? { nil }

  /// Returns how old the database is at `now`, as `24 days old`; nil when the system does not tell.
  public func age(at now: Instant) -> String? {
    builtAt.map { "\(max(0, now.seconds(since: $0)) / 86_400) days old" }
  }
}

/// Why a zone cannot be used. Never answered by falling back to another zone.
public struct ZoneError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name that was asked for.
  public let name: String
  /// What is wrong and what to do.
  public let what: String

  /// Creates an error about the zone `name`.
  public init(name: String, what: String) {
    self.name = name
    self.what = what
  }

  /// The zone and the cause, on one line.
  public var description: String { "time zone \"\(name)\": \(what)" }
}

extension ZoneError: FailureConvertible {
  /// Bad data, placed at the zone's name.
  public var failure: Failure { Failure(.badData, what, place: "time zone \"\(name)\"") }
}
