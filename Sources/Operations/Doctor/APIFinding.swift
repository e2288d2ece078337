import Evidence
import Scheduling

/// The result of a few polls of the API.
struct APIFinding {
  /// The outcome of one poll.
  struct Answer {
    let route: Source
    /// The user; nil for an id that belongs to nobody.
    let user: String?
    /// Whether the route was not requested, because the login before it failed.
    let stoppedAtLogin: Bool
    let outcome: Look.Outcome
  }

  let url: String
  /// Returns where the credential for a user stands.
  let credentialPlace: (String?) -> String
  /// The routes that the service polls.
  let routes: [Source]
  let answers: [Answer]

  private static let name = "API"

  var finding: DoctorFinding {
    let failures = answers.compactMap { answer -> (Answer, FailureCause)? in
      guard case .failed(let cause) = answer.outcome, cause != .userUnknown else { return nil }
      return (answer, cause)
    }
    if let (answer, cause) = failures.first { return finding(of: answer, cause) }
    let silent = routes.filter { route in
      answers.filter { $0.route == route }.allSatisfy(\.isUnknownUser)
    }
    let users = Set(answers.compactMap(\.user)).sorted().joined(separator: ", ")
    guard !silent.isEmpty else {
      return DoctorFinding(Self.name, .well, "\(url) answers and accepts the credentials")
    }
    guard !users.isEmpty else {
      return DoctorFinding(
        Self.name, .attention,
        "\(url) answers 404 for an id that nobody has, as it should; a wrong base path would do the same",
        remedy: "import users (rewards users import), then run doctor again")
    }
    guard silent.count == routes.count else {
      let names = silent.map(\.name).joined(separator: " and ")
      return DoctorFinding(
        Self.name, .attention, "route \(names) answers 404 for \(users), but the others do not",
        remedy: "ask the API's maintainers whether that route exists")
    }
    return DoctorFinding(
      Self.name, .failed, "every route answers 404 for \(users): is the base path right?",
      remedy:
        "compare api.baseURL (\(url)) with the app's, and check that the API knows these users")
  }

  private func finding(of answer: Answer, _ cause: FailureCause) -> DoctorFinding {
    let route = answer.stoppedAtLogin ? "100 (login)" : answer.route.name
    return switch cause {
    case .unauthorized, .forbidden:
      DoctorFinding(
        Self.name, .failed,
        "\(url) refuses the \(answer.stoppedAtLogin ? "login" : "token")\(answer.user.map { " (polled for \($0))" } ?? "")",
        remedy: "put a valid one into \(credentialPlace(answer.user))")
    default:
      DoctorFinding(
        Self.name, .failed, "\(url), route \(route): \(cause.reason)",
        remedy: "check api.baseURL, the network and its proxy or firewall")
    }
  }
}

extension APIFinding.Answer {
  fileprivate var isUnknownUser: Bool {
    if case .failed(.userUnknown) = outcome { true } else { false }
  }
}
