import Described
package import NotificationRelay
package import StrictJSON

/// The shapes of events.
package enum EventShapes {
  /// The shapes of `data` by the events' types, without what all types begin and end with.
  package static let types =
    EventData.shapes + [([.accountChanged], AccountEvents.data.shape)] + Troubles.shapes

  /// The shape of any event.
  package static let all = JSONShape.either(
    types.flatMap { types, data in types.map { event(of: $0, data) } })

  private static func event(of type: EventType, _ data: JSONShape) -> JSONShape {
    .object(
      CloudEvent.members.fields.map { field in
        switch field.name {
        case "type": .init(field.name, .word(type.fullName))
        case "data": .init(field.name, data)
        default: field
        }
      })
  }
}
