public import CivilTime

/// What one poll showed, once its answer has been judged.
public struct Observed: Sendable {
  /// The activities that count as evidence, except those of closed days no longer remembered that the route showed just
  /// before.
  public var seen: [Activity] = []
  /// The fingerprints of the closed days' activities in the answer.
  public var decided: [UInt32] = []
  /// What was not believed, in words. Report each.
  public var doubts: [Doubt] = []

  /// A reason not to believe an answer or part of it.
  public enum Doubt: Hashable, Sendable {
    /// An impossible activity: it ends before it starts, or lies more than five minutes ahead of our clock.
    case badEvidence(String)
    /// An answer that contradicts an earlier one, and so proves nothing.
    case lyingAnswer(String)
    /// An activity that has been open for longer than the rules believe.
    case endlessActivity(String)

    /// Whether the doubt makes the whole answer prove nothing.
    fileprivate var isRefusal: Bool {
      if case .endlessActivity = self { false } else { true }
    }
  }

  /// Creates an observation of nothing.
  public init() {}
}

/// The terms by which a poll is weighed.
public struct ObservingTerms: Sendable {
  /// How activities map to days.
  public var policy: ActivityPolicy
  /// How stale an answer may be: what it shows was true at most this many seconds before the poll.
  public var lagSeconds: Int64
  /// How much older than its timestamp a poll may be, because the clock may be wrong.
  public var unsureSeconds: Int64
  /// The first instant from which evidence is still remembered; at most ``boundary``.
  public var remembersFrom: Instant
  /// The end of the last closed day.
  public var boundary: Instant

  /// Creates terms.
  public init(
    policy: ActivityPolicy, lagSeconds: Int64, unsureSeconds: Int64 = 0, remembersFrom: Instant,
    boundary: Instant
  ) {
    self.policy = policy
    self.lagSeconds = lagSeconds
    self.unsureSeconds = unsureSeconds
    self.remembersFrom = remembersFrom
    self.boundary = boundary
  }
}

extension Look {
  /// The start of the newest activity in the answer, leaving out those too far ahead of our clock to believe; nil if
  /// there is none.
  public var newestStart: Instant? {
    guard case .answered(let reported, _) = outcome else { return nil }
    return reported.lazy.map(\.from).filter { !$0.isAhead(of: at) }.max()
  }

  /// Whether the answer shows something too far ahead of our clock.
  public var showsFuture: Bool {
    guard case .answered(let reported, _) = outcome else { return false }
    return reported.contains { $0.lastReported.isAhead(of: at) }
  }
}

extension Instant {
  /// Returns whether it lies more than five minutes ahead of `now`, further than clocks may differ.
  public func isAhead(of now: Instant) -> Bool { self > now.adding(seconds: 300) }
}

extension Activity {
  /// The last instant its source reported: the end or, while open, the start.
  public var lastReported: Instant { isOpen ? from : max(from, to) }
}

extension RouteHistory {
  /// Applies a poll of the history's route: adds what it proves and returns what it shows.
  ///
  /// Leaves ``decided`` as it was. The caller replaces it with the returned one once ``Observed/seen`` is weighed.
  public mutating func observe(
    _ look: Look, by terms: ObservingTerms
  ) -> Observed {
    var observed = Observed()
    guard let kind = look.route.polledKind else { return observed }
    observed.decided = decided
    // The latest instant at which the poll can have been made.
    let made = look.at.adding(seconds: -terms.unsureSeconds)
    switch look.outcome {
    case .failed(let cause):
      appendFailure(cause, at: made)
    // A count is applied by the other `observe`.
    case .counted: break
    case .answered(let reported, let refused):
      looks &+= 1
      defer { newestLook = max(newestLook, made) }
      observed.doubts = refused.map { .badEvidence($0) }
      let credible = reported.filter { activity in
        guard let reason = Self.flaw(of: activity, at: look.at) else { return true }
        observed.doubts.append(.badEvidence(reason))
        return false
      }
      weigh(credible, of: kind, at: made, terms, isWhole: observed.doubts.isEmpty, &observed)
      if observed.doubts.contains(where: \.isRefusal) { appendFailure(.badAnswer, at: made) }
    }
    return observed
  }

  private mutating func appendFailure(_ cause: FailureCause, at instant: Instant) {
    failures.append(Failure(at: instant, cause: cause))
    if failures.count > Self.failureLimit { failures.removeFirst() }
  }

  /// Returns why an activity is impossible; nil if it is not.
  private static func flaw(of activity: Activity, at now: Instant) -> String? {
    if !activity.isOpen, activity.to < activity.from {
      return "ends at \(activity.to), before it starts at \(activity.from)"
    }
    guard activity.lastReported.isAhead(of: now) else { return nil }
    return "\(activity.lastReported) is more than 5 minutes ahead of the clock"
  }

  private mutating func weigh(
    _ reported: [Activity], of kind: ActivityKind, at made: Instant, _ terms: ObservingTerms,
    isWhole: Bool, _ observed: inout Observed
  ) {
    let newest = reported.max { ($0.from, $0.reportedEnd) < ($1.from, $1.reportedEnd) }
    if isWhole, let contradiction = contradiction(of: newest, in: reported, kind) {
      // What the answer shows did happen. But its age is unknown, and so is how long anything lasted.
      add(reported.map(\.begun), by: terms, to: &observed)
      if made >= newestLook {
        observed.doubts.append(.lyingAnswer(contradiction))
        // The route continues without what it lost, so the next answer is compared with this one.
        if let newest, newest.from > latest?.from ?? .earliest { latest = newest }
      }
      // Otherwise a newer answer overtook it: not a contradiction, just no longer of use.
      return
    }
    let fresh = made.adding(seconds: -terms.lagSeconds)
    // What open activities hide from the end of belief until they count as abandoned.
    var hidden: [Coverage.Interval] = []
    var told: [Activity] = []
    told.reserveCapacity(reported.count)
    for activity in reported {
      guard activity.isOpen else {
        told.append(activity)
        continue
      }
      let trusted = terms.policy.trustedEnd(from: activity.from)
      if trusted < fresh {
        let abandoned = terms.policy.abandoned(from: activity.from)
        hidden.append(Coverage.Interval(from: trusted, to: abandoned))
        if abandoned > fresh {
          observed.doubts.append(
            .endlessActivity("a \(kind.name) without an end since \(activity.from)"))
        }
      }
      told.append(
        Activity(
          kind: kind, from: activity.from, to: max(activity.from, min(fresh, trusted)),
          isOpen: true))
    }
    add(told, by: terms, to: &observed)
    if let newest, newest.from >= latest?.from ?? .earliest { latest = newest }
    guard isWhole else { return }
    // A list is complete; the other routes show nothing from before their last activity.
    var known = kind.source.extent == .all ? .earliest : newest?.from ?? .earliest
    for interval in hidden.sorted(by: { $0.from < $1.from }) {
      coverage.cover(from: known, to: interval.from)
      known = max(known, interval.to)
    }
    coverage.cover(from: known, to: fresh)
    if hidden.contains(where: { $0.to > fresh }) { appendFailure(.endless, at: made) }
  }

  /// Adds what the answer shows to `observed`, except what an earlier poll's weighing covered.
  private func add(_ told: [Activity], by terms: ObservingTerms, to observed: inout Observed) {
    observed.decided = []
    for activity in told {
      if activity.to <= terms.boundary {
        let fingerprint = activity.fingerprint
        observed.decided.append(fingerprint)
        // While its days are remembered, it is weighed beside their evidence. After that, the fingerprint says it is
        // known.
        if activity.from < terms.remembersFrom, decided.contains(fingerprint) { continue }
      }
      observed.seen.append(activity)
    }
  }

  /// Returns why an answer cannot be true after what the route showed before; nil if it can.
  private func contradiction(
    of newest: Activity?, in reported: [Activity], _ kind: ActivityKind
  ) -> String? {
    guard let latest else { return nil }
    guard let newest else {
      return "nothing, after earlier answers showed an activity from \(latest.from)"
    }
    if newest.from < latest.from {
      return
        "the last activity is from \(newest.from), but an earlier answer had one from \(latest.from)"
    }
    let same = reported.filter { $0.from == latest.from }
    if same.isEmpty {
      return kind.source.extent == .all
        ? "the activity from \(latest.from) is no longer listed" : nil
    }
    if latest.isOpen { return nil }
    if same.contains(where: { !$0.isOpen && $0.to >= latest.to }) { return nil }
    return "the activity from \(latest.from) no longer ends at \(latest.to)"
  }
}

extension Activity {
  /// The end as reported by a source; far away while open.
  fileprivate var reportedEnd: Instant { isOpen ? .latest : to }

  /// The activity itself or, if open, only its start.
  fileprivate var begun: Activity {
    isOpen ? Activity(kind: kind, from: from, to: from, isOpen: true) : self
  }

  /// A number that identifies this activity: two of one user's with the same number are taken to be the same.
  fileprivate var fingerprint: UInt32 {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
    for part in [from.seconds, Int64(from.nanoseconds), to.seconds, Int64(to.nanoseconds)] {
      hash = (hash ^ UInt64(bitPattern: part)) &* 0xBF58_476D_1CE4_E5B9
      hash ^= hash >> 29
    }
    return UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}
