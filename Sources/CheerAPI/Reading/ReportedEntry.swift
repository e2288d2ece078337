internal import CivilTime
internal import Evidence
internal import StrictJSON

/// One object of an answer being read: only its relevant fields.
struct ReportedEntry {
  private var from = InstantField.absent
  private var to = InstantField.absent
  private var seen: (from: Bool, to: Bool, gift: Bool) = (false, false, false)
  private var hasGift = false
  private var isRepeated = false

  /// The meaning of an entry.
  enum Meaning {
    /// All relevant fields are empty.
    case nothing
    case activity(Activity)
    /// It is not credible, with the reason.
    case refused(String)
  }

  /// Reads the next object of an answer of `route`; throws if it is not an object or not JSON.
  static func read(
    _ route: Source, from reader: inout JSONReader, naiveZone: Zone
  ) throws(JSONError) -> Meaning {
    var entry = ReportedEntry()
    try reader.readObject { (reader, key) throws(JSONError) in
      switch (route, key) {
      case (.lastStream, "live_start_at"), (.watchedStreams, "subscribe_start_at"),
        (.lastGift, "created_at"):
        entry.note(\.from)
        entry.from = try InstantField.read(from: &reader, naiveZone: naiveZone)
      case (.lastStream, "live_end_at"), (.watchedStreams, "subscribe_end_at"):
        entry.note(\.to)
        entry.to = try InstantField.read(from: &reader, naiveZone: naiveZone)
      case (.lastGift, "gift_id"):
        entry.note(\.gift)
        entry.hasGift = try reader.peek() != .null
        try reader.skipValue()
      default: try reader.skipValue()
      }
    }
    return entry.meaning(route)
  }

  /// Records that a field was read; if it occurs twice, it is unclear which value counts.
  private mutating func note(_ field: WritableKeyPath<(from: Bool, to: Bool, gift: Bool), Bool>) {
    if seen[keyPath: field] { isRepeated = true }
    seen[keyPath: field] = true
  }

  private func meaning(_ route: Source) -> Meaning {
    if isRepeated { return .refused("a field stands there twice") }
    if let flaw = from.flaw { return .refused("the start \(flaw)") }
    if let flaw = to.flaw { return .refused("the end \(flaw)") }
    guard let start = from.instant else {
      if to.instant != nil { return .refused("an end without a start") }
      return hasGift ? .refused("a gift without its instant") : .nothing
    }
    guard let kind = route.polledKind else { return .nothing }
    if route == .lastGift { return .activity(Activity(kind: kind, from: start, to: start)) }
    if let end = to.instant, end < start { return .refused("the end comes before the start") }
    return .activity(
      Activity(
        kind: kind, from: start, to: to.instant ?? start, isOpen: to.instant == nil))
  }
}
