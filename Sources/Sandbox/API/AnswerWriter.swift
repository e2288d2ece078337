internal import CivilTime
internal import Evidence
internal import HTTPServer
internal import StrictJSON

/// Writes the answers of the routes that report activities.
struct AnswerWriter {
  let style: AnswerStyle
  let apiOffsetSeconds: Int32

  /// Returns the answer of `route` with `activities`, which are in order of their beginnings: only the last, or all of them.
  func answer(
    _ route: ServedRoute, telling activities: some BidirectionalCollection<Activity>
  )
    -> ServerResponse
  {
    guard let last = activities.last, let form = route.activities else { return nothing(on: route) }
    var json = JSONWriter()
    if form.isList {
      json.beginArray()
      if style.isNewestFirst {
        for activity in activities.reversed() { write(activity, form, to: &json) }
      } else {
        for activity in activities { write(activity, form, to: &json) }
      }
      json.endArray()
    } else {
      write(last, form, to: &json)
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
    guard let form = route.activities, !form.isList else { return "[]" }
    let names = form.numbers.map(\.name) + [form.start] + (form.end.map { [$0] } ?? [])
    return "{\(names.map { "\"\($0)\":null" }.joined(separator: ","))}"
  }

  private func write(
    _ activity: Activity, _ form: ServedRoute.Activities, to json: inout JSONWriter
  ) {
    json.beginObject()
    if style.hasUnknownFields {
      json.member("status", "1")
      json.object("meta") { meta in
        meta.member("tags", ["a", "ü \"b\"", ""])
        meta.member("created_at", nil)
      }
    }
    for number in form.numbers {
      write(number.name, activity.from.seconds % number.limit, to: &json)
    }
    write(form.start, activity.from, to: &json)
    if let end = form.end { write(end, activity.isOpen ? nil : activity.to, to: &json) }
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
