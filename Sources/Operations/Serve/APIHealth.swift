import CivilTime
import Evidence
import Scheduling

/// Whether the API answers at all, judged from recent visits. Pure: the caller supplies the time.
struct APIHealth: Sendable {
  /// The number of consecutive failed visits after which the API counts as down, however quickly they came.
  private static let visitLimit = 20
  /// The number of consecutive refusals that a single user's credentials cannot explain.
  private static let refusalLimit = 3

  /// The interval between polls of an active user.
  private let intervalSeconds: Int64
  /// When the first of the consecutive failed visits began; nil if the last visit succeeded.
  private(set) var blindSince: Instant?
  private var visits = 0
  private var causes: Set<FailureCause> = []

  init(intervalSeconds: Int64) { self.intervalSeconds = intervalSeconds }

  /// Notes a visit at `now`.
  mutating func note(_ round: Poller.Round, at now: Instant) {
    guard round.looks > 0 else { return }
    // Cancelled polls sent no request, so they prove nothing about the API.
    let cancelled = round.failures[.cancelled] ?? 0
    guard cancelled < round.looks else { return }
    if round.failures.values.reduce(0, +) < round.looks {
      self = APIHealth(intervalSeconds: intervalSeconds)
      return
    }
    // No later than now, because the clock may have been set back.
    blindSince = min(blindSince ?? now, now)
    visits += 1
    causes.formUnion(round.failures.keys)
  }

  /// Returns why no user can be observed, when `users` are polled; nil when some can, or it is too early to tell.
  func reason(at now: Instant, users: Int) -> String? {
    guard let blindSince else { return nil }
    if causes.isSubset(of: [.unauthorized, .forbidden]) {
      return visits >= min(Self.refusalLimit, users) ? "the API refuses the credentials" : nil
    }
    if causes == [.userUnknown] {
      return visits >= min(Self.visitLimit, users) ? "the API knows none of the users" : nil
    }
    let isLong = now.seconds(since: blindSince) >= 2 * intervalSeconds
    guard visits >= Self.visitLimit || isLong else { return nil }
    // A poll that was held back says nothing of its own.
    let named = causes.subtracting([.circuitOpen])
    let reasons = (named.isEmpty ? causes : named).map(\.reason).sorted().joined(separator: "; ")
    return "the API has answered no poll since \(blindSince): \(reasons)"
  }
}
