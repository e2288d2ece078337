package import Failures

/// A person's reason, for the record.
package enum Reason {
  /// The longest reason that fits into a ledger line with the other texts.
  private static let limitBytes = 4_096

  /// Returns `reason`; throws ``Failures/ExitCode/usage`` when it is blank, too long or contains control characters.
  package static func check(_ reason: String) throws(Failure) -> String {
    guard reason.contains(where: { !$0.isWhitespace }) else {
      throw Failure(.usage, "a reason must say something", place: "--reason")
    }
    // A line break could look like a row of a table.
    guard reason.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw Failure(
        .usage, "a reason must be one line without control characters", place: "--reason")
    }
    guard reason.utf8.count <= limitBytes else {
      throw Failure(.usage, "a reason may have at most \(limitBytes) bytes", place: "--reason")
    }
    return reason
  }
}
