import CivilTime

/// What one look told, once its answer has been judged.
public struct Observed: Hashable, Sendable {
  /// The activities that count as evidence.
  public var seen: [SeenActivity] = []
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
  }

  /// Nothing was seen.
  public init() {}
}

extension SourceHistory {
  /// How far ahead of our clock an instant may lie.
  static let toleratedSkewSeconds: Int64 = 300

  /// Takes a look in: adds what it proves and returns what it shows.
  ///
  /// `lagSeconds` is how stale an answer may be: what it shows was true at `look.at - lagSeconds` at the latest.
  public mutating func observe(
    _ look: Look, kind: ActivityKind, policy: ActivityPolicy, lagSeconds: Int64
  ) -> Observed {
    var observed = Observed()
    switch look.outcome {
    case .failed(let cause):
      failures.append(Failure(at: look.at, cause: cause))
      if failures.count > Self.failureLimit { failures.removeFirst() }
    case .answered(let reported, let refused):
      looks &+= 1
      defer { newestLook = max(newestLook, look.at) }
      observed.doubts = refused.map { .badEvidence($0) }
      let credible = reported.filter { activity in
        guard let reason = Self.flaw(of: activity, at: look.at) else { return true }
        observed.doubts.append(.badEvidence(reason))
        return false
      }
      take(
        credible, of: kind, in: look, policy, lagSeconds, isWhole: observed.doubts.isEmpty,
        &observed)
    }
    return observed
  }

  /// Why an activity cannot be, or nil.
  private static func flaw(of activity: ReportedActivity, at now: Instant) -> String? {
    if let to = activity.to, to < activity.from {
      return "ends \(to) before it starts \(activity.from)"
    }
    let limit = now.adding(seconds: toleratedSkewSeconds)
    if max(activity.from, activity.to ?? activity.from) > limit {
      return
        "\(max(activity.from, activity.to ?? activity.from)) is more than 5 minutes ahead of the clock"
    }
    return nil
  }

  private mutating func take(
    _ reported: [ReportedActivity], of kind: ActivityKind, in look: Look,
    _ policy: ActivityPolicy, _ lagSeconds: Int64, isWhole: Bool, _ observed: inout Observed
  ) {
    let newest = reported.max { ($0.from, $0.to ?? .latest) < ($1.from, $1.to ?? .latest) }
    if isWhole, let contradiction = contradiction(of: newest, in: reported, kind) {
      // An answer that was overtaken by a newer one on its way is not a lie; it is only of no use any more.
      if look.at >= newestLook { observed.doubts.append(.lyingAnswer(contradiction)) }
      return
    }
    let fresh = look.at.adding(seconds: -lagSeconds)
    // From the first open activity that has outlasted belief on, nothing is known.
    var known = fresh
    for activity in reported {
      let trusted = activity.from.adding(seconds: policy.openEndHours * 3_600)
      if activity.to == nil, trusted < fresh {
        known = min(known, trusted)
        observed.doubts.append(
          .endlessActivity("a \(kind.name) without an end since \(activity.from)"))
      }
      let lasted = activity.to ?? max(activity.from, min(fresh, trusted))
      observed.seen.append(
        SeenActivity(
          kind: kind, from: activity.from, to: lasted, isOpen: activity.to == nil))
    }
    if let newest, newest.from >= latest?.from ?? .earliest { latest = newest }
    guard isWhole else { return }
    // The list of watched streams is whole; the other routes tell nothing from before their last activity.
    let beginning = kind == .watch ? .earliest : newest?.from ?? .earliest
    coverage.cover(from: beginning, to: known)
  }

  /// Why an answer cannot be true after what the route has told before, or nil.
  private func contradiction(
    of newest: ReportedActivity?, in reported: [ReportedActivity], _ kind: ActivityKind
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
    guard let before = latest.to else { return nil }
    if same.contains(where: { $0.to.map { $0 >= before } ?? false }) { return nil }
    return "the one from \(latest.from) no longer ends at \(before)"
  }
}
