internal import CPostgreSQL

/// The address of a database, as an operator writes it:
/// `postgres://[USER[:PASSWORD]@][HOST][:PORT][,…]/[DATABASE][?NAME=VALUE&…]`.
///
/// Missing parts come from the `PG…` variables, the service file and the password file, as in libpq (PostgreSQL 15, chapters
/// 34.1.1 and 34.15 to 34.17).
package struct DatabaseAddress: Hashable, Sendable {
  /// The complete address. Never for messages: it may contain a password.
  let text: String
  /// The address without user, password and settings, for messages and names.
  package let name: String

  /// Returns whether a text is meant as an address, even a wrong one.
  package static func isMeant(by text: String) -> Bool {
    let scheme = text.prefix { $0 != ":" }
    return scheme.count < text.count && ["postgres", "postgresql"].contains(scheme.lowercased())
  }

  /// Parses an address as libpq does; the error contains no part of it.
  package init(_ text: String) throws(DatabaseError) {
    guard !Self.isMisparsed(text), let options = PQconninfoParse(text, nil) else {
      throw DatabaseError(
        state: "08001",
        message: "the address is not of the form postgres://USER@HOST:PORT/DATABASE?NAME=VALUE; "
          + "write special characters in a name or password as %HH")
    }
    defer { PQconninfoFree(options) }
    self.text = text
    var found = Self.values(options)
    // libpq reports these only on connecting, in a message that contains them.
    guard Self.arePorts(found["port"] ?? "") else {
      throw DatabaseError(state: "08001", message: "a port must be a number from 1 to 65535")
    }
    // Everything that distinguishes databases must be in the name, wherever it comes from.
    if let defaults = PQconndefaults() {
      defer { PQconninfoFree(defaults) }
      found.merge(Self.values(defaults, thatAreSet: true)) { own, _ in own }
    }
    let hosts = (found["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let ports = (found["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let places = hosts.enumerated().map { index, host in
      // A socket's folder has slashes, which would divide the name.
      let host = host.replacing("/", with: "%2F")
      let port = ports.isEmpty ? "" : ports[min(index, ports.count - 1)]
      return port.isEmpty ? host : "\(host):\(port)"
    }
    let others = ["hostaddr", "service"].compactMap { key in found[key].map { "\(key)=\($0)" } }
    let query = others.isEmpty ? "" : "?" + others.joined(separator: "&")
    name = "postgres://\(places.joined(separator: ","))/\(found["dbname"] ?? "")\(query)"
  }

  /// Whether the address itself chooses the connection's protection.
  var choosesProtection: Bool {
    guard let options = PQconninfoParse(text, nil) else { return false }
    defer { PQconninfoFree(options) }
    return Self.values(options, named: ["sslmode"])["sslmode"] != nil
  }

  /// The address without its password, and the decoded password; nil if it contains none.
  ///
  /// A password for libpq to find elsewhere belongs in `$PGPASSWORD` or the password file (PostgreSQL 15, chapter 34.15).
  package var divided: (address: String, password: String)? {
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

  /// Returns the parts of a text before and after the first `separator`.
  private static func cut(_ text: String, at separator: Character) -> (Substring, Substring) {
    let head = text.prefix { $0 != separator }
    return (head, text[head.endIndex...].dropFirst())
  }

  /// Returns whether a password contains a slash or an `@`, so that libpq takes a part of it for a host or a database name.
  private static func isMisparsed(_ text: String) -> Bool {
    let parts = text.prefix { $0 != "?" }.split(
      separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count == 4 && (parts[3].contains("@") || parts[2].count(where: { $0 == "@" }) > 1)
  }

  /// Returns whether a text is a list of ports, any of which may be missing.
  private static func arePorts(_ list: String) -> Bool {
    list.split(separator: ",").allSatisfy { UInt16($0).map { $0 > 0 } ?? false }
  }

  /// Returns the options that identify the place, by name; with `thatAreSet`, only those that differ from libpq's built-in
  /// values.
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
