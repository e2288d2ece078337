internal import CivilTime
internal import Evidence
internal import HTTPServer
internal import StrictJSON

/// Writes the answers of the three routes.
struct AnswerWriter {
  let style: AnswerStyle
  let apiOffsetSeconds: Int32

  /// Returns the answer of `route` with `activities`, which are in order of their beginnings: only the last, or all of them.
  func answer(
    _ route: ServedRoute, telling activities: some BidirectionalCollection<Activity>
  )
    -> ServerResponse
  {
    guard let last = activities.last else { return nothing(on: route) }
    var json = JSONWriter()
    switch route {
    case .watchedStreams:
      json.beginArray()
      if style.isNewestFirst {
        for activity in activities.reversed() { write(activity, of: route, to: &json) }
      } else {
        for activity in activities { write(activity, of: route, to: &json) }
      }
      json.endArray()
    default: write(last, of: route, to: &json)
    }
    return .json(json.bytes)
  }

  /// Returns the answer of `route` when there is nothing.
  func nothing(on route: ServedRoute) -> ServerResponse {
    switch style.nothing {
    case .noContent: ServerResponse(status: 204)
    case .emptyBody: .json([])
    case .null: .json(Array("null".utf8))
    case .emptyObject: .json(Array("{}".utf8))
    case .emptyArray: .json(Array("[]".utf8))
    case .nullFields: .json(Array(Self.nullFields(of: route).utf8))
    }
  }

  private static func nullFields(of route: ServedRoute) -> String {
    switch route {
    case .lastStream: #"{"live_start_at":null,"live_end_at":null}"#
    case .lastGift: #"{"gift_id":null,"userId_recieved_gift":null,"created_at":null}"#
    default: "[]"
    }
  }

  private func write(
    _ activity: Activity, of route: ServedRoute, to json: inout JSONWriter
  ) {
    json.beginObject()
    if style.hasUnknownFields {
      json.member("status", "1")
      json.object("meta") { meta in
        meta.member("tags", ["a", "ü \"b\"", ""])
        meta.member("created_at", nil)
      }
    }
    switch route {
    case .lastGift:
      write("gift_id", activity.from.seconds % 997, to: &json)
      write("userId_recieved_gift", activity.from.seconds % 9_973, to: &json)
      write("created_at", activity.from, to: &json)
    case .watchedStreams:
      write("subscribe_start_at", activity.from, to: &json)
      write("subscribe_end_at", activity.isOpen ? nil : activity.to, to: &json)
    default:
      write("live_start_at", activity.from, to: &json)
      write("live_end_at", activity.isOpen ? nil : activity.to, to: &json)
    }
    json.endObject()
  }

  private func write(_ name: String, _ instant: Instant?, to json: inout JSONWriter) {
    if instant == nil && style.leavesNullsOut { return }
    json.member(name, instant.map { style.time.text(of: $0, apiOffsetSeconds: apiOffsetSeconds) })
  }

  private func write(_ name: String, _ number: Int64, to json: inout JSONWriter) {
    // Unneeded fields may be missing.
    if style.leavesNullsOut && number % 2 == 0 { return }
    if style.numbersAreStrings {
      json.member(name, String(number))
    } else {
      json.member(name, number)
    }
  }
}
