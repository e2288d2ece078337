internal import CivilTime
import SeededRandom

/// The bearer tokens that are good, and until when.
struct TokenBook {
  private let seed: UInt64
  private let lifetimeSeconds: Int64?
  private var ends: [String: Instant] = [:]
  private var issued: UInt64 = 0

  init(seed: UInt64, lifetimeSeconds: Int64?) {
    self.seed = seed
    self.lifetimeSeconds = lifetimeSeconds
  }

  /// Makes `token` good from `now` on.
  mutating func accept(_ token: String, now: Instant) {
    ends = ends.filter { now < $0.value }
    // Kept as the header's whole value, which is what has to be compared.
    ends["Bearer \(token)"] = lifetimeSeconds.map { now.adding(seconds: $0) } ?? .latest
  }

  /// A new token, good from `now` on.
  mutating func issue(now: Instant) -> String {
    issued += 1
    var random = SplitMix64(seed: seed, issued)
    let token = "sandbox-\(String(random.next(), radix: 36))"
    accept(token, now: now)
    return token
  }

  /// Makes every token bad.
  mutating func revokeAll() { ends = [:] }

  /// Whether an `Authorization` header carries a good token.
  func allows(_ header: String?, now: Instant) -> Bool {
    guard let header, let end = ends[header] else { return false }
    return now < end
  }
}
