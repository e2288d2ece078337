import Described
import NotificationRelay
public import StrictJSON

/// The shapes of events.
public enum EventShapes {
  /// The shapes of `data` by the events' types, without what all types begin and end with.
  public static let types =
    EventData.shapes + [([EventFilter.accountType], AccountEvents.data.shape)] + Troubles.shapes

  /// The shape of any event.
  public static let all = JSONShape.either(
    types.flatMap { types, data in types.map { event(of: $0, data) } })

  private static func event(of type: String, _ data: JSONShape) -> JSONShape {
    .object([
      .init("specversion", .word("1.0")),
      .init("id", .text(.text), help: "the same on every attempt"),
      .init("source", .text(.text), help: "the ledger's id as a URN"),
      .init("type", .word("com.cheer-supports.\(type).v1")),
      .init("subject", .text(.text), isOptional: true, help: "the user"),
      .init("time", .text(.instant), help: "when the record was made"),
      .init("datacontenttype", .word("application/json")),
      .init("dataschema", .text(.text)),
      .init("ledgerhead", .text(.text), isOptional: true, help: "SEQ:HASH, on closes"),
      .init("data", data),
    ])
  }
}
