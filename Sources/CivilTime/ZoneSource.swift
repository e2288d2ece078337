/// Where time zones come from; the operating system's files in production.
///
/// Implementations are safe to call from any thread and answer a name that they know without I/O.
public protocol ZoneSource: Sendable {
  /// The rules of the zone with this IANA name, links included; throws when there are none.
  func zone(named name: String) throws(ZoneError) -> Zone
  /// The version of the database, as `2026f`; `unknown` when the system does not tell.
  var version: String { get }
}

/// Why a zone cannot be used. Never answered by falling back to another zone.
public struct ZoneError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name that was asked for.
  public let name: String
  /// What is wrong and what to do.
  public let what: String

  /// An error about the zone `name`.
  public init(name: String, what: String) {
    self.name = name
    self.what = what
  }

  /// The zone and the cause, on one line.
  public var description: String { "time zone \"\(name)\": \(what)" }
}
