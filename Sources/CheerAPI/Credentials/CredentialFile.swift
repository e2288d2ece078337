package import Failures
package import Foundations
internal import Scheduling
package import StrictJSON

/// The credentials file: JSON lines `{"user","token"}` or `{"user","email","password"}`, mode 0600. Empty lines and lines that begin
/// with `//` are skipped.
package enum CredentialFile {
  /// The shape of a line.
  package static let shape = JSONShape.either([
    .object([user, .init("token", .text(.text))]),
    .object([user, .init("email", .text(.text)), .init("password", .text(.text))]),
  ])

  /// The two forms of a line, with words in place of the secrets.
  package static let examples = [
    #"{"user": "4711", "token": "TOKEN"}"#,
    #"{"user": "4712", "email": "EMAIL", "password": "PASSWORD"}"#,
  ]

  private static let user = JSONShape.Field("user", .either([.text(.text), .integer(nil)]))
  /// The maximum size of the file.
  private static let limitBytes = 256 << 20

  /// Reads the file at `path`; refuses one that others than its owner may read. Blocks: for start-up and reload.
  package static func read(
    path: String, in files: any FileSystem = PosixFileSystem()
  ) throws(CredentialError) -> [String: Credential] {
    let bytes = try contents(path: path, files)
    var credentials: [String: Credential] = [:]
    var places: [String: Int] = [:]
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      if text.isEmpty || text.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) { continue }
      let (user, credential) = try parse(Array(line), path: path, number: index + 1)
      if let first = places.updateValue(index + 1, forKey: user) {
        throw CredentialError(
          path: path, line: index + 1, what: "this user is on line \(first) already; keep one line")
      }
      credentials[user] = credential
    }
    return credentials
  }

  /// Returns the file and, if there is one, the line of a user's credential.
  package static func place(
    of user: String, path: String, in files: any FileSystem = PosixFileSystem()
  ) -> String {
    let lines = (try? contents(path: path, files))?.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let index = lines?.firstIndex {
      (try? parse(Array($0), path: path, number: 0).0) == user
    }
    return index.map { "\(path), line \($0 + 1)" } ?? path
  }

  private static func parse(
    _ line: [UInt8], path: String, number: Int
  ) throws(CredentialError) -> (String, Credential) {
    // Names no key and no value: a secret may stand in the place of either.
    func error(_ what: String) -> CredentialError {
      CredentialError(path: path, line: number, what: what)
    }
    let node: JSONNode
    do throws(JSONError) { node = try JSONNode.parse(line) } catch {
      throw CredentialError(
        path: path, line: number,
        what: "expected one JSON object; byte \(error.offset + 1) cannot be read")
    }
    guard let members = node.members else { throw error("expected one JSON object") }
    var texts: [String: String] = [:]
    for member in members {
      guard ["user", "token", "email", "password"].contains(member.key) else {
        throw error("unknown key; expected user, token, email or password")
      }
      let number = member.key == "user" ? member.value.int.map(String.init) : nil
      guard let text = member.value.string ?? number, !text.isEmpty else {
        throw error("expected a non-empty text as \"\(member.key)\"")
      }
      texts[member.key] = text
    }
    guard let user = texts["user"], UserID.isValid(user) else {
      throw error("expected \"user\" with 1 to 64 characters of A-Z a-z 0-9 _ . -")
    }
    switch (texts["token"], texts["email"], texts["password"]) {
    case (let token?, nil, nil): return (user, .token(Secret(token)))
    case (nil, let email?, let password?):
      return (user, .login(email: Secret(email), password: Secret(password)))
    default: throw error("expected either \"token\", or \"email\" and \"password\"")
    }
  }

  private static func contents(
    path: String, _ files: any FileSystem
  ) throws(CredentialError) -> [UInt8] {
    do throws(ReadError) {
      return try files.readInput(path, limitBytes: limitBytes, isSecret: true)
    } catch {
      throw CredentialError(path: path, line: nil, what: error.what)
    }
  }
}

/// Why a credentials file cannot be used. Never repeats its content.
package struct CredentialError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file.
  package let path: String
  /// The line, from 1; nil if the whole file is meant.
  package let line: Int?
  /// What is wrong.
  package let what: String

  /// Place, cause and, for a line, how to write it.
  package var description: String {
    line == nil ? "\(path): \(what)" : "\(place): \(what). \(Self.remedy)"
  }

  private var place: String { line.map { "\(path), line \($0)" } ?? path }
  private static let remedy =
    "Write one user a line: \(CredentialFile.examples.joined(separator: " or "))"
}

extension CredentialError: FailureConvertible {
  /// A configuration mistake.
  package var failure: Failure {
    Failure(.configuration, what, place: place, remedy: line.map { _ in Self.remedy })
  }
}
