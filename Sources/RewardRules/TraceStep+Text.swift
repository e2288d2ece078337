internal import CivilTime
internal import Evidence

extension TraceStep: CustomStringConvertible {
  /// The step on one line, for people.
  public var description: String {
    switch self {
    case .day(let window, let rules): Self.text(of: window, rules: rules)
    case .excused: "an outage or a pardon was declared for this day"
    case .met(let kind, let touch):
      "\(kind.name) at \(touch.effective), evidence \(touch.seq.recordText)"
    case .lasted(let duration, let verdict, let gaps): Self.text(of: duration, verdict, gaps)
    case .notMet(let kind): "no \(kind.name); the evidence covers the whole day"
    case .unknown(_, let gaps): Self.text(of: gaps)
    case .notWatched(let kind): "no source for \(kind.name) is configured"
    case .streak(let streakClass, let before, _)
    where before.length == 0 && streakClass != .counted && streakClass != .pending:
      "streak: none to lose (\(streakClass.words))"
    case .streak(let streakClass, let before, let after):
      "streak: \(streakClass.words); length \(before.length) to \(after.length), "
        + "cycle day \(before.cycleDay) to \(after.cycleDay)"
    case .streakWaits: "streak: waits until this day and those before it are decided"
    case .credited(let credit):
      "credited or given by hand at \(credit.effective): \(credit.summary)"
    case .drawn(let key, let item): "\(key.label): drew \(item)"
    case .nothingLeft(let key, let category):
      "\(key.label): no item of \"\(category)\" is left; the fallback is given"
    case .boosted(let key, let multiplier, let until):
      "\(key.label): exp × \(multiplier), a booster runs until \(until)"
    case .granted(let intent):
      "\(intent.key.label): granted at \(intent.effective): \(intent.reward.summary)"
    case .heldBack(let intent, let reason):
      "\(intent.key.label): held back (\(intent.reward.summary)): \(reason.text)"
    case .reversed(let key): "\(key.label): not granted, because it was reversed"
    case .level(let reached): "level \(reached.level) reached at \(reached.effective)"
    case .saturated: "a sum passed 64 bits and stopped there"
    }
  }

  private static func text(of window: UserWindow, rules: String) -> String {
    let shortened = window.isShortened ? ", shortened by a zone change" : ""
    return "\(window.day) in \(window.zone), \(window.start) to \(window.end)\(shortened); "
      + "rules \(rules)"
  }

  private static func text(
    of duration: MissionDuration, _ verdict: Verdict, _ gaps: [Gap]
  ) -> String {
    let minutes = "\(duration.least / 60) min needed"
    let proven = "\(duration.seconds / 60) min \(duration.seconds % 60) s proven"
    switch verdict {
    case .met:
      let reached = duration.reached.map { " at \($0.effective), evidence \($0.seq.recordText)" }
      return "\(minutes), reached\(reached ?? "")"
    case .notMet: return "\(minutes), \(proven); the evidence covers the whole day"
    case .unknown: return "\(minutes), \(proven); \(text(of: gaps))"
    }
  }

  private static func text(of gaps: [Gap]) -> String {
    if gaps.isEmpty { return "the evidence does not cover the whole day" }
    return "no evidence from \(gaps.map { "\($0.from) to \($0.to) (\($0.reason))" }.listed)"
  }
}

extension UInt64 {
  /// A record's sequence number, or a note that it is not recorded yet.
  fileprivate var recordText: String {
    self >= RecordedEvidence.firstProvisional ? "not recorded yet" : "\(self)"
  }
}

extension [String] {
  fileprivate var listed: String { joined(separator: ", ") }
}

extension RewardKey {
  /// The mission, with the number of a level.
  fileprivate var label: String {
    if case .level(let number) = self { return "level \(number)" }
    return mission
  }
}

extension Reward {
  /// The contents of the reward, in words, e.g. `25 points, 10 × 2 = 20 exp`.
  public var summary: String {
    var parts = RewardUnit.allCases.filter { amounts[$0] != 0 }.map { unit in
      let origin = unit == .exp && multiplier != 1 ? "\(baseExp) × \(multiplier) = " : ""
      return "\(origin)\(amounts[unit]) \(unit.rawValue)"
    }
    parts += items
    if let booster { parts.append("booster \(booster.from) to \(booster.until)") }
    return parts.isEmpty ? "nothing" : parts.listed
  }
}

extension DayOutcome.StreakClass {
  /// What the day does to the streak, in words.
  fileprivate var words: String {
    switch self {
    case .counted: "day counted"
    case .missed: "day missed"
    case .held: "day held, because something that counts may have been missed"
    case .excused: "day held by the outage or pardon"
    case .pending: "day not decided yet"
    }
  }
}
