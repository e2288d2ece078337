import CivilTime
import Evidence
import Scheduling

/// Whether the API tells anything of anybody, from what visits have seen. Pure: the caller brings the time.
struct APIHealth: Sendable {
  /// Visits in a row that saw nothing after which the API counts as not answering, however soon.
  private static let visitLimit = 20
  /// So many refusals in a row are no matter of a single user's credentials.
  private static let refusalLimit = 3

  /// The interval between looks at an active user.
  private let intervalSeconds: Int64
  /// When the first of the visits in a row began that saw nothing; nil while the last one saw something.
  private(set) var blindSince: Instant?
  private var visits = 0
  private var causes: Set<FailureCause> = []

  init(intervalSeconds: Int64) { self.intervalSeconds = intervalSeconds }

  /// Notes a visit at `now`.
  mutating func note(_ round: Poller.Round, at now: Instant) {
    guard round.looks > 0 else { return }
    // Nobody was asked: that we were stopped says nothing of the API.
    let cancelled = round.failures[.cancelled] ?? 0
    guard cancelled < round.looks else { return }
    if round.failures.values.reduce(0, +) < round.looks {
      self = APIHealth(intervalSeconds: intervalSeconds)
      return
    }
    // Not later than now: the clock may have been set back.
    blindSince = min(blindSince ?? now, now)
    visits += 1
    causes.formUnion(round.failures.keys)
  }

  /// Why nothing is seen of anybody, where `users` are looked at; nil when something is, or it is too early to tell.
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
    let names = causes.map(\.rawValue).sorted().joined(separator: ", ")
    return "the API has not answered anybody since \(blindSince) (\(names))"
  }
}
