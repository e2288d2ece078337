package import Described
import Failures

/// A use case that changes a ledger, as a value that is the same wherever it comes from.
///
/// Its content is validated where it is performed, because a row of a database may also contain one.
package protocol Request: DescribedObject, Sendable {
  /// The result.
  associatedtype Report: Sendable
  /// The name used between processes.
  static var name: String { get }
  /// Whether it is refused while the clock cannot be right.
  static var needsRightClock: Bool { get }
  /// Whether a service performs it for other accounts, and other machines, which reach the service through the database.
  static var isForOthers: Bool { get }
  /// The bytes of the file that it concerns; they are transferred after the description.
  var input: [UInt8] { get set }
  /// Performs the request; throws ``Failures/Failure`` and the errors of the ledger.
  func perform(at place: Place) async throws -> Report
}

extension Request {
  /// True: most requests take effect at the present.
  package static var needsRightClock: Bool { true }

  /// True: most requests concern only the ledger.
  package static var isForOthers: Bool { true }

  /// Empty: most requests concern no file.
  package var input: [UInt8] {
    get { [] }
    set {}
  }
}

/// The ledger on which a request is performed, and the account that made it.
package struct Place: Sendable {
  /// The ledger that this process holds.
  package let runtime: Runtime
  /// The account that made the request, according to the kernel or the database; never part of what is sent.
  package let account: String
  /// Receives the number of users polled, and the total.
  package let progress: @Sendable (_ done: Int, _ total: Int) -> Void

  package init(
    _ runtime: Runtime, account: String,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) {
    self.runtime = runtime
    self.account = account
    self.progress = progress
  }

  /// Returns the actor for the record; see ``ActorName/text(_:_:_:)``.
  func actor(_ name: String?) throws(Failure) -> String {
    try ActorName.text(name, account, runtime.configuration)
  }
}
