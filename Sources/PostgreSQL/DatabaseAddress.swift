internal import CPostgreSQL

/// Where a database is, as an operator writes it: `postgres://[USER[:PASSWORD]@][HOST][:PORT][,…]/[DATABASE][?NAME=VALUE&…]`.
///
/// What it leaves open comes from the `PG…` variables, the service file and the password file, as libpq reads them (PostgreSQL
/// 15, chapter 34.1.1, 34.15 to 34.17).
public struct DatabaseAddress: Hashable, Sendable {
  /// The address with all that is in it. Never for a message: it may hold a password.
  let text: String
  /// The address without user, password and settings, for messages and names.
  public let name: String

  /// Whether a text is meant as an address, whatever may be wrong with it.
  public static func isMeant(by text: String) -> Bool {
    let scheme = text.prefix { $0 != ":" }
    return scheme.count < text.count && ["postgres", "postgresql"].contains(scheme.lowercased())
  }

  /// The address, if libpq understands it; the error's words hold no part of it.
  public init(_ text: String) throws(DatabaseError) {
    guard !Self.isDividedAmiss(text), let options = PQconninfoParse(text, nil) else {
      throw DatabaseError(
        state: "08001",
        message: "the address is not of the form postgres://USER@HOST:PORT/DATABASE?NAME=VALUE; "
          + "write odd characters of a name or password as %HH")
    }
    defer { PQconninfoFree(options) }
    self.text = text
    var found = Self.values(options)
    // What tells one database from another must be in the name, wherever it comes from.
    if let defaults = PQconndefaults() {
      defer { PQconninfoFree(defaults) }
      found.merge(Self.values(defaults, thatAreSet: true)) { own, _ in own }
    }
    let hosts = (found["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let ports = (found["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let places = hosts.enumerated().map { index, host in
      // A folder of a socket has slashes, which would divide the name.
      let host = host.replacing("/", with: "%2F")
      let port = ports.isEmpty ? "" : ports[min(index, ports.count - 1)]
      return port.isEmpty ? host : "\(host):\(port)"
    }
    let others = ["hostaddr", "service"].compactMap { key in found[key].map { "\(key)=\($0)" } }
    let query = others.isEmpty ? "" : "?" + others.joined(separator: "&")
    name = "postgres://\(places.joined(separator: ","))/\(found["dbname"] ?? "")\(query)"
  }

  /// Whether a password holds a slash: then libpq takes the beginning for a host, and the rest, up to the real one, for the
  /// database's name.
  private static func isDividedAmiss(_ text: String) -> Bool {
    let parts = text.prefix { $0 != "?" }.split(
      separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count == 4 && parts[3].contains("@")
  }

  /// The options that tell a place, by name; with `thatAreSet` only those that differ from what libpq was built with.
  private static func values(
    _ options: UnsafeMutablePointer<PQconninfoOption>, thatAreSet: Bool = false
  ) -> [String: String] {
    var found: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      let name = String(cString: keyword)
      if let value = option.pointee.val.map({ String(cString: $0) }),
        ["host", "hostaddr", "port", "dbname", "service"].contains(name),
        !thatAreSet || value != option.pointee.compiled.map({ String(cString: $0) })
      {
        found[name] = value
      }
      option += 1
    }
    return found
  }
}
