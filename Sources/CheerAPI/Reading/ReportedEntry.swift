internal import CivilTime
internal import Evidence
internal import StrictJSON

/// One object of an answer being read: only its relevant fields.
struct ReportedEntry {
  private var from = InstantField.absent
  private var to = InstantField.absent
  private var seen: (from: Bool, to: Bool, presence: Bool) = (false, false, false)
  private var isPresent = false
  private var isRepeated = false

  /// The meaning of an entry.
  enum Meaning {
    /// All relevant fields are empty.
    case nothing
    case activity(Activity)
    /// It is not credible, with the reason.
    case refused(String)
  }

  /// Reads the next object of an answer, an activity of `kind`; throws if it is not an object or not JSON.
  static func read(
    _ kind: ActivityKind, in fields: Endpoint.ActivityFields, from reader: inout JSONReader,
    naiveZone: Zone
  ) throws(JSONError) -> Meaning {
    var entry = ReportedEntry()
    try reader.readObject { (reader, key) throws(JSONError) in
      if fields.start ~= key {
        entry.note(\.from)
        entry.from = try InstantField.read(from: &reader, naiveZone: naiveZone)
      } else if let end = fields.end, end ~= key {
        entry.note(\.to)
        entry.to = try InstantField.read(from: &reader, naiveZone: naiveZone)
      } else {
        if let presence = fields.presence, presence ~= key {
          entry.note(\.presence)
          entry.isPresent = try reader.peek() != .null
        }
        try reader.skipValue()
      }
    }
    return entry.meaning(kind, lasts: fields.end != nil)
  }

  /// Records that a field was read; if it occurs twice, it is unclear which value counts.
  private mutating func note(_ field: WritableKeyPath<(from: Bool, to: Bool, presence: Bool), Bool>)
  {
    if seen[keyPath: field] { isRepeated = true }
    seen[keyPath: field] = true
  }

  private func meaning(_ kind: ActivityKind, lasts: Bool) -> Meaning {
    if isRepeated { return .refused("a field appears twice") }
    if let flaw = from.flaw { return .refused("the start \(flaw)") }
    if let flaw = to.flaw { return .refused("the end \(flaw)") }
    guard let start = from.instant else {
      if to.instant != nil { return .refused("an end without a start") }
      return isPresent ? .refused("a \(kind.name) without its time") : .nothing
    }
    if !lasts { return .activity(Activity(kind: kind, from: start, to: start)) }
    if let end = to.instant, end < start { return .refused("the end comes before the start") }
    return .activity(
      Activity(
        kind: kind, from: start, to: to.instant ?? start, isOpen: to.instant == nil))
  }
}
