internal import CivilTime
internal import Evidence
internal import Foundations
internal import Scheduling

/// Keeps each user's bearer token, gets new ones by logging in, and remembers which credentials are spent.
///
/// Each user has at most one login at a time, by the first caller that needs the token; others wait for it. A waiting caller owns
/// no tracked work, and gets it back with the answer.
final class TokenKeeper: Sendable {
  /// A token, or the reason why there is none.
  enum Answer: Sendable {
    case token(Secret)
    /// The credential is spent: the API does not accept it.
    case expired
    /// There is no credential, or logging in is not possible at the moment.
    case failed(Exchange<Look.Outcome>)
  }

  private enum State {
    case ready(Secret)
    case loggingIn([CheckedContinuation<Answer?, Never>])
    /// Spent; tried again from this instant on, since the API itself may have been at fault.
    case expired(until: Instant)
  }

  /// How many seconds later spent credentials are tried once more.
  static let secondChanceSeconds: Int64 = 300

  private struct Book {
    var source: CredentialSource
    var states: [String: State] = [:]
    /// Incremented by each reload: a login begun earlier must not write into the new book.
    var edition = 0
    /// The consecutive users for whom the service token was refused.
    var refusals = Unanimity()
    /// When to try the refused service token once more; nil unless it is spent.
    var spentUntil: Instant?
  }

  private enum Step {
    case answer(Answer)
    case logIn(email: Secret, password: Secret, edition: Int)
    /// Another caller is logging in.
    case wait
  }

  private let client: CheerClient
  private let clock: any ServiceClock
  private let book: Lock<Book>
  private let serviceToken: @Sendable () -> Secret?

  /// Creates a keeper; `serviceToken` reads the token for all users again, if there is one, since it may have been replaced.
  init(
    client: CheerClient, clock: any ServiceClock, source: CredentialSource,
    serviceToken: @escaping @Sendable () -> Secret?
  ) {
    self.client = client
    self.clock = clock
    self.serviceToken = serviceToken
    book = Lock(Book(source: source))
  }

  /// Returns the token for calls about `user`; logs in if there is none yet.
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

  /// Returns a token in place of `refused`, which was just answered with 401: its replacement at the source, a new one by login,
  /// or the same one if we have no other.
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

  /// Records that even the second answer was 401: `user` is not polled again for a while, or until the next reload.
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

  /// Forgets the token of `user`, unless a login is under way.
  func forget(_ user: String) {
    book.withLock { book in
      if case .loggingIn = book.states[user] { return }
      book.states[user] = nil
    }
  }

  /// Returns whether there is a credential for calls about `user`.
  func hasCredential(for user: String) -> Bool {
    book.withLock { $0.source.credential(for: user) != nil }
  }

  /// Records that a token was accepted.
  func noteAccepted() { book.withLock { $0.refusals.contradict() } }

  /// Replaces the credentials; spent ones get another chance, and tokens whose credential is unchanged stay.
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
    // A service token refused for several users in a row is spent for all; a single request finds out whether it still is.
    if book.refusals.isReached {
      if let until = book.spentUntil, mustWait(until: until) { return .answer(.expired) }
      book.spentUntil = clock.now().adding(seconds: Self.secondChanceSeconds)
    }
    switch book.source.credential(for: user) {
    case nil: return .answer(.failed(.unsent(.failed(.noCredential), at: clock.now())))
    case .token(let token): return .answer(.token(token))
    case .login(let email, let password):
      book.states[user] = .loggingIn([])
      return .logIn(email: email, password: password, edition: book.edition)
    }
  }

  /// Returns whether a second chance is still in the future; one too far ahead was set by a clock that was ahead.
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

  /// Waits for the current login; resumes with nil to start over if its result is of no use to others.
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
    let answer = await client.logIn(email: email, password: password, user: user)
    let state: State?
    // The cancellation of this caller means nothing to the others.
    var shared: Answer? = answer
    switch answer {
    case .token(let token): state = .ready(token)
    case .expired:
      state = .expired(until: clock.now().adding(seconds: Self.secondChanceSeconds))
    case .failed(let exchange):
      state = nil
      if exchange.outcome.cause == .cancelled { shared = nil }
    }
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
