internal import CivilTime
internal import Evidence
internal import StrictJSON

/// One object of an answer: its relevant fields, as reported.
struct ReportedEntry {
  private let kind: ActivityKind
  private var from = InstantField.absent
  private var to = InstantField.absent
  private var seen: (from: Bool, to: Bool, presence: Bool) = (false, false, false)
  private var isPresent = false
  private var isRepeated = false

  /// Reads the next object of an answer, an activity of `kind`; throws if it is not an object or not JSON.
  init(
    _ kind: ActivityKind, in fields: Endpoint.ActivityFields, from reader: inout JSONReader,
    naiveZone: Zone
  ) throws(JSONError) {
    self.kind = kind
    try reader.readObject { (reader, key) throws(JSONError) in
      if fields.start ~= key {
        note(\.from)
        from = try InstantField.read(from: &reader, naiveZone: naiveZone)
      } else if let end = fields.end, end ~= key {
        note(\.to)
        to = try InstantField.read(from: &reader, naiveZone: naiveZone)
      } else {
        if let presence = fields.presence, presence ~= key {
          note(\.presence)
          isPresent = try reader.peek() != .null
        }
        try reader.skipValue()
      }
    }
  }

  /// Records that a field was read; if it occurs twice, it is unclear which value counts.
  private mutating func note(_ field: WritableKeyPath<(from: Bool, to: Bool, presence: Bool), Bool>)
  {
    if seen[keyPath: field] { isRepeated = true }
    seen[keyPath: field] = true
  }

  /// Why the entry is not credible; nil if it is.
  var flaw: String? {
    if isRepeated { return "a field appears twice" }
    if let flaw = from.flaw { return "the start \(flaw)" }
    if let flaw = to.flaw { return "the end \(flaw)" }
    guard let start = from.instant else {
      if to.instant != nil { return "an end without a start" }
      return isPresent ? "a \(kind.name) without its time" : nil
    }
    if let end = to.instant, end < start { return "the end comes before the start" }
    return nil
  }

  /// The activity of a credible entry; nil if all relevant fields are empty.
  var activity: Activity? {
    guard let start = from.instant else { return nil }
    let end = to.instant
    return Activity(kind: kind, from: start, to: end ?? start, isOpen: kind.lasts && end == nil)
  }
}
