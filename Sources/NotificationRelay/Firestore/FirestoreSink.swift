internal import CivilTime
package import Failures
internal import Foundations
internal import HTTPClient
package import Scheduling

/// A user's account in the app.
package struct StoreAccount: Sendable, Equatable {
  /// The id by which the app knows the user.
  package var id: String
  /// The id of the user's document; nil if it must be looked for.
  package var document: String?

  /// Creates an account.
  package init(id: String, document: String?) {
    self.id = id
    self.document = document
  }
}

/// A directory of users' accounts in the app.
package protocol StoreAccounts: Sendable {
  /// Returns the user's account.
  func account(of user: String) async -> StoreAccount
}

/// Writes what users have earned into the app's documents in Cloud Firestore, each grant exactly once.
///
/// It is told that a user's account has changed, and then writes the difference between what the ledger has given the user and what
/// the document's record says was written: see ``StoreChange``. Users that are told while a batch is under way make the next batch.
package struct FirestoreSink: Sink {
  /// The settings of the sink.
  package struct Settings: Sendable {
    /// The service account.
    package var account: ServiceAccount
    /// The server, without a path.
    package var endpoint: WebhookAddress
    /// The project; nil for the service account's own.
    package var project: String?
    /// The database.
    package var database = "(default)"
    /// The collection of users' documents.
    package var collection = "Users"
    /// The documents' fields.
    package var fields = StoreFields()
    /// Other ledgers that this one continues, such as the one that shards were made from.
    package var formerLedgers: Set<String> = []
    /// How long Google may take to answer.
    package var timeoutSeconds = 15.0

    /// Creates the usual settings.
    package init(account: ServiceAccount, endpoint: WebhookAddress) {
      self.account = account
      self.endpoint = endpoint
    }
  }

  /// The maximum number of documents in a batch.
  static let documentsPerBatch = 100

  private let settings: Settings
  private let client: FirestoreClient
  let writer: StoreWriter
  private let batches: StoreBatches

  /// Creates a sink with its own connections. Google's tokens go by the `machineClock`, which differs from `clock` where the
  /// present is stated.
  package init(
    _ settings: Settings, earnings: any EarningsSource, accounts: any StoreAccounts,
    memory: StoreMemory, clock: any ServiceClock, machineClock: (any ServiceClock)? = nil
  ) {
    self.settings = settings
    let tokens = AccessTokens(
      settings.account, for: .datastore,
      http: HTTPClient(concurrentTransfers: 1, addresses: settings.account.tokenAddress.rule),
      clock: machineClock ?? clock, timeoutSeconds: settings.timeoutSeconds)
    client = FirestoreClient(
      base: "\(settings.endpoint.url)/v1/\(settings.root)",
      http: HTTPClient(concurrentTransfers: 16, addresses: settings.endpoint.rule),
      tokens: tokens, clock: clock, timeoutSeconds: settings.timeoutSeconds)
    let writer = StoreWriter(
      settings: settings, client: client, earnings: earnings, accounts: accounts, memory: memory,
      clock: clock, pace: Pace(clock: clock))
    self.writer = writer
    batches = StoreBatches(clock: clock, limit: Self.documentsPerBatch) { await writer.write($0) }
  }

  /// Two batches' worth of users at a time.
  package var options: SinkOptions {
    var options = SinkOptions()
    options.shipmentsAtOnce = 2 * Self.documentsPerBatch
    return options
  }

  /// Brings the documents of the events' users up to date, one after another, until one is not settled. Of a user who was forgotten
  /// only its own memory is emptied: the document is the app's to delete.
  package func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome] {
    await deliverInOrder(events) { event in
      guard let user = event.subject else { return .notWanted }
      return event.type == .userForgotten
        ? await writer.forget(user) : await batches.add(user)
    }
  }

  /// Reads a document and writes nothing.
  package func test(_ event: CloudEvent) async -> (outcome: DeliveryOutcome, answer: [UInt8]) {
    do throws(FirestoreClient.Failure) {
      guard let document = try await anyTwo().first else {
        return (.refused(reason: settings.emptiness, status: 200), [])
      }
      return (.delivered(status: 200), Array("document \(document.id) can be read".utf8))
    } catch {
      return (DeliveryOutcome(reading: error), [])
    }
  }

  /// Reads a document, and describes how its flags are understood and which fields it lacks.
  package func checkUp() async throws(Failure) -> String {
    do throws(FirestoreClient.Failure) {
      let documents = try await anyTwo()
      guard let document = documents.first else {
        throw FirestoreClient.Failure.unavailable(settings.emptiness)
      }
      return settings.readings(of: document)
    } catch {
      throw Failure(
        .unavailable, "Firestore cannot be read: \(error.words)",
        remedy:
          "Check project, database and collection, and that the service account has the role Cloud Datastore User."
      )
    }
  }

  private func anyTwo() async throws(FirestoreClient.Failure) -> [StoreDocument] {
    try await client.find(nil, by: "", in: settings.collection, fields: settings.fields.all)
  }
}

extension FirestoreSink.Settings {
  /// The name of all documents together.
  fileprivate var root: String {
    "projects/\(project ?? account.project)/databases/\(database)/documents"
  }

  /// The name of the collection.
  var collectionName: String { "\(root)/\(collection)" }

  /// Returns why a document is not the one of the user with this id, or nil.
  func flaw(of document: StoreDocument, _ id: String) -> String? {
    guard let name = fields[.userID] else { return nil }
    switch document.fields[name] {
    case nil, .null: return nil
    case .string(id): return nil
    case .integer(let number) where String(number) == id: return nil
    case .string(let other): return "its \(name) is \(other), not \(id)"
    default: return "its \(name) is not \(id)"
    }
  }

  /// What is wrong with a collection that has no documents.
  fileprivate var emptiness: String { "the collection \(collection) has no documents" }

  /// Describes what the flags of a document say under this configuration and under the opposite.
  fileprivate func readings(of document: StoreDocument) -> String {
    let missing = StoreField.allCases.compactMap { fields[$0] }
      .filter { document.fields[$0] == nil && $0 != fields.record }
    let lacks = missing.isEmpty ? "" : "; it has no \(missing.joined(separator: ", "))"
    guard let name = fields[.missionRewards], case .array(let flags)? = document.fields[name]
    else { return "document \(document.id) can be read\(lacks)" }
    func missions(where value: Bool) -> String {
      let found = zip(StoreField.missions, flags).filter { $0.1 == .bool(value) }.map(\.0)
      return found.isEmpty ? "none" : found.joined(separator: ", ")
    }
    let collected = fields.collectedValue
    return """
      document \(document.id) says, with collectedValue \(collected): collected today \(missions(where: collected)); \
      with \(!collected) it would be \(missions(where: !collected))\(lacks)
      """
  }
}

extension FirestoreClient.Failure {
  /// The failure in words.
  fileprivate var words: String {
    switch self {
    case .failed(let failure): failure.reason
    case .unavailable(let reason), .refused(let reason, _): reason
    case .conflict: "a document was changed in between"
    }
  }
}
