import CheerAPI
package import CivilTime
import Configuration
import Failures
import Foundations
import Ledger
import LedgerStore
import NotificationRelay
import Scheduling

/// Forgets a user: takes them out for good, and deletes what is kept about the person beside the ledger.
///
/// The ledger comes first: from its seal on nobody polls the user, takes lines about them or sends what waits for them.
/// Each step after it finds nothing left the second time, so an interrupted act is finished by repeating it. The roster's
/// line goes last, because earlier steps need what it holds.
package struct UserForgetting: Sendable {
  /// What was forgotten, and what is left.
  package struct Report: Sendable {
    /// The user's id in the ledger.
    package let user: String
    /// When the user was forgotten.
    package let at: Instant
    /// Whether that was before this act.
    package let wasForgotten: Bool
    /// Whether the id is a pseudonym.
    package let isPseudonym: Bool
    /// What this act deleted.
    package internal(set) var removed: [Removed] = []
    /// The sinks that are sent `user.forgotten`.
    package internal(set) var sinks: [String] = []
    /// The number of the ledger's lines about the user.
    package internal(set) var ledgerLines = 0
    /// The other places where something about the user is left, in words.
    package internal(set) var elsewhere: [String] = []
    /// What could not be deleted, in words.
    package internal(set) var problems: [String] = []
  }

  /// Something that was deleted.
  package struct Removed: Sendable, Equatable {
    /// What it was.
    package let what: String
    /// Where it was.
    package let place: String
    /// How many of them.
    package let count: Int
  }

  private let runtime: Runtime
  private let thread = BlockingThread(named: "rewards.forget")

  /// Creates the act on the ledger that this process holds.
  package init(_ runtime: Runtime) { self.runtime = runtime }

  /// Forgets a user, after processing everything in the inbox. Throws for a user whom the ledger does not know, when the
  /// ledger cannot be written, and while the clock is in doubt. What cannot be deleted is in the report.
  package func forget(_ user: String, reason: String, by actor: String) async throws -> Report {
    try runtime.requireConfirmedClock()
    guard await runtime.writer.read({ $0.ledger.index(of: user) }) != nil else {
      throw Failure.unknownUser(user)
    }
    _ = try await InboxSweep(runtime: runtime).readAll()
    var report = try await record(user, reason, actor)
    report.sinks = runtime.configuration.relay.filter { $0.terms.events.tellsOfForgetting(user) }
      .map(\.name)
    await delete(user, &report)
    let directory = runtime.directory
    do {
      report.ledgerLines = try await thread.run {
        var count = 0
        try LedgerReader.open(directory).scan(.of(.named([user]))) { _ in count += 1 }
        return count
      }
    } catch {
      report.problems.append("the ledger's lines could not be counted: \(error)")
    }
    report.elsewhere = elsewhere
    return report
  }

  private func record(_ user: String, _ reason: String, _ actor: String) async throws -> Report {
    // Before the seal, so that nothing that waits slips out after it.
    _ = runtime.forgotten.withLock { $0.insert(user) }
    do {
      let act = try await RosterImport(runtime.writer).forget(user: user, reason: reason, by: actor)
      guard let act else { throw Failure.unknownUser(user) }
      return Report(
        user: user, at: act.at, wasForgotten: act.wasForgotten, isPseudonym: act.isPseudonym)
    } catch {
      let isForgotten = await runtime.writer.read {
        $0.ledger.account(of: user)?.forgottenAt != nil
      }
      if !isForgotten { _ = runtime.forgotten.withLock { $0.remove(user) } }
      throw error
    }
  }

  /// Deletes everything beside the ledger; one step that fails stops no other.
  private func delete(_ user: String, _ report: inout Report) async {
    let (configuration, directory) = (runtime.configuration, runtime.directory)
    func step(
      _ what: String, _ place: String, _ work: () async throws -> Int
    ) async {
      do {
        let count = try await work()
        if count > 0 { report.removed.append(Removed(what: what, place: place, count: count)) }
      } catch {
        report.problems.append("\(what) in \(place): \(error)")
      }
    }
    await step("polls and habits", directory.looks) { try await forgetPolls(of: user) }
    for sink in configuration.relay {
      switch sink.kind {
      case .fcm, .firestore: break
      case .file, .webhook: continue
      }
      await step("push device or document id", sink.name) {
        try await users(of: sink.name).erase(user) ? 1 : 0
      }
    }
    let sinks = (try? await thread.run { try directory.files.names(in: directory.relay) }) ?? []
    for sink in sinks.sorted() {
      await step("delivery logs", directory.relay(sink: sink)) {
        try await eraseDeliveries(of: user, at: sink)
      }
    }
    await step("inbox lines", directory.inbox) {
      try await thread.run { try ReadInboxFiles(directory: directory).erase(user) }
    }
    if let path = configuration.api.credentials {
      await step("credentials", path) {
        try await removeLines(of: user, from: path, isSecret: true)
      }
      // Those of others may have been renewed meanwhile, and are read again as well.
      await step("credentials in use", path) {
        try await thread.run { [runtime] in
          try runtime.api?.reload(runtime.configuration, runtime.environment)
        }
        return 0
      }
    }
    await step("roster line", configuration.users) {
      try await removeLines(of: user, from: configuration.users, isSecret: false)
    }
    runtime.api?.api.forget(user)
  }

  private func forgetPolls(of user: String) async throws -> Int {
    let memory = LookMemory(runtime.writer)
    let hadAny = await memory.forget(user)
    await memory.rewrite(in: runtime.looks)
    await runtime.looks.flush()
    if let (habits, ledger) = await memory.habitsToKeep() {
      try await thread.run { [directory = runtime.directory] in
        try HabitFile(directory).write(habits, ledger: ledger)
      }
    }
    return hadAny ? 1 : 0
  }

  /// Returns what a sink knows of users: what is in use, or as a service would read it.
  private func users(of sink: String) async -> RelayUsers {
    if let used = runtime.relay.users(of: sink) { return used }
    let users = RelayUsers(
      roster: runtime.configuration.users, sink: sink, in: runtime.directory,
      writer: runtime.writer, zones: runtime.environment.zones, log: runtime.environment.log)
    await users.reload()
    return users
  }

  private func eraseDeliveries(of user: String, at sink: String) async throws -> Int {
    if let pump = runtime.relay[sink] { return try await pump.erase(user) }
    guard let store = runtime.store else { return 0 }
    let (directory, now) = (runtime.directory, runtime.clock.now())
    let terms = SinkWriter.Terms(ledger: store.report.ledger)
    // One that is still configured is told, and then forgets what it knows of documents.
    let isConfigured = runtime.configuration.relay.contains { $0.name == sink }
    return try await thread.run {
      if !isConfigured { try StoreMemory(of: sink, in: directory, isWriter: true).forget(user) }
      return try SinkWriter(sink, in: directory, terms).erase(user, at: now)
    }
  }

  private func removeLines(
    of user: String, from path: String, isSecret: Bool
  ) async throws -> Int {
    let files = runtime.configuration.files
    let (count, doubtful) = try await thread.run {
      try PersonalFile(path: path, isSecret: isSecret).removeLines(of: user, in: files)
    }
    if let line = doubtful.first {
      throw Failure(
        .badData, "line \(line) cannot be read and may be the user's", place: path,
        remedy: "Correct it or take it out, then repeat the command.")
    }
    return count
  }

  private var elsewhere: [String] {
    var places: [String] = []
    for sink in runtime.configuration.relay {
      switch sink.kind {
      case .file(let path): places.append("\(path): the events written so far")
      case .firestore(let store):
        places.append("the user's document in \(store.collection): deleting it is the app's part")
      case .fcm, .webhook: break
      }
    }
    places.append("backups made before, whose files hold polls, delivery logs and waiting lines")
    places.append("what others keep: receivers of events, printed pages, the log of rewards serve")
    if runtime.directory.isInDatabase {
      places.append("rosters and credentials of other machines that work on this ledger")
    }
    return places
  }
}
