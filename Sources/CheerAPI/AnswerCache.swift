internal import Evidence
internal import HTTPClient

/// The last answers that came with a validator, so that the same one need not be sent again.
///
/// Two generations bound it: when the younger is full it becomes the older, and the older is forgotten.
struct AnswerCache: Sendable {
  /// An answer and what proves that it still holds.
  struct Answer: Sendable {
    let validator: Validator
    let activities: [Activity]

    /// Nil for an answer without a validator, or one that must not be believed.
    init?(response: HTTPResponse, outcome: LookOutcome) {
      guard case .answered(let activities, let refused) = outcome, refused.isEmpty,
        activities.count <= Self.activityLimit, let validator = Validator(response.headers)
      else { return nil }
      self.validator = validator
      self.activities = activities
    }

    private static let activityLimit = 64
  }

  /// An entity tag or a date of change, as the API wrote it.
  enum Validator: Sendable {
    case entityTag(String)
    case lastModified(String)

    /// The stronger of the two, when it is short and plain enough to be sent back.
    init?(_ headers: HTTPHeaders) {
      if let tag = headers["ETag"], Self.isPlain(tag) {
        self = .entityTag(tag)
      } else if let date = headers["Last-Modified"], Self.isPlain(date) {
        self = .lastModified(date)
      } else {
        return nil
      }
    }

    /// The header line that asks for an answer only if it changed.
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

  private let capacity: Int
  private var young: [CheerCall: Answer] = [:]
  private var old: [CheerCall: Answer] = [:]

  /// A cache that holds at most twice `capacity` answers.
  init(capacity: Int) { self.capacity = capacity }

  /// The answer to `call`; nil forgets it.
  subscript(call: CheerCall) -> Answer? {
    get { young[call] ?? old[call] }
    set {
      old[call] = nil
      young[call] = newValue
      if young.count >= capacity {
        old = young
        young = [:]
      }
    }
  }
}
