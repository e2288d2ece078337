public import Failures

/// The address under which the API's routes lie, as `https://api.cheer-supports.com/api/v1`.
public struct BaseURL: Sendable, Hashable, CustomStringConvertible {
  /// The address without a slash at its end.
  public let description: String

  /// Checks `text`: `http` or `https`, a host, no user, query or fragment.
  public init(_ text: String) throws(BaseURLError) {
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

/// Why a text is no base URL; never repeats it, since it might hold a password.
public struct BaseURLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let what: String

  /// The cause, on one line.
  public var description: String { "the base URL \(what)" }
}

extension BaseURLError: FailureConvertible {
  /// A mistake of the configuration.
  public var failure: Failure { Failure(.configuration, description, place: "api.baseURL") }
}
