/// A secret in memory. Whatever prints it prints a mask.
public struct ConfiguredSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The secret itself: for the call that needs it and nothing else.
  public let bytes: [UInt8]
  /// Where it came from.
  public let reference: SecretReference

  init(_ bytes: [UInt8], from reference: SecretReference) {
    self.bytes = bytes
    self.reference = reference
  }

  /// A mask.
  public var description: String { "•••" }
  /// A mask.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
