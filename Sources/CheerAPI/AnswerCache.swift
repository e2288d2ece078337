internal import CivilTime
internal import Evidence
internal import HTTPClient

/// The last answers that came with a validator, so that unchanged ones need not be sent again.
///
/// When full it accepts no new answers: users are polled in rounds, and evicting one for the next would drop each before its turn
/// comes again. Answers not requested for two days are evicted, every two days.
struct AnswerCache: Sendable {
  /// An answer and its validator.
  struct Answer: Sendable {
    let validator: Validator
    let activities: [Activity]

    /// Creates an entry; nil for an answer that has no validator or must not be trusted.
    init?(response: HTTPResponse, outcome: Look.Outcome) {
      guard case .answered(let activities, let refused) = outcome, refused.isEmpty,
        activities.count <= Self.activityLimit, let validator = Validator(response.headers)
      else { return nil }
      self.validator = validator
      self.activities = activities
    }

    private static let activityLimit = 64
  }

  /// An entity tag or a modification date, as the API sent it.
  enum Validator: Sendable {
    case entityTag(String)
    case lastModified(String)

    /// Chooses the stronger of the two, if it is short and plain enough to be sent back.
    init?(_ headers: HTTPHeaders) {
      if let tag = headers["ETag"], Self.isPlain(tag) {
        self = .entityTag(tag)
      } else if let date = headers["Last-Modified"], Self.isPlain(date) {
        self = .lastModified(date)
      } else {
        return nil
      }
    }

    /// The header line that requests an answer only if it has changed.
    var condition: HTTPHeader {
      switch self {
      case .entityTag(let tag): HTTPHeader("If-None-Match", tag)
      case .lastModified(let date): HTTPHeader("If-Modified-Since", date)
      }
    }

    private static func isPlain(_ text: String) -> Bool {
      (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }
  }

  private static let keptSeconds: Int64 = 2 * 86_400

  private let capacity: Int
  private var answers: [CheerCall: (answer: Answer, asked: Instant)] = [:]
  private var lastSweep = Instant.earliest

  /// Creates a cache of at most `capacity` answers.
  init(capacity: Int) { self.capacity = capacity }

  /// The answer to `call`.
  subscript(call: CheerCall) -> Answer? { answers[call]?.answer }

  /// Removes the answers about these users.
  mutating func forget(_ users: Set<String>) {
    answers = answers.filter { !users.contains($0.key.user) }
  }

  /// Stores the answer to `call`, which came at `now`; nil removes it.
  mutating func store(_ answer: Answer?, for call: CheerCall, at now: Instant) {
    guard let answer else {
      answers[call] = nil
      return
    }
    if answers.count >= capacity, answers[call] == nil {
      // A time stamped by a clock that was ahead is no reason to keep an answer.
      let recent = 0..<Self.keptSeconds
      if recent.contains(now.seconds(since: lastSweep)) { return }
      lastSweep = now
      answers = answers.filter { recent.contains(now.seconds(since: $0.value.asked)) }
      if answers.count >= capacity { return }
    }
    answers[call] = (answer, now)
  }
}
