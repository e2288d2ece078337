internal import CPostgreSQL

/// How a connection is protected from others.
///
/// libpq uses TLS if the server offers it, and otherwise sends a password in the clear to any server that answers (PostgreSQL 15,
/// chapter 34.1.2, `sslmode`). For other machines, ``DatabaseConnection`` therefore requires a verified certificate
/// (`verify-full`), unless the address, the service file or `$PGSSLMODE` chooses otherwise.
package struct DatabaseProtection: Sendable, Equatable {
  /// Whether the connection stays on this machine, through a socket's folder or loopback.
  package let isLocal: Bool
  /// Whether TLS is in use.
  package let isEncrypted: Bool
  /// The `sslmode` in force.
  package let mode: String

  /// libpq's mode if none is chosen.
  private static let unchosen = "prefer"
  /// The required mode if none is chosen.
  static let wanted = "verify-full"

  /// Reads the protection of a connection that has been started, though not necessarily established.
  init(of connection: OpaquePointer) {
    var found: [String: String] = [:]
    if let options = PQconninfo(connection) {
      defer { PQconninfoFree(options) }
      found = DatabaseAddress.values(options, named: ["host", "hostaddr", "sslmode"])
    }
    // A host name decides before an address given for it.
    let hosts = found["host"].flatMap { $0.isEmpty ? nil : $0 } ?? found["hostaddr"] ?? ""
    isLocal = hosts.split(separator: ",").allSatisfy(Self.isThisMachine)
    isEncrypted = PQsslInUse(connection) == 1
    mode = found["sslmode"] ?? Self.unchosen
  }

  /// Whether no mode is chosen, so that any server that answers might receive a password.
  var isLeftOpen: Bool { !isLocal && mode == Self.unchosen }

  /// Whether nobody else can read the traffic or impersonate the server.
  package var isSure: Bool { isLocal || isEncrypted && mode == Self.wanted }

  private static func isThisMachine(_ host: Substring) -> Bool {
    // A folder, or a socket without a name in the file system.
    host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
      || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }
}
