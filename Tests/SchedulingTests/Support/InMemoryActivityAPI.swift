import CivilTime
import Evidence
import Foundations
import Scheduling

/// An API that answers what it was told to answer, for tests.
final class InMemoryActivityAPI: ActivityAPI {
  /// One question about one user.
  struct Question: Hashable, Sendable {
    /// The route that was asked.
    let route: Source
    /// The user that it was asked about.
    let user: String

    /// A question.
    init(_ route: Source, _ user: String) {
      self.route = route
      self.user = user
    }
  }

  private struct State {
    var standing: [Question: Look.Outcome] = [:]
    var next: [Question: [Look.Outcome]] = [:]
    var asked: [Question] = []
  }

  private let clock: any ServiceClock
  private let state = Lock(State())

  /// An API that has "nothing yet" for everybody, with polls at the instants of `clock`.
  init(clock: any ServiceClock) { self.clock = clock }

  /// Every question so far, in order.
  var asked: [Question] { state.withLock { $0.asked } }

  /// Answers `question` with `outcome` from now on.
  func answer(_ question: Question, with outcome: Look.Outcome) {
    state.withLock { $0.standing[question] = outcome }
  }

  /// Answers `question` once with `outcome`, after what was put before it, and then as always.
  func answerOnce(_ question: Question, with outcome: Look.Outcome) {
    state.withLock { $0.next[question, default: []].append(outcome) }
  }

  /// Polls one of the three routes for one user.
  func look(at route: Source, user: String) async -> Look {
    let question = Question(route, user)
    let at = clock.now()
    let outcome = state.withLock { state in
      state.asked.append(question)
      if let next = state.next[question], !next.isEmpty {
        return state.next[question]?.removeFirst() ?? next[0]
      }
      return state.standing[question] ?? .answered([], refused: [])
    }
    return Look(route: route, at: at, outcome: outcome)
  }
}
