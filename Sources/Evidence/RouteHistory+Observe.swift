public import CivilTime

/// What one look told, once its answer has been judged.
public struct Observed: Sendable {
  /// The activities that count as evidence and touch what is still remembered.
  public var seen: [Activity] = []
  /// The activities that touch nothing but closed days which are no longer remembered, unless the route has told just
  /// these before: only the ledger knows whether they are new.
  public var past: [Activity] = []
  /// The marks of what is weighed once ``past`` is.
  public var decided: [UInt32] = []
  /// What was not believed, in words; each is to be reported.
  public var doubts: [Doubt] = []

  /// A reason not to believe an answer or a part of it.
  public enum Doubt: Hashable, Sendable {
    /// An activity that cannot be: an end before its start, or more than five minutes ahead of our clock.
    case badEvidence(String)
    /// An answer that contradicts an earlier one: it proves nothing.
    case lyingAnswer(String)
    /// An activity without an end for longer than the rules believe.
    case endlessActivity(String)

    /// Whether the answer proves nothing for it.
    fileprivate var isRefusal: Bool {
      if case .endlessActivity = self { false } else { true }
    }
  }

  /// Nothing was seen.
  public init() {}
}

/// What a look is weighed by.
public struct ObservingTerms: Sendable {
  /// How activities are laid against days.
  public var policy: ActivityPolicy
  /// How stale an answer may be: what it shows was true so many seconds before the look at the latest.
  public var lagSeconds: Int64
  /// By how much a look may be older than its timestamp, because nobody knows whether the clock is right.
  public var unsureSeconds: Int64
  /// The first instant of which evidence is still remembered.
  public var remembersFrom: Instant
  /// The end of the last closed day.
  public var boundary: Instant

  /// Terms.
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
  /// When the newest activity began that the answer shows, but for those that lie too far ahead of our clock to be believed; nil
  /// when it shows none.
  public var newestStart: Instant? {
    guard case .answered(let reported, _) = outcome else { return nil }
    return reported.lazy.map(\.from).filter { !$0.isAhead(of: at) }.max()
  }

  /// Whether the answer shows something that lies too far ahead of our clock.
  public var tellsOfLater: Bool {
    guard case .answered(let reported, _) = outcome else { return false }
    return reported.contains { $0.lastTold.isAhead(of: at) }
  }
}

extension Instant {
  /// Whether it lies further ahead of a clock that shows `now` than clocks may differ: five minutes.
  public func isAhead(of now: Instant) -> Bool { self > now.adding(seconds: 300) }
}

extension Activity {
  /// The last instant that its source told: the end, or, while it goes on, the beginning.
  public var lastTold: Instant { isOpen ? from : max(from, to) }
}

extension RouteHistory {
  /// Takes in a look at the route of `kind`: adds what it proves and returns what it shows.
  ///
  /// ``decided`` stays as it was: the caller replaces it by the returned one as soon as ``Observed/past`` is weighed.
  public mutating func observe(
    _ look: Look, kind: ActivityKind, by terms: ObservingTerms
  ) -> Observed {
    var observed = Observed()
    observed.decided = decided
    // Made then at the latest.
    let made = look.at.adding(seconds: -terms.unsureSeconds)
    switch look.outcome {
    case .failed(let cause):
      note(cause, at: made)
    // A number proves otherwise.
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
      if observed.doubts.contains(where: \.isRefusal) { note(.badAnswer, at: made) }
    }
    return observed
  }

  private mutating func note(_ cause: FailureCause, at instant: Instant) {
    failures.append(Failure(at: instant, cause: cause))
    if failures.count > Self.failureLimit { failures.removeFirst() }
  }

  /// Why an activity cannot be, or nil.
  private static func flaw(of activity: Activity, at now: Instant) -> String? {
    if !activity.isOpen, activity.to < activity.from {
      return "ends \(activity.to) before it starts \(activity.from)"
    }
    guard activity.lastTold.isAhead(of: now) else { return nil }
    return "\(activity.lastTold) is more than 5 minutes ahead of the clock"
  }

  private mutating func weigh(
    _ reported: [Activity], of kind: ActivityKind, at made: Instant, _ terms: ObservingTerms,
    isWhole: Bool, _ observed: inout Observed
  ) {
    let newest = reported.max { ($0.from, $0.reportedEnd) < ($1.from, $1.reportedEnd) }
    if isWhole, let contradiction = contradiction(of: newest, in: reported, kind) {
      // What it shows has happened nevertheless; but from when the answer is, nobody knows, and so not how long anything went on.
      divide(reported.map(\.begun), by: terms, &observed)
      if made >= newestLook {
        observed.doubts.append(.lyingAnswer(contradiction))
        // The route goes on without what it has lost: the next answer is held against this one.
        if let newest, newest.from > latest?.from ?? .earliest { latest = newest }
      }
      // Else it was overtaken by a newer one on its way: no lie, and only of no use any more.
      return
    }
    let fresh = made.adding(seconds: -terms.lagSeconds)
    // What open activities hide that have outlasted belief: until each is taken for abandoned.
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
    divide(told, by: terms, &observed)
    if let newest, newest.from >= latest?.from ?? .earliest { latest = newest }
    guard isWhole else { return }
    // The list of watched streams is whole; the other routes tell nothing from before their last activity.
    var known = kind == .watch ? .earliest : newest?.from ?? .earliest
    for interval in hidden.sorted(by: { $0.from < $1.from }) {
      coverage.cover(from: known, to: interval.from)
      known = max(known, interval.to)
    }
    coverage.cover(from: known, to: fresh)
    if hidden.contains(where: { $0.to > fresh }) { note(.endless, at: made) }
  }

  /// Puts aside what touches only days that are no longer remembered, but for what was weighed at an earlier look.
  private func divide(_ told: [Activity], by terms: ObservingTerms, _ observed: inout Observed) {
    observed.decided = []
    for activity in told {
      let isRemembered =
        activity.to > terms.remembersFrom || activity.from >= terms.remembersFrom
      let isClosed = activity.to <= terms.boundary
      if isClosed || !isRemembered {
        let mark = activity.mark
        observed.decided.append(mark)
        // While its days are remembered it is weighed beside their evidence: later it is known.
        if activity.from < terms.remembersFrom, decided.contains(mark) { continue }
      }
      if isRemembered { observed.seen.append(activity) } else { observed.past.append(activity) }
    }
  }

  /// Why an answer cannot be true after what the route has told before, or nil.
  private func contradiction(
    of newest: Activity?, in reported: [Activity], _ kind: ActivityKind
  ) -> String? {
    guard let latest else { return nil }
    guard let newest else { return "nothing, after an activity from \(latest.from)" }
    if newest.from < latest.from {
      return "the last is from \(newest.from), after one from \(latest.from)"
    }
    let same = reported.filter { $0.from == latest.from }
    if same.isEmpty {
      return kind == .watch ? "the one from \(latest.from) is no longer listed" : nil
    }
    if latest.isOpen { return nil }
    if same.contains(where: { !$0.isOpen && $0.to >= latest.to }) { return nil }
    return "the one from \(latest.from) no longer ends at \(latest.to)"
  }
}

extension Activity {
  /// The end that a source has told; far away while it goes on.
  fileprivate var reportedEnd: Instant { isOpen ? .latest : to }

  /// Of one without an end, that it began.
  fileprivate var begun: Activity {
    isOpen ? Activity(kind: kind, from: from, to: from, isOpen: true) : self
  }

  /// A number for this activity: two of one user's with the same are taken for the same.
  fileprivate var mark: UInt32 {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
    for part in [from.seconds, Int64(from.nanoseconds), to.seconds, Int64(to.nanoseconds)] {
      hash = (hash ^ UInt64(bitPattern: part)) &* 0xBF58_476D_1CE4_E5B9
      hash ^= hash >> 29
    }
    return UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}
