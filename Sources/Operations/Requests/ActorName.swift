package import Configuration
package import Failures

/// The actor's name in records.
package enum ActorName {
  private static let limitBytes = 64

  /// Returns the account, preceded by the given name if there is one, as in `alice (account deploy)`.
  ///
  /// Throws ``Failures/ExitCode/usage`` when the name is not allowed in a record, or is missing although the configuration
  /// requires one.
  package static func text(
    _ name: String?, _ account: String, _ configuration: Configuration
  ) throws(Failure) -> String {
    guard let name else {
      guard !configuration.requiresActor else {
        throw Failure(
          .usage, "--actor NAME is missing",
          remedy: "The configuration says \"requireActor\": true.")
      }
      return account
    }
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || " ._-@+".unicodeScalars.contains(scalar)
    }
    guard isPlain, name.contains(where: { !$0.isWhitespace }), name.utf8.count <= limitBytes else {
      throw Failure(
        .usage, "a name must be 1 to \(limitBytes) bytes of letters, digits and . _ - @ +",
        place: "--actor")
    }
    return "\(name) (account \(account))"
  }
}
