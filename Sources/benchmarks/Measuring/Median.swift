extension [Double] {
  /// The value in the middle, the mean of the two there when they are even in number; 0 of none.
  var median: Double {
    let ordered = sorted()
    guard let last = ordered.last else { return 0 }
    let middle = ordered.count / 2
    if ordered.count % 2 == 1 { return ordered[middle] }
    return ordered.count > 1 ? (ordered[middle - 1] + ordered[middle]) / 2 : last
  }
}
