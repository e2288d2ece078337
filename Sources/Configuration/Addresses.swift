/// Checks the addresses that an operator configures.
enum HTTPAddress {
  /// Returns why secrets must not be sent to `text`, or nil when they may; `permission` is the key that allows sending them
  /// unencrypted.
  static func objection(
    toSecretsAt text: String, isPlainAllowed: Bool, permission: String
  ) -> String? {
    if let objection = objection(to: text) { return objection }
    let scheme = "http://"
    guard text.hasPrefix(scheme), !isPlainAllowed else { return nil }
    if LoopbackHost.matches(String(hostAndPort(of: text.dropFirst(scheme.count)).host)) {
      return nil
    }
    return
      "http:// sends the token unencrypted; use https://, or allow it with \"\(permission)\": true"
  }

  /// Returns why `text` is not a valid HTTP or HTTPS address, or nil.
  static func objection(to text: String) -> String? {
    let schemes = ["https://", "http://"]
    guard let scheme = schemes.first(where: { text.hasPrefix($0) }) else {
      return "expected an address that begins with https:// or http://"
    }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    if authority.isEmpty { return "the address names no host" }
    if authority.contains("@") { return "the address must not contain a user name or password" }
    if let port = hostAndPort(of: rest).port, !(UInt16(port).map { $0 > 0 } ?? false) {
      return "the port must be a number from 1 to 65535"
    }
    guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return "the address contains a character that must be escaped"
    }
    guard !rest.contains("#") else { return "the address must not have a fragment" }
    return nil
  }
}

extension HTTPAddress {
  /// Returns the host, and the port if given, at the start of the text after the scheme; an IPv6 host keeps its brackets.
  private static func hostAndPort(of rest: Substring) -> (host: Substring, port: Substring?) {
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
      return (authority, nil)
    }
    return (authority[..<colon], authority[authority.index(after: colon)...])
  }
}

/// The hosts that name only this machine.
enum LoopbackHost {
  /// Whether `host` is `localhost`, a dotted-decimal address in 127.0.0.0/8, or `::1`, with or without brackets.
  static func matches(_ host: String) -> Bool {
    let name = host.lowercased().filter { $0 != "[" && $0 != "]" }
    if name == "localhost" || name == "::1" { return true }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return numbers.count == 4 && numbers.first == 127 && !numbers.contains(nil)
  }
}

/// A host and port to listen on, written `HOST:PORT`, with IPv6 hosts in brackets.
struct HostAndPort {
  let host: String
  let port: UInt16

  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.host = String(host)
    self.port = port
  }
}
