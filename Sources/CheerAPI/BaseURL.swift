package import Failures

/// The base address of the API's routes, such as `https://api.cheer-supports.com/api/v1`.
package struct BaseURL: Sendable, Hashable, CustomStringConvertible {
  /// The address without a trailing slash.
  package let description: String

  /// Parses `text`, which needs `http` or `https` and a host, but no user, query or fragment.
  package init(_ text: String) throws(BaseURLError) {
    let schemes = ["https://", "http://"]
    guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }) else {
      throw BaseURLError(what: "must begin with https:// or http://")
    }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw BaseURLError(what: "must be plain ASCII without spaces")
    }
    let rest = text.dropFirst(scheme.count)
    guard let first = rest.first, first != "/" else { throw BaseURLError(what: "names no host") }
    guard !rest.contains(where: { "@?#\\".contains($0) }) else {
      throw BaseURLError(what: "must have no user, query or fragment")
    }
    var trimmed = text
    while trimmed.hasSuffix("/") { trimmed.removeLast() }
    description = trimmed
  }
}

/// Why a text is not a base URL; never repeats it, since it might contain a password.
package struct BaseURLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  package let what: String

  /// The cause on one line.
  package var description: String { "the base URL \(what)" }
}

extension BaseURLError: FailureConvertible {
  /// A configuration mistake.
  package var failure: Failure { Failure(.configuration, description, place: "api.baseURL") }
}
