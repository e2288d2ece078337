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
    // libpq complains of these only when it connects, and in its own words, which hold them.
    guard Self.arePorts(found["port"] ?? "") else {
      throw DatabaseError(state: "08001", message: "a port is no number from 1 to 65535")
    }
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

  /// Whether the address itself says how the connection is protected.
  var choosesProtection: Bool {
    guard let options = PQconninfoParse(text, nil) else { return false }
    defer { PQconninfoFree(options) }
    return Self.values(options, named: ["sslmode"])["sslmode"] != nil
  }

  /// The address without its password, and that, decoded; nil when it holds none.
  ///
  /// A password that libpq is to find elsewhere stands in `$PGPASSWORD` or in the password file (PostgreSQL 15, chapter 34.15).
  public var divided: (address: String, password: String)? {
    guard let options = PQconninfoParse(text, nil) else { return nil }
    defer { PQconninfoFree(options) }
    guard let password = Self.values(options, named: ["password"])["password"] else { return nil }
    let (place, query) = Self.cut(text, at: "?")
    var address = place
    if let at = place.firstIndex(of: "@"), let scheme = place.firstRange(of: "://") {
      let user = place[scheme.upperBound..<at].prefix { $0 != ":" }
      address = place[..<scheme.upperBound] + user + place[at...]
    }
    let kept = query.split(separator: "&").filter { !$0.hasPrefix("password=") }
    return ("\(address)\(kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))", password)
  }

  /// The parts of a text before and behind the first `separator`.
  private static func cut(_ text: String, at separator: Character) -> (Substring, Substring) {
    let head = text.prefix { $0 != separator }
    return (head, text[head.endIndex...].dropFirst())
  }

  /// Whether a password holds a slash or an `@`: then libpq takes a part of it for a host or for the database's name.
  private static func isDividedAmiss(_ text: String) -> Bool {
    let parts = text.prefix { $0 != "?" }.split(
      separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count == 4 && (parts[3].contains("@") || parts[2].count(where: { $0 == "@" }) > 1)
  }

  /// Whether a list of ports, of which each may be left out, is one.
  private static func arePorts(_ list: String) -> Bool {
    list.split(separator: ",").allSatisfy { UInt16($0).map { $0 > 0 } ?? false }
  }

  /// The options that tell a place, by name; with `thatAreSet` only those that differ from what libpq was built with.
  static func values(
    _ options: UnsafeMutablePointer<PQconninfoOption>, thatAreSet: Bool = false,
    named wanted: Set<String> = ["host", "hostaddr", "port", "dbname", "service"]
  ) -> [String: String] {
    var found: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      let name = String(cString: keyword)
      if let value = option.pointee.val.map({ String(cString: $0) }), wanted.contains(name),
        !thatAreSet || value != option.pointee.compiled.map({ String(cString: $0) })
      {
        found[name] = value
      }
      option += 1
    }
    return found
  }
}
