extension Configuration {
  /// Somebody who is told what was granted.
  public struct Sink: Sendable {
    /// How a sink is reached.
    public enum Kind: Sendable {
      /// Signed POSTs of CloudEvents to a URL.
      case webhook(url: String, secret: SecretReference)
      /// Firebase Cloud Messaging with a service account's credentials.
      case fcm(credentials: SecretReference)
      /// One CloudEvent per line of a file.
      case file(path: String)
    }

    /// The sink's name, also that of its folder under `relay/`.
    public let name: String
    /// How it is reached.
    public let kind: Kind
  }

  /// The address for probes, metrics and activities.
  public struct Admin: Sendable {
    /// A host name or address, without the brackets of IPv6.
    public let host: String
    /// The TCP port; 0 lets the system choose.
    public let port: UInt16
    /// What a caller who hands in activities must bear; nil refuses them all.
    public let token: SecretReference?
  }
}
