/// Checks addresses that an operator writes.
enum HTTPAddress {
  /// What is wrong with `text` as an address of HTTP or HTTPS, or nil.
  static func objection(to text: String) -> String? {
    let schemes = ["https://", "http://"]
    guard let scheme = schemes.first(where: { text.hasPrefix($0) }) else {
      return "expected an address that begins with https:// or http://"
    }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    if authority.isEmpty { return "the address names no host" }
    if authority.contains("@") { return "the address must not carry a name or password" }
    guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return "the address holds a character that must be escaped"
    }
    guard !rest.contains("#") else { return "the address must not carry a fragment" }
    return nil
  }
}
