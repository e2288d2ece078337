internal import CivilTime
import Foundations

/// The valid bearer tokens and their expiry.
struct TokenBook {
  private let seed: UInt64
  private let lifetimeSeconds: Int64?
  private var ends: [String: Instant] = [:]
  private var issued: UInt64 = 0

  init(seed: UInt64, lifetimeSeconds: Int64?) {
    self.seed = seed
    self.lifetimeSeconds = lifetimeSeconds
  }

  /// Makes `token` valid from `now` on.
  mutating func accept(_ token: String, now: Instant) {
    ends = ends.filter { now < $0.value }
    // Stores the header's whole value, since that is what is compared.
    ends["Bearer \(token)"] = lifetimeSeconds.map { now.adding(seconds: $0) } ?? .latest
  }

  /// Issues a new token, valid from `now` on.
  mutating func issue(now: Instant) -> String {
    issued += 1
    var random = SplitMix64(seed: seed, issued)
    let token = "sandbox-\(String(random.next(), radix: 36))"
    accept(token, now: now)
    return token
  }

  /// Invalidates every token.
  mutating func revokeAll() { ends = [:] }

  /// Returns whether an `Authorization` header has a valid token.
  func allows(_ header: String?, now: Instant) -> Bool {
    guard let header, let end = ends[header] else { return false }
    return now < end
  }
}
