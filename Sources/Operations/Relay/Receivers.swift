import Configuration
import Foundations
import LedgerStore
import NotificationRelay

/// Makes the configured sinks.
enum Receivers {
  /// Returns the sink; `users` says what it needs to know about users. Throws ``SecretError``, ``PushTemplates/Problems``
  /// and the like.
  static func make(
    _ sink: Configuration.Sink, at directory: DataDirectory, _ environment: RuntimeEnvironment,
    users: any PushDevices & StoreAccounts & EarningsSource
  ) throws -> any Sink {
    switch sink.kind {
    case .file(let path): try file(path, sink, directory)
    case .webhook(let webhook): try self.webhook(webhook, sink.terms, environment, directory.files)
    case .fcm(let push):
      FCMSink(
        try settings(push, sink.terms, environment, directory.files), devices: users,
        clock: environment.clock)
    case .firestore(let store):
      try self.store(store, of: sink, at: directory, environment, users: users, isWriter: true)
    }
  }

  /// Returns a Firestore sink. Only the one of the process that delivers is a writer.
  static func store(
    _ store: Configuration.Sink.Store, of sink: Configuration.Sink, at directory: DataDirectory,
    _ environment: RuntimeEnvironment, users: any StoreAccounts & EarningsSource, isWriter: Bool
  ) throws -> FirestoreSink {
    FirestoreSink(
      try settings(store, sink.terms, environment, directory.files), earnings: users,
      accounts: users, memory: StoreMemory(of: sink.name, in: directory, isWriter: isWriter),
      clock: environment.clock, machineClock: environment.machineClock)
  }

  /// Opens the sink's own file, which need not exist yet.
  private static func file(
    _ path: String, _ sink: Configuration.Sink, _ directory: DataDirectory
  ) throws -> FileSink {
    func refusal(_ cause: String) -> RuntimeError {
      RuntimeError(
        kind: .configuration, cause: "sink \(sink.name): \(path) \(cause)",
        remedy: "give the sink a file of its own as its path")
    }
    if directory.holds(path) { throw refusal("is among the ledger's own files") }
    let receiver = FileSink(path: path, fileSystem: directory.files)
    do {
      try receiver.requireOwn()
    } catch let error as FileError where error.isOddity {
      throw refusal("holds something other than events")
    }
    return receiver
  }

  private static func settings(
    _ push: Configuration.Sink.Push, _ terms: Configuration.Sink.Terms,
    _ environment: RuntimeEnvironment, _ files: any FileSystem
  ) throws -> FCMSink.Settings {
    var settings = FCMSink.Settings(
      account: try account(push.credentials, environment, files), endpoint: push.endpoint)
    if let templates = push.templates { settings.templates = try Self.templates(templates, files) }
    settings.quietHours = push.quietHours
    settings.topic = push.topic
    settings.maxAgeSeconds = Int64(push.maxAgeHours) * 3_600
    settings.concurrency = terms.concurrency
    settings.timeoutSeconds = Double(terms.timeoutSeconds)
    return settings
  }

  private static func settings(
    _ store: Configuration.Sink.Store, _ terms: Configuration.Sink.Terms,
    _ environment: RuntimeEnvironment, _ files: any FileSystem
  ) throws -> FirestoreSink.Settings {
    var settings = FirestoreSink.Settings(
      account: try account(store.credentials, environment, files), endpoint: store.endpoint)
    settings.project = store.project
    settings.database = store.database
    settings.collection = store.collection
    settings.fields = store.fields
    settings.formerLedgers = Set(store.formerLedgers)
    settings.timeoutSeconds = Double(terms.timeoutSeconds)
    return settings
  }

  private static func account(
    _ credentials: SecretReference, _ environment: RuntimeEnvironment, _ files: any FileSystem
  ) throws -> ServiceAccount {
    let secret = try credentials.resolve(environment: environment.variables, in: files)
    do throws(ServiceAccount.Flaw) {
      return try ServiceAccount(secret.bytes)
    } catch {
      throw SecretError(reference: credentials, what: error.description)
    }
  }

  private static func templates(
    _ path: String, _ files: any FileSystem
  ) throws -> PushTemplates {
    do {
      return try PushTemplates.parse(files.readInput(path, limitBytes: 1 << 20)).get()
    } catch let error as PushTemplates.Problems {
      throw RuntimeError(
        kind: .configuration,
        cause: error.problems.map { "\(path), \($0)" }.joined(separator: "\n"),
        remedy: "correct the templates: rewards help relay")
    } catch {
      throw RuntimeError(
        kind: .configuration, cause: "\(path): \(error)",
        remedy: "name a readable file of templates")
    }
  }

  private static func webhook(
    _ webhook: Configuration.Sink.Webhook, _ terms: Configuration.Sink.Terms,
    _ environment: RuntimeEnvironment, _ files: any FileSystem
  ) throws -> WebhookSink {
    let address = try WebhookAddress.parse(
      webhook.url, allowsPrivate: webhook.allowsPrivate
    ).get()
    var settings = WebhookSink.Settings(
      address: address,
      secrets: try [webhook.secret, webhook.previousSecret].compactMap(\.self).map { reference in
        let secret = try reference.resolve(environment: environment.variables, in: files)
        do throws(WebhookSecret.Flaw) {
          return try WebhookSecret.parse(String(decoding: secret.bytes, as: UTF8.self)).get()
        } catch {
          throw SecretError(reference: reference, what: error.description)
        }
      })
    settings.concurrency = terms.concurrency
    settings.timeoutSeconds = Double(terms.timeoutSeconds)
    return WebhookSink(
      settings, http: environment.connect(settings.concurrency, address.rule),
      clock: environment.clock)
  }
}
