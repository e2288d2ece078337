internal import CPostgreSQL

/// How what goes to a server is kept from others.
///
/// libpq takes TLS where the server offers it, and else gives a password in clear to whoever answers (PostgreSQL 15, chapter 34.1.2, `sslmode`).
/// Beyond this machine ``DatabaseConnection`` therefore wants a verified certificate (`verify-full`), unless the address, the service file
/// or `$PGSSLMODE` chooses otherwise.
public struct DatabaseProtection: Sendable, Equatable {
  /// Whether the connection stays on this machine: a socket's folder, or loopback.
  public let isLocal: Bool
  /// Whether TLS is in use.
  public let isEncrypted: Bool
  /// The `sslmode` in force.
  public let mode: String

  /// What libpq does where nobody has chosen.
  private static let unchosen = "prefer"
  /// What is wanted where nobody has chosen.
  static let wanted = "verify-full"

  /// That of a connection that was begun; it need not be made yet.
  init(of connection: OpaquePointer) {
    var found: [String: String] = [:]
    if let options = PQconninfo(connection) {
      defer { PQconninfoFree(options) }
      found = DatabaseAddress.values(options, named: ["host", "hostaddr", "sslmode"])
    }
    // A name decides before the number that somebody has found for it.
    let hosts = found["host"].flatMap { $0.isEmpty ? nil : $0 } ?? found["hostaddr"] ?? ""
    isLocal = hosts.split(separator: ",").allSatisfy(Self.isThisMachine)
    isEncrypted = PQsslInUse(connection) == 1
    mode = found["sslmode"] ?? Self.unchosen
  }

  /// Whether nobody has chosen, and a password might go to whoever answers.
  var isLeftOpen: Bool { !isLocal && mode == Self.unchosen }

  /// Whether nobody else can read what goes to the server, or stand in its place.
  public var isSure: Bool { isLocal || isEncrypted && mode == Self.wanted }

  private static func isThisMachine(_ host: Substring) -> Bool {
    // A folder, or a socket without a name in the file system.
    host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
      || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }
}
