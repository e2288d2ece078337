import Foundation

/// Seeds of random tests: unit tests take some of those for which a law is known to hold.
public enum Seeds {
  private static let takesAll =
    ProcessInfo.processInfo.environment["REWARDS_SEEDS"] == "all"

  /// `count` of `seeds`, evenly spread; all of them with `REWARDS_SEEDS=all`.
  public static func some(_ count: Int, of seeds: Range<Int>) -> [Int] {
    if takesAll { return Array(seeds) }
    return (0..<count).map { seeds.lowerBound + $0 * seeds.count / count }
  }
}
