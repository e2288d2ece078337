extension [Double] {
  /// The middle value, or the mean of the two middle ones; 0 without values.
  var median: Double {
    let ordered = sorted()
    guard let last = ordered.last else { return 0 }
    let middle = ordered.count / 2
    if ordered.count % 2 == 1 { return ordered[middle] }
    return ordered.count > 1 ? (ordered[middle - 1] + ordered[middle]) / 2 : last
  }
}
