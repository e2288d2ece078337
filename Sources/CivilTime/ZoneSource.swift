public import Failures

/// A source of time zones: the operating system's files in production.
///
/// Implementations are safe to call from any thread and return a known zone without I/O.
public protocol ZoneSource: Sendable {
  /// Returns the zone with this IANA name, links included; throws if there is none.
  func zone(named name: String) throws(ZoneError) -> Zone
  /// The database version, e.g. `2026f`; `unknown` if the system does not state it.
  var version: String { get }
  /// When the database was made or installed, judging by its files; nil if unknown.
  var builtAt: Instant? { get }
}

extension ZoneSource {
  /// Nil: the age is unknown.
  public var builtAt: Instant? { nil }

  /// Returns the age of the database at `now`, e.g. `24 days old`; nil if unknown.
  public func age(at now: Instant) -> String? {
    builtAt.map { "\(max(0, now.seconds(since: $0)) / 86_400) days old" }
  }
}

/// The reason why a zone cannot be used. Never handled by falling back to another zone.
public struct ZoneError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The requested name.
  public let name: String
  /// What is wrong and what to do.
  public let what: String

  /// Creates an error about the zone `name`.
  public init(name: String, what: String) {
    self.name = name
    self.what = what
  }

  /// The zone and the cause on one line.
  public var description: String { "time zone \"\(name)\": \(what)" }
}

extension ZoneError: FailureConvertible {
  /// The error as a bad-data failure, placed at the zone's name.
  public var failure: Failure { Failure(.badData, what, place: "time zone \"\(name)\"") }
}
