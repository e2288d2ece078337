/// The reasons for which entries of one answer were refused, of which a hostile answer may have half a million.
struct Refusals {
  private let limit: Int
  private var first: [String] = []
  private var count = 0

  /// No reasons yet; at most `limit` will be spelled out.
  init(limit: Int) { self.limit = limit }

  /// Adds a reason; it is not even built once the limit is reached.
  mutating func add(_ reason: @autoclosure () -> String) {
    count += 1
    if count <= limit { first.append(reason()) }
  }

  /// The first reasons, and how many more there were.
  var reasons: [String] {
    count > limit ? first + ["and \(count - limit) more"] : first
  }
}
