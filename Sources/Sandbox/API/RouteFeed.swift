internal import CivilTime
internal import Evidence
import Foundations
internal import HTTPServer

/// The answers of one route about one user over time.
struct RouteFeed {
  let route: ServedRoute
  let user: Int
  /// The true history, in order of beginnings.
  private let activities: [Activity]
  /// The instants at which the answer changes, in order.
  private let changes: [Instant]
  /// The number of activities in the last credible answer.
  var told = 0
  /// The number of requests received.
  var requests: UInt64 = 0
  private var cached: (from: Instant, to: Instant, started: Int, response: ServerResponse)?

  init(route: ServedRoute, user: Int, activities: [Activity]) {
    self.route = route
    self.user = user
    self.activities = activities
    changes = activities.flatMap { [$0.from, $0.to] }.sorted()
  }

  /// Returns the answer with what the app knows at `known`, and the number of activities in it; cached until it changes.
  mutating func answer(
    at known: Instant, _ voice: AnswerVoice
  ) -> (response: ServerResponse, started: Int) {
    if let cached, cached.from <= known, known < cached.to {
      return (cached.response, cached.started)
    }
    let state = changes.firstIndex { $0 > known } ?? changes.count
    let telling = started(by: known)
    let response = voice.writer(for: self, state: state).answer(
      route, telling: telling.suffix(voice.watchedLimit))
    cached = (
      state > 0 ? changes[state - 1] : .earliest,
      state < changes.count ? changes[state] : .latest, telling.count, response
    )
    return (response, telling.count)
  }

  /// Returns the lie for `fault`, or nil if there is nothing yet that it could contradict.
  func lie(_ fault: Fault, at known: Instant, now: Instant, _ voice: AnswerVoice)
    -> ServerResponse?
  {
    let writer = voice.writer(for: self, state: Int(truncatingIfNeeded: requests) &+ 1 << 20)
    var telling = Array(started(by: known).suffix(voice.watchedLimit))
    switch fault {
    case .missingValue:
      return told > 0 ? writer.nothing(on: route) : nil
    case .olderValue:
      let remembered = started(by: known).prefix(told)
      guard let newest = remembered.last else { return nil }
      let older = remembered.filter { $0.from < newest.from }
      if older.isEmpty { return nil }
      return writer.answer(route, telling: older.suffix(voice.watchedLimit))
    case .endBeforeStart where route.activities?.end != nil:
      guard let last = telling.popLast() else { return nil }
      telling.append(
        Activity(kind: last.kind, from: last.from, to: last.from.adding(seconds: -3_600)))
    default:
      let future = now.adding(seconds: 3_600)
      telling.append(Activity(kind: .watch, from: future, to: future.adding(seconds: 60)))
    }
    return writer.answer(route, telling: telling)
  }

  /// Returns the activities that had begun by `known`, as known then: one still in progress has no end.
  private func started(by known: Instant) -> [Activity] {
    activities.prefix { $0.from <= known }.map { activity in
      guard activity.to > known else { return activity }
      return Activity(kind: activity.kind, from: activity.from, to: activity.from, isOpen: true)
    }
  }
}

/// The variants in which one seed's API answers.
struct AnswerVoice {
  let seed: UInt64
  let apiOffsetSeconds: Int32
  /// The maximum number of watched streams in an answer.
  let watchedLimit: Int

  func writer(for feed: RouteFeed, state: Int) -> AnswerWriter {
    var random = SplitMix64(
      seed: seed, UInt64(feed.user), UInt64(feed.route.number), UInt64(state))
    return AnswerWriter(style: AnswerStyle(&random), apiOffsetSeconds: apiOffsetSeconds)
  }
}
