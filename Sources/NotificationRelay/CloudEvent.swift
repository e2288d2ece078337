public import CivilTime
import StrictJSON

/// One event in CloudEvents 1.0, structured JSON: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md
public struct CloudEvent: Sendable, Equatable {
  /// The id, the same on every attempt: the key of a grant, otherwise `LEDGER/SEQ`.
  public let id: String
  /// The ledger's id as a URN.
  public let source: String
  /// The event's type, versioned.
  public let type: String
  /// The user; nil for events of a whole zone.
  public let subject: String?
  /// When the record was made.
  public let time: Instant
  /// The event's fields as a JSON object.
  public let data: String
  /// `SEQ:HASH` of the ledger's head, on closes only.
  public let ledgerHead: String?
  /// When sending the event becomes pointless, as with a warning of something that has already happened. Not sent to receivers.
  public var pointlessFrom: Instant?

  /// Creates an event.
  public init(
    id: String, source: String, type: String, subject: String?, time: Instant, data: String,
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
  public var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("specversion", "1.0")
    writer.member("id", id)
    writer.member("source", source)
    writer.member("type", type)
    if let subject { writer.member("subject", subject) }
    writer.member("time", time.description)
    writer.member("datacontenttype", "application/json")
    writer.member("dataschema", "urn:cheer-supports:schema:\(type)")
    if let ledgerHead { writer.member("ledgerhead", ledgerHead) }
    writer.key("data")
    writer.raw(data)
    writer.endObject()
    return writer.text
  }
}
