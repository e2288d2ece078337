import Configuration
import NotificationRelay
import Webhook

/// Makes the receivers that the configuration names.
enum Receivers {
  /// The receiver; nil for kinds that this version does not serve. Throws ``SecretError`` and the like.
  static func make(
    _ sink: Configuration.Sink, _ environment: RuntimeEnvironment
  ) throws -> (any Sink)? {
    switch sink.kind {
    case .file(let path): FileSink(path: path)
    case .webhook(let url, let secret):
      WebhookSink(
        try webhook(url, [secret, sink.terms.previousSecret], sink, environment),
        clock: environment.clock)
    case .fcm: nil
    }
  }

  private static func webhook(
    _ url: String, _ secrets: [SecretReference?], _ sink: Configuration.Sink,
    _ environment: RuntimeEnvironment
  ) throws -> WebhookSink.Settings {
    let address = try WebhookAddress.parse(url, allowsPrivate: sink.terms.allowsPrivate).get()
    var settings = WebhookSink.Settings(
      address: address,
      secrets: try secrets.compactMap { $0 }.map { reference in
        let secret = try reference.resolve(environment: environment.variables)
        do throws(WebhookSecret.Flaw) {
          return try WebhookSecret.parse(String(decoding: secret.bytes, as: UTF8.self)).get()
        } catch {
          throw SecretError(reference: reference, what: error.description)
        }
      })
    settings.concurrency = sink.terms.concurrency
    settings.timeoutSeconds = Double(sink.terms.timeoutSeconds)
    return settings
  }
}
