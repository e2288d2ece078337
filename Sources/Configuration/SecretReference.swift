public import Failures
public import Files

/// Where a secret is kept: in an environment variable or in a file that only its owner may read.
public enum SecretReference: Equatable, Sendable, CustomStringConvertible {
  case environment(String)
  case file(String)

  private static let limitBytes = 65_536

  /// The place, never the secret.
  public var description: String {
    switch self {
    case .environment(let name): "environment variable \(name)"
    case .file(let path): "file \(path)"
    }
  }

  /// The place, as a configuration writes it.
  var document: String {
    switch self {
    case .environment(let name): "{\"env\": \"\(name)\"}"
    case .file(let path): "{\"file\": \"\(path)\"}"
    }
  }

  /// Fetches the secret from the environment, or from a file among `files`; white space around it in a file is not part of it.
  public func resolve(
    environment: [String: String], in files: any FileSystem
  ) throws(SecretError) -> ConfiguredSecret {
    let bytes: [UInt8]
    switch self {
    case .environment(let name):
      guard let value = environment[name] else {
        throw SecretError(reference: self, what: "is not set")
      }
      bytes = Array(value.utf8)
    case .file(let path):
      do throws(ReadError) {
        bytes = try files.readInput(path, limitBytes: Self.limitBytes, isSecret: true)
      } catch {
        throw SecretError(reference: self, what: "cannot be used: \(error.what)")
      }
    }
    let trimmed = Self.withoutSurroundingSpace(bytes)
    guard !trimmed.isEmpty else { throw SecretError(reference: self, what: "is empty") }
    return ConfiguredSecret(Array(trimmed), from: self)
  }

  private static func withoutSurroundingSpace(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }),
      let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return [] }
    return bytes[first...last]
  }
}

/// Why a secret could not be fetched: from where and the cause, never what it is.
public struct SecretError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where the secret should be.
  public let reference: SecretReference
  /// What is wrong there.
  public let what: String

  /// An error about the secret that `reference` names.
  public init(reference: SecretReference, what: String) {
    self.reference = reference
    self.what = what
  }

  /// The place and the cause, on one line.
  public var description: String { "the secret in \(reference) \(what)" }
}

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

extension SecretError: FailureConvertible {
  /// A mistake of the configuration.
  public var failure: Failure { Failure(.configuration, description) }
}
