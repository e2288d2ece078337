package import CivilTime
package import Evidence
internal import StrictJSON

/// Reads the answers of routes that report activities, such as 603, 604 and 605: strict in what counts, lenient in what is
/// read.
///
/// An empty body, `null`, `{}` and `[]` mean "nothing yet". Fields may be null or missing; unknown ones are skipped. An answer
/// that is not JSON, is nested deeper than 32 levels or has another shape than the route's is bad; an entry that is not credible
/// is refused with a reason, and the others stand.
package enum RouteReader {
  /// Returns the content of `body`; timestamps without an offset are read in `naiveZone`.
  ///
  /// Whether an instant is in the future is not judged here.
  package static func read(_ route: Source, body: [UInt8], naiveZone: Zone) -> Look.Outcome {
    guard let kind = route.polledKind, case .activities(let fields)? = route.endpoint?.content
    else { return .failed(.badAnswer) }
    return AnswerBody.outcome(of: body, empty: .answered([], refused: [])) {
      (reader) throws(JSONError) in
      try Self.read(route, kind, fields, from: &reader, naiveZone: naiveZone)
    }
  }

  private static func read(
    _ route: Source, _ kind: ActivityKind, _ fields: Endpoint.ActivityFields,
    from reader: inout JSONReader, naiveZone: Zone
  ) throws(JSONError) -> Look.Outcome {
    let isList = route.extent == .all
    var activities: [Activity] = []
    var refusals = Refusals()
    switch try reader.peek() {
    case .null: try reader.skipValue()
    case .object:
      let start = reader.offset
      let entry = try ReportedEntry(kind, in: fields, from: &reader, naiveZone: naiveZone)
      if isList {
        // The route answers with a list; the only meaningful object is the empty one.
        if !isEmptyObject(reader.slice(start..<reader.offset)) { return .failed(.badAnswer) }
      } else if let flaw = entry.flaw {
        refusals.add(flaw)
      } else if let activity = entry.activity {
        activities.append(activity)
      }
    case .array:
      var index = 0
      try reader.readArray { (reader) throws(JSONError) in
        guard isList else {
          throw reader.error("expected one object, not an array, from route \(route.name)")
        }
        index += 1
        guard try reader.peek() == .object else {
          try reader.skipValue()
          return refusals.add("entry \(index): not an object")
        }
        let entry = try ReportedEntry(kind, in: fields, from: &reader, naiveZone: naiveZone)
        if let flaw = entry.flaw {
          refusals.add("entry \(index): \(flaw)")
        } else if let activity = entry.activity {
          activities.append(activity)
        } else {
          refusals.add("entry \(index): neither start nor end")
        }
      }
    case .string, .number, .bool: throw reader.error("expected an object or an array")
    }
    return .answered(activities, refused: refusals.reasons)
  }

  private static func isEmptyObject(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    !bytes.contains(UInt8(ascii: "\""))
  }
}

/// The reasons why entries of one answer were refused; a hostile answer may have half a million.
struct Refusals {
  /// The maximum number of reasons listed for one answer.
  private static let limit = 20
  private var first: [String] = []
  private var count = 0

  /// Adds a reason, which is not even built once the limit is reached.
  mutating func add(_ reason: @autoclosure () -> String) {
    count += 1
    if count <= Self.limit { first.append(reason()) }
  }

  /// The first reasons, and how many more there were.
  var reasons: [String] {
    count > Self.limit ? first + ["and \(count - Self.limit) more"] : first
  }
}
