package import Failures
package import Foundations
internal import Scheduling
internal import StrictJSON

/// The credentials file: JSON lines `{"user","token"}` or `{"user","email","password"}`, mode 0600.
package enum CredentialFile {
  /// The maximum size of the file.
  private static let limitBytes = 256 << 20

  /// Reads the file at `path`; refuses one that others than its owner may read. Blocks: for start-up and reload.
  package static func read(
    path: String, in files: any FileSystem = PosixFileSystem()
  ) throws(CredentialError) -> [String: Credential] {
    let bytes = try contents(path: path, files)
    var credentials: [String: Credential] = [:]
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated()
    where !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
      let (user, credential) = try parse(Array(line), path: path, number: index + 1)
      if credentials.updateValue(credential, forKey: user) != nil {
        throw CredentialError(
          path: path, line: index + 1, what: "this user has two lines; keep one")
      }
    }
    return credentials
  }

  private static func parse(
    _ line: [UInt8], path: String, number: Int
  ) throws(CredentialError) -> (String, Credential) {
    func error(_ what: String) -> CredentialError {
      CredentialError(path: path, line: number, what: what)
    }
    guard let members = (try? JSONNode.parse(line))?.members else {
      throw error(
        "not a JSON object; write {\"user\", \"token\"} or {\"user\", \"email\", \"password\"}")
    }
    var texts: [String: String] = [:]
    for member in members {
      guard ["user", "token", "email", "password"].contains(member.key) else {
        throw error("unknown key; only user, token, email and password are allowed")
      }
      guard let text = member.value.string, !text.isEmpty else {
        throw error("\(member.key) must be a non-empty text")
      }
      texts[member.key] = text
    }
    guard let user = texts["user"], UserID.isValid(user) else {
      throw error("user must be 1 to 64 characters of A-Z a-z 0-9 _ . -")
    }
    switch (texts["token"], texts["email"], texts["password"]) {
    case (let token?, nil, nil): return (user, .token(Secret(token)))
    case (nil, let email?, let password?):
      return (user, .login(email: Secret(email), password: Secret(password)))
    default: throw error("give either token, or email and password")
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
  /// What is wrong and what to do.
  package let what: String

  /// Place and cause on one line.
  package var description: String {
    line.map { "\(path), line \($0): \(what)" } ?? "\(path): \(what)"
  }
}

extension CredentialError: FailureConvertible {
  /// A configuration mistake.
  package var failure: Failure { Failure(.configuration, description) }
}
