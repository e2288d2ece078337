package import HTTPClient

/// A webhook's URL, and the network addresses that its host may resolve to.
package struct WebhookAddress: Sendable, Equatable {
  /// The URL.
  package let url: String
  /// The addresses that its host may resolve to.
  package let rule: AddressRule

  /// Parses `url`, which must be HTTPS unless it names this machine; returns the address or what is wrong.
  ///
  /// The host must be public, this machine itself if the URL names it, or private if that is allowed.
  package static func parse(_ url: String, allowsPrivate: Bool) -> Result<WebhookAddress, Flaw> {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard let host = host(of: url), ["http", "https"].contains(scheme) else {
      return .failure(Flaw(description: "expected an address that begins with https://"))
    }
    if isThisMachine(host) { return .success(WebhookAddress(url: url, rule: .loopback)) }
    guard scheme == "https" else {
      return .failure(
        Flaw(description: "must begin with https://; http:// is only for this machine"))
    }
    return .success(WebhookAddress(url: url, rule: allowsPrivate ? .publicOrPrivate : .public))
  }

  /// Why a URL cannot be a webhook's.
  package struct Flaw: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what is expected.
    package let description: String
  }

  private static func isThisMachine(_ host: Substring) -> Bool {
    let host = host.lowercased()
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func host(of url: String) -> Substring? {
    guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return nil }
    let rest = url[url.index(colon, offsetBy: 3)...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      return authority[...end]
    }
    let host = authority.prefix { $0 != ":" }
    return host.isEmpty || authority.contains("@") ? nil : host
  }
}
