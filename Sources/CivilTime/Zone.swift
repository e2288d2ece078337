/// The rules of one time zone: an immutable table of offsets from UTC.
public final class Zone: Sendable {
  /// The IANA name.
  public let name: String

  init(name: String) { self.name = name }
}
