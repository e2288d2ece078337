internal import CivilTime
internal import Foundations
internal import HTTPClient
internal import Ledger
internal import Scheduling

/// Brings users' documents up to date, many at a time: reads them, computes what is due, and commits it.
struct StoreWriter: Sendable {
  /// How often a document is read again in one batch because somebody has changed it in between.
  private static let roundsAtMost = 4
  /// How long a user without a document waits before it is looked for again, in seconds.
  private static let absentSeconds: Int64 = 600
  /// How often it is checked whether the app was opened since a reward, in seconds: opening it sets the day's flags anew.
  private static let launchSeconds: Int64 = 300
  /// How many documents are looked for at once.
  private static let searchesAtOnce = 16

  let settings: FirestoreSink.Settings
  let client: FirestoreClient
  let earnings: any EarningsSource
  let accounts: any StoreAccounts
  let memory: StoreMemory
  let clock: any ServiceClock
  let pace: Pace
  let thread = BlockingThread(named: "rewards.documents")

  /// Returns the outcome for each of `users`.
  func write(_ users: [String]) async -> [String: DeliveryOutcome] {
    var outcomes: [String: DeliveryOutcome] = [:]
    if let trouble = await settleMemory() {
      for user in users { outcomes[user] = .unavailable(reason: trouble) }
      return outcomes
    }
    var left = users
    for _ in 0..<Self.roundsAtMost where !left.isEmpty {
      let round = await writeOnce(left)
      outcomes.merge(round) { $1 }
      left = left.filter { outcomes[$0] == nil }
    }
    for user in left {
      outcomes[user] = DeliveryOutcome(FirestoreClient.Failure.conflict)
    }
    _ = await settleMemory()
    return Self.oneFailureOfAll(outcomes, now: clock.now())
  }

  /// Leaves a failure that concerns the whole sink to one user, so that it counts once; the others are tried again.
  static func oneFailureOfAll(
    _ outcomes: [String: DeliveryOutcome], now: Instant
  ) -> [String: DeliveryOutcome] {
    let failed = outcomes.filter(\.value.isSinkWide).keys
    guard let first = failed.min() else { return outcomes }
    return outcomes.merging(failed.filter { $0 != first }.map { ($0, .postponed(until: now)) }) {
      $1
    }
  }

  /// Reads and writes once; returns no outcome for users whose document was changed in between.
  private func writeOnce(_ users: [String]) async -> [String: DeliveryOutcome] {
    let (documents, unread) = await read(users)
    var outcomes = unread
    // The ledger is read after the documents, so that no record is ahead of it.
    let now = clock.certain()
    let current = await earnings.earnings(of: Array(documents.keys), at: now)
    var changes: [UserChange] = []
    for (user, document) in documents.sorted(by: { $0.key < $1.key }) {
      guard let current = current[user] else {
        outcomes[user] = .notWanted
        continue
      }
      do throws(StoreChange.Obstacle) {
        let record = try await record(of: document, user, current)
        let change = try StoreChange(
          of: document, from: record, to: current, settings.fields, now: now)
        let done = outcome(of: document, current, now)
        if change.isEmpty {
          // The answer to the commit that wrote it may have been lost.
          if document.fields[settings.fields.record] == record.value,
            memory[user]?.record != record || memory[user]?.id != document.id
          {
            memory.remember([(user, StoreMemory.Entry(id: document.id, record: record, at: now))])
          }
          outcomes[user] = done
        } else {
          changes.append(UserChange(user: user, change: change, outcome: done))
        }
      } catch {
        switch error {
        case .unusable(let what):
          outcomes[user] = .refused(reason: "document \(document.id): \(what)", status: nil)
        case .ahead(let position):
          outcomes[user] = .gone(
            reason:
              "the document of \(user) was written from line \(position), and the ledger ends at \(current.position): it was restored from an older state; resume the sink when it has caught up, or if only this document is wrong, say what it is: rewards relay replay --user \(user) with --as written or --as new"
          )
        }
      }
    }
    if outcomes.values.contains(where: { if case .gone = $0 { true } else { false } }) {
      for item in changes { outcomes[item.user] = .postponed(until: now) }
      return outcomes
    }
    outcomes.merge(await commit(changes)) { $1 }
    return outcomes
  }

  /// A user's change, and the outcome once it is made.
  private struct UserChange: Sendable {
    let user: String
    let change: StoreChange
    let outcome: DeliveryOutcome
  }

  /// The outcome when nothing is due any more: done or, when the app will set the day's flags anew, not yet.
  private func outcome(
    of document: StoreDocument, _ current: CurrentEarnings, _ now: Instant
  ) -> DeliveryOutcome {
    guard !current.rewarded.isEmpty, let name = settings.fields[.lastLogin],
      case .timestamp(let launched)? = document.fields[name], launched < current.day.start,
      now < current.day.end
    else { return .delivered(status: 200) }
    return .postponed(until: min(now.adding(seconds: Self.launchSeconds), current.day.end))
  }

  /// Returns what was written to a document. Where its record is gone, nobody knows, and an operator must say.
  func record(
    of document: StoreDocument, _ user: String, _ current: CurrentEarnings
  ) async throws(StoreChange.Obstacle) -> StoreRecord {
    let name = settings.fields.record
    guard let value = document.fields[name], value != .null else {
      guard let known = memory[user] else { return StoreRecord(ledger: current.ledger) }
      guard let verdict = await verdict(on: user, since: known.at) else {
        throw .unusable(
          "\(name) is gone, which was written at \(known.at); say whether the rest of the document was kept: rewards relay replay --user \(user), with --as written or --as new"
        )
      }
      return try await valid(known.record, of: user, verdict, current)
    }
    guard let record = StoreRecord(value) else {
      throw .unusable("\(name) is not this program's record; rename one of them by fields")
    }
    return try await valid(record, of: user, nil, current)
  }

  /// Returns a record as this ledger may go on from it, after an operator's verdict on the document, if there is one.
  private func valid(
    _ record: StoreRecord, of user: String, _ verdict: StoreMemory.Verdict?,
    _ current: CurrentEarnings
  ) async throws(StoreChange.Obstacle) -> StoreRecord {
    if verdict == .new { return StoreRecord(ledger: current.ledger) }
    var record = record
    if settings.formerLedgers.contains(record.ledger) {
      record.ledger = current.ledger
      record.position = 0
    }
    guard record.ledger == current.ledger else {
      throw .unusable(
        "it was written from the ledger \(record.ledger); name that in formerLedgers if this one continues it"
      )
    }
    if record.position <= current.position { return record }
    let said =
      if let verdict { verdict } else {
        await self.verdict(on: user, since: memory[user]?.at ?? .earliest)
      }
    switch said {
    case .new: return StoreRecord(ledger: current.ledger)
    case .written:
      record.position = current.position
      return record
    case nil: throw .ahead(record.position)
    }
  }

  private func verdict(on user: String, since instant: Instant) async -> StoreMemory.Verdict? {
    let memory = memory
    return (try? await thread.run { try memory.verdict(on: user, since: instant) }) ?? nil
  }

  /// Forgets what it knows of a user's document.
  func forget(_ user: String) async -> DeliveryOutcome {
    do {
      try await thread.run { [memory] in try memory.forget(user) }
      return .delivered(status: nil)
    } catch {
      return .failed(DeliveryFailure("\(error)", isSinkWide: false))
    }
  }

  func settleMemory() async -> String? {
    do {
      try await thread.run { [memory] in try memory.settle() }
      return nil
    } catch {
      return "what was written cannot be remembered: \(error)"
    }
  }
}

// MARK: - Reading

extension StoreWriter {
  /// Returns the users' documents, and the outcomes of those without one.
  func read(
    _ users: [String]
  ) async -> (documents: [String: StoreDocument], outcomes: [String: DeliveryOutcome]) {
    var documents: [String: StoreDocument] = [:]
    var outcomes: [String: DeliveryOutcome] = [:]
    var known: [String: StoreAccount] = [:]
    var named: [(user: String, name: String)] = []
    var unnamed: [(user: String, id: String)] = []
    for user in users {
      let account = await accounts.account(of: user)
      known[user] = account
      if let id = account.document ?? memory[user]?.id {
        named.append((user, "\(settings.collectionName)/\(id)"))
      } else {
        unnamed.append((user, account.id))
      }
    }
    await get(named[...], &documents, &outcomes)
    // A document that is not where it was may be elsewhere.
    for (user, _) in named where documents[user] == nil && outcomes[user] == nil {
      if let account = known[user], account.document == nil { unnamed.append((user, account.id)) }
    }
    await find(unnamed, &documents, &outcomes)
    for user in users where documents[user] == nil && outcomes[user] == nil {
      outcomes[user] = .postponed(until: clock.now().adding(seconds: Self.absentSeconds))
    }
    for (user, document) in documents {
      if let account = known[user], let flaw = settings.flaw(of: document, account.id) {
        documents[user] = nil
        outcomes[user] = .refused(reason: "document \(document.id): \(flaw)", status: nil)
      }
    }
    return (documents, outcomes)
  }

  /// Reads documents by name, in halves as long as one of them spoils an answer.
  private func get(
    _ named: ArraySlice<(user: String, name: String)>,
    _ documents: inout [String: StoreDocument], _ outcomes: inout [String: DeliveryOutcome]
  ) async {
    if named.isEmpty { return }
    do throws(FirestoreClient.Failure) {
      let found = try await client.documents(named.map(\.name), fields: settings.fields.all)
      for (user, name) in named { documents[user] = found[name] }
    } catch .refused where named.count > 1 {
      await get(named.prefix(named.count / 2), &documents, &outcomes)
      await get(named.dropFirst(named.count / 2), &documents, &outcomes)
    } catch {
      for (user, _) in named { outcomes[user] = DeliveryOutcome(reading: error) }
    }
  }

  /// Looks for documents by the user's id in them.
  private func find(
    _ users: [(user: String, id: String)], _ documents: inout [String: StoreDocument],
    _ outcomes: inout [String: DeliveryOutcome]
  ) async {
    guard let field = settings.fields[.userID] else {
      for (user, _) in users {
        outcomes[user] = .refused(
          reason: "the roster has no account of \(user), and fields has no UserID to look for",
          status: nil)
      }
      return
    }
    let (client, settings) = (client, settings)
    typealias Found = (user: String, result: Result<[StoreDocument], FirestoreClient.Failure>)
    var found: [Found] = []
    try? await clock.forEach(in: users, atMost: Self.searchesAtOnce) { user, id -> Found in
      do throws(FirestoreClient.Failure) {
        let documents = try await client.find(
          id, by: field, in: settings.collection, fields: settings.fields.all)
        return (user, .success(documents))
      } catch {
        return (user, .failure(error))
      }
    } finished: {
      found.append($0)
    }
    for (user, result) in found {
      switch result {
      case .success(let matches) where matches.count > 1:
        outcomes[user] = .refused(
          reason:
            "two documents have \(field) \(user): \(matches.map(\.id).joined(separator: ", "))",
          status: nil)
      case .success(let matches): documents[user] = matches.first
      case .failure(let failure): outcomes[user] = DeliveryOutcome(reading: failure)
      }
    }
  }
}

// MARK: - Writing

extension StoreWriter {
  /// Commits changes together, in halves as long as one of them prevents the rest; returns no outcome for conflicts.
  private func commit(_ changes: [UserChange]) async -> [String: DeliveryOutcome] {
    if changes.isEmpty { return [:] }
    do throws(FirestoreClient.Failure) {
      guard await pace.wait(for: changes.count) else {
        throw .failed(DeliveryFailure("cancelled", isSinkWide: false))
      }
      try await client.commit(changes.map(\.change), settings.fields)
    } catch {
      if error.concernsOne, changes.count > 1 {
        let half = changes.count / 2
        return await commit(Array(changes.prefix(half)))
          .merging(await commit(Array(changes.dropFirst(half)))) { $1 }
      }
      if error == .conflict { return [:] }
      let outcome = DeliveryOutcome(error)
      return Dictionary(changes.map { ($0.user, outcome) }) { $1 }
    }
    let now = clock.now()
    memory.remember(
      changes.map { item in
        let change = item.change
        return (
          item.user, StoreMemory.Entry(id: change.document.id, record: change.record, at: now)
        )
      })
    return Dictionary(changes.map { ($0.user, $0.outcome) }) { $1 }
  }
}

extension FirestoreClient.Failure {
  /// Whether another part of the same request may succeed.
  fileprivate var concernsOne: Bool {
    switch self {
    case .conflict, .refused: true
    case .failed, .unavailable: false
    }
  }
}

extension DeliveryOutcome {
  /// The outcome for a user whose document could not be read: an answer that nobody can read may be a better one next time.
  init(reading failure: FirestoreClient.Failure) {
    if case .refused(let reason, let status) = failure {
      self = .failed(DeliveryFailure(reason, status: status, isSinkWide: false))
    } else {
      self.init(failure)
    }
  }

  /// The outcome for a user whose document could not be written.
  init(_ failure: FirestoreClient.Failure) {
    switch failure {
    case .failed(let failure): self = .failed(failure)
    case .unavailable(let reason): self = .unavailable(reason: reason)
    case .refused(let reason, let status): self = .refused(reason: reason, status: status)
    case .conflict:
      self = .failed(DeliveryFailure("others keep changing the document", isSinkWide: false))
    }
  }
}
