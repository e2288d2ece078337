package import CivilTime
package import Described

/// One event in CloudEvents 1.0, structured JSON: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md
package struct CloudEvent: Sendable, Equatable {
  /// The id, the same on every attempt: the key of a grant, otherwise `LEDGER/SEQ`.
  package let id: String
  /// The ledger's id as a URN.
  package let source: String
  /// The event's type.
  package let type: EventType
  /// The user; nil for events of a whole zone.
  package let subject: String?
  /// When the record was made.
  package let time: Instant
  /// The event's fields as a JSON object.
  package let data: String
  /// `SEQ:HASH` of the ledger's head, on closes only.
  package let ledgerHead: String?
  /// When sending the event becomes pointless, as with a warning of something that has already happened. Not sent to receivers.
  package var pointlessFrom: Instant?

  package init(
    id: String, source: String, type: EventType, subject: String?, time: Instant, data: String,
    ledgerHead: String? = nil
  ) {
    self.id = id
    self.source = source
    self.type = type
    self.subject = subject
    self.time = time
    self.data = data
    self.ledgerHead = ledgerHead
  }

  /// The event as one JSON object without line breaks.
  package var json: String { Self.members.text(of: self) }

  /// The members of an event, in order.
  package static let members = JSONMembers<CloudEvent> {
    $0.word("specversion", among: ["1.0"]) { _ in "1.0" }
    $0.add("id", \.id, "the same on every attempt")
    $0.add("source", \.source, "the ledger's id as a URN")
    $0.add("type", \.type.fullName)
    $0.optional("subject", \.subject, "the user")
    $0.add("time", \.time, "when the record was made")
    $0.word("datacontenttype", among: ["application/json"]) { _ in "application/json" }
    $0.add("dataschema") { "urn:cheer-supports:schema:\($0.type.fullName)" }
    $0.optional("ledgerhead", \.ledgerHead, "SEQ:HASH, on closes")
    $0.add("data") { JSONText(text: $0.data) }
  }
}
