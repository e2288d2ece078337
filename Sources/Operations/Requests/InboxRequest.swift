package import Described
import LedgerStore
import Scheduling

/// Submits activity lines: `rewards ingest`.
package struct InboxRequest: Request {
  /// `ingest`.
  package static let name = "ingest"

  /// Whether these lines complete the inbox after a backup was restored.
  package let completesInbox: Bool
  /// The ids of other people's credit requests to approve.
  package let approving: [String]
  private let actor: String?
  /// The lines.
  package var input: [UInt8]

  /// Creates a submission of the lines in `input`.
  package init(_ input: [UInt8], completesInbox: Bool, approving: [String], actor: String?) {
    self.input = input
    self.completesInbox = completesInbox
    self.approving = approving
    self.actor = actor
  }

  /// Takes in the lines and everything else that waits.
  package func perform(at place: Place) async throws -> Ingestion.Report {
    var sender = InboxIntake.Sender(
      place.runtime.inbox.source, actor: place.account, approved: Set(approving))
    if !approving.isEmpty || actor != nil { sender.actor = try place.actor(actor) }
    // Never the sender's word: a name leads to a file.
    return try await Ingestion(place.runtime).run(
      input, name: Ingestion.fileName(at: place.runtime.clock.now()), from: sender,
      completes: completesInbox)
  }
}

extension InboxRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    completesInbox = try coder.field("afterRestore", value?.pointee.completesInbox)
    approving = try coder.field("approving", value?.pointee.approving)
    actor = try coder.optional("actor", value?.pointee.actor)
    input = []
  }
}
