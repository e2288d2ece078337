internal import Evidence
internal import Threading

/// Knows the bearer token of each user, gets new ones by logging in, and remembers which credentials are spent.
///
/// One login at a time for each user; whoever needs its token meanwhile waits for it.
final class TokenKeeper: Sendable {
  /// The token to ask with, or why there is none.
  enum Answer: Sendable {
    case token(Secret)
    /// There is no credential, or it is spent.
    case expired
    /// The login could not be made now.
    case failed(Exchange, FailureCause)
  }

  private enum State {
    case ready(Secret)
    case loggingIn(Task<Answer, Never>)
    case expired
  }

  private struct Book {
    var source: CredentialSource
    var states: [String: State] = [:]
    /// Grows with each reload: a login begun before it must not write into the new book.
    var edition = 0
    /// Users in a row for whom the service token was refused.
    var refusals = Unanimity()
  }

  private enum Step {
    case answer(Answer)
    case wait(Task<Answer, Never>)
  }

  private let client: CheerClient
  private let book: Lock<Book>

  init(client: CheerClient, source: CredentialSource) {
    self.client = client
    book = Lock(Book(source: source))
  }

  /// The token to ask about `user` with; logs in when there is none yet.
  func token(for user: String) async -> Answer {
    await perform(
      book.withLock { book in
        switch book.states[user] {
        case .ready(let token): .answer(.token(token))
        case .loggingIn(let task): .wait(task)
        case .expired: .answer(.expired)
        case nil: firstStep(user, &book)
        }
      })
  }

  /// A token in place of `refused`, which was just answered with 401: by a login, or the same when all we hold is it.
  func token(for user: String, inPlaceOf refused: Secret) async -> Answer {
    await perform(
      book.withLock { book in
        switch book.states[user] {
        case .ready(let token) where token != refused: return .answer(.token(token))
        case .loggingIn(let task): return .wait(task)
        case .expired: return .answer(.expired)
        case .ready, nil:
          book.states[user] = nil
          return firstStep(user, &book)
        }
      })
  }

  /// Notes that even the second answer was 401: `user` is not asked about again before the next reload.
  func expire(_ user: String) {
    let isNew = book.withLock { book in
      if case .expired = book.states[user] { return false }
      book.states[user] = .expired
      if case .serviceToken = book.source { book.refusals.note(user) }
      return true
    }
    if isNew { client.transport.count { $0.expiredCount += 1 } }
  }

  /// Notes that a token was accepted.
  func noteAccepted() { book.withLock { $0.refusals.contradict() } }

  /// Takes other credentials; spent ones get another chance, tokens whose credential did not change stay.
  func reload(_ source: CredentialSource) {
    book.withLock { book in
      let before = book.source
      book.source = source
      book.edition += 1
      book.refusals = Unanimity()
      book.states = book.states.filter { user, state in
        guard case .ready = state else { return false }
        return source.credential(for: user) == before.credential(for: user)
      }
    }
  }

  private func perform(_ step: Step) async -> Answer {
    switch step {
    case .answer(let answer): answer
    case .wait(let task): await task.value
    }
  }

  private func firstStep(_ user: String, _ book: inout Book) -> Step {
    // Refused for several users in a row, the service token is spent for all.
    if book.refusals.isReached { return .answer(.expired) }
    switch book.source.credential(for: user) {
    case nil: return .answer(.expired)
    case .token(let token): return .answer(.token(token))
    case .login(let email, let password):
      let edition = book.edition
      let task = Task { await logIn(user, email: email, password: password, edition: edition) }
      book.states[user] = .loggingIn(task)
      return .wait(task)
    }
  }

  private func logIn(
    _ user: String, email: Secret, password: Secret, edition: Int
  ) async -> Answer {
    let outcome = await client.logIn(email: email, password: password, user: user)
    let (answer, state): (Answer, State?) =
      switch outcome {
      case .token(let token): (.token(token), .ready(token))
      case .rejected: (.expired, .expired)
      case .failed(let exchange, let cause): (.failed(exchange, cause), nil)
      }
    book.withLock { book in
      if book.edition == edition { book.states[user] = state }
    }
    if case .expired = answer { client.transport.count { $0.expiredCount += 1 } }
    return answer
  }
}
