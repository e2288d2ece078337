/// Suggests the intended name for one that does not exist.
public enum NearestName {
  /// Returns `; did you mean "x"?` for the closest of `names` within a third of the length, or an empty text.
  public static func hint(for name: String, among names: some Sequence<String>) -> String {
    guard let best = find(name, among: names) else { return "" }
    return "; did you mean \"\(best)\"?"
  }

  /// Returns the closest of `names` by edit distance, ignoring case; nil if none is close.
  public static func find(_ name: String, among names: some Sequence<String>) -> String? {
    var best: (name: String, distance: Int)?
    for candidate in names {
      let distance = editDistance(Array(name.lowercased().utf8), Array(candidate.lowercased().utf8))
      if distance <= max(1, candidate.utf8.count / 3), distance < best?.distance ?? .max {
        best = (candidate, distance)
      }
    }
    return best?.name
  }

  private static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    // The distances of the two rows above; two neighbours that changed places are one mistake.
    var (before, previous): ([Int], [Int]) = ([], Array(0...right.count))
    for (row, byte) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var least = min(
          previous[column + 1] + 1, current[column] + 1,
          previous[column] + (byte == other ? 0 : 1))
        if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
          least = min(least, before[column - 1] + 1)
        }
        current.append(least)
      }
      (before, previous) = (previous, current)
    }
    return previous[right.count]
  }
}
