internal import CivilTime
internal import Evidence
internal import Scheduling
internal import Threading

/// Knows the bearer token of each user, gets new ones by logging in, and remembers which credentials are spent.
///
/// One login at a time for each user, by whoever needs the token first; who needs it meanwhile waits for that one. Who
/// waits owns no tracked work, and gets it back with the answer.
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
    case loggingIn([CheckedContinuation<Answer?, Never>])
    /// Spent; asked again from the instant on, since a refusal may have been the API's own fault.
    case expired(until: Instant)
  }

  /// After how long spent credentials are tried once more, in seconds.
  static let secondChanceSeconds: Int64 = 300

  private struct Book {
    var source: CredentialSource
    var states: [String: State] = [:]
    /// Grows with each reload: a login begun before it must not write into the new book.
    var edition = 0
    /// Users in a row for whom the service token was refused.
    var refusals = Unanimity()
    /// When the service token, refused for so many, is tried once more; nil while it is not spent.
    var spentUntil: Instant?
  }

  private enum Step {
    case answer(Answer)
    case logIn(email: Secret, password: Secret, edition: Int)
    /// Somebody else is at it.
    case wait
  }

  private let client: CheerClient
  private let clock: any ServiceClock
  private let book: Lock<Book>
  private let serviceToken: @Sendable () -> Secret?

  /// `serviceToken` reads the token for all users again, where there is one: it may have been replaced since.
  init(
    client: CheerClient, clock: any ServiceClock, source: CredentialSource,
    serviceToken: @escaping @Sendable () -> Secret?
  ) {
    self.client = client
    self.clock = clock
    self.serviceToken = serviceToken
    book = Lock(Book(source: source))
  }

  /// The token to ask about `user` with; logs in when there is none yet.
  func token(for user: String) async -> Answer {
    let step = book.withLock { book -> Step in
      switch book.states[user] {
      case .ready(let token): .answer(.token(token))
      case .loggingIn: .wait
      case .expired(let until) where mustWait(until: until): .answer(.expired)
      case .expired, nil: firstStep(user, &book)
      }
    }
    return await perform(step, user)
  }

  /// A token in place of `refused`, which was just answered with 401: the one that has replaced it where it is kept, one by a login, or the
  /// same when all we hold is it.
  func token(for user: String, inPlaceOf refused: Secret) async -> Answer {
    if case .serviceToken(refused) = book.withLock({ $0.source }), let fresh = serviceToken(),
      fresh != refused
    {
      reload(.serviceToken(fresh))
    }
    let step = book.withLock { book -> Step in
      switch book.states[user] {
      case .ready(let token) where token != refused: return .answer(.token(token))
      case .loggingIn: return .wait
      case .expired: return .answer(.expired)
      case .ready, nil:
        book.states[user] = nil
        return firstStep(user, &book)
      }
    }
    return await perform(step, user)
  }

  /// Notes that even the second answer was 401: `user` is not asked about again for a while, or until the next reload.
  func expire(_ user: String) {
    let until = clock.now().adding(seconds: Self.secondChanceSeconds)
    let isNew = book.withLock { book in
      let wasExpired = if case .expired = book.states[user] { true } else { false }
      book.states[user] = .expired(until: until)
      if case .serviceToken = book.source {
        book.refusals.note(user)
        if book.refusals.isReached { book.spentUntil = until }
      }
      return !wasExpired
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
        switch state {
        case .loggingIn: true
        case .expired: false
        case .ready: source.credential(for: user) == before.credential(for: user)
        }
      }
    }
  }

  private func firstStep(_ user: String, _ book: inout Book) -> Step {
    // Refused for several users in a row, the service token is spent for all; one request finds out whether it still is.
    if book.refusals.isReached {
      if let until = book.spentUntil, mustWait(until: until) { return .answer(.expired) }
      book.spentUntil = clock.now().adding(seconds: Self.secondChanceSeconds)
    }
    switch book.source.credential(for: user) {
    case nil: return .answer(.expired)
    case .token(let token): return .answer(.token(token))
    case .login(let email, let password):
      book.states[user] = .loggingIn([])
      return .logIn(email: email, password: password, edition: book.edition)
    }
  }

  /// Whether a second chance is still to be waited for; one that is further away than any was given by a clock that was ahead.
  private func mustWait(until: Instant) -> Bool {
    let now = clock.now()
    return now < until && until <= now.adding(seconds: Self.secondChanceSeconds)
  }

  private func perform(_ step: Step, _ user: String) async -> Answer {
    switch step {
    case .answer(let answer): return answer
    case .logIn(let email, let password, let edition):
      return await logIn(user, email: email, password: password, edition: edition)
    case .wait:
      let answer = await withCheckedContinuation { wait(for: user, $0) }
      guard let answer else { return await token(for: user) }
      return answer
    }
  }

  /// Waits for the login under way; nil to begin again, when it told nothing that others could use.
  private func wait(for user: String, _ continuation: CheckedContinuation<Answer?, Never>) {
    let isWaiting = book.withLock { book in
      guard case .loggingIn(let waiters) = book.states[user] else { return false }
      book.states[user] = .loggingIn(waiters + [continuation])
      return true
    }
    if isWaiting { clock.endWork() } else { continuation.resume(returning: nil) }
  }

  private func logIn(
    _ user: String, email: Secret, password: Secret, edition: Int
  ) async -> Answer {
    let outcome = await client.logIn(email: email, password: password, user: user)
    let answer: Answer
    let state: State?
    var shared: Answer?
    switch outcome {
    case .token(let token): (answer, state) = (.token(token), .ready(token))
    case .rejected:
      let until = clock.now().adding(seconds: Self.secondChanceSeconds)
      (answer, state) = (.expired, .expired(until: until))
    case .failed(let exchange, let cause): (answer, state) = (.failed(exchange, cause), nil)
    }
    // That this caller gave up says nothing to the others.
    if case .failed(_, .cancelled) = answer {} else { shared = answer }
    let waiters = book.withLock { book in
      let isCurrent = book.edition == edition
      if !isCurrent { shared = nil }
      defer { book.states[user] = isCurrent ? state : nil }
      if case .loggingIn(let waiters) = book.states[user] { return waiters }
      return []
    }
    for waiter in waiters {
      clock.beginWork()
      waiter.resume(returning: shared)
    }
    if case .expired = answer { client.transport.count { $0.expiredCount += 1 } }
    return answer
  }
}
