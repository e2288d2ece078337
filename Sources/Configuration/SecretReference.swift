package import Failures
package import Foundations

/// The place of a secret: an environment variable, or a file that only its owner may read.
package enum SecretReference: Equatable, Sendable, CustomStringConvertible {
  case environment(String)
  case file(String)

  private static let limitBytes = 65_536

  /// The place, never the secret.
  package var description: String {
    switch self {
    case .environment(let name): "environment variable \(name)"
    case .file(let path): "file \(path)"
    }
  }

  /// The place, as the configuration writes it.
  var document: String {
    switch self {
    case .environment(let name): "{\"env\": \"\(name)\"}"
    case .file(let path): "{\"file\": \"\(path)\"}"
    }
  }

  /// What to do when the secret is missing; `file` sets the variables of the service.
  package func remedy(in file: String?) -> String {
    switch (self, file) {
    case (.environment(let name), nil):
      "set \(name) in the service's environment; to load what rewards init wrote: set -a; . ./secrets.env; set +a"
    case (.environment(let name), let file?):
      "see that \(name)= has a value in \(file), which the service loads; for this shell: set -a; . \(file); set +a"
    case (.file(let path), _): "put only the secret into \(path), and run: chmod 600 \(path)"
    }
  }

  /// Fetches the secret from the environment or from a file in `files`, without any surrounding white space.
  package func resolve(
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

/// The reason a secret could not be fetched: its place and the cause, never its content.
package struct SecretError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The place of the secret.
  package let reference: SecretReference
  /// The problem found there.
  package let what: String

  /// Creates an error about the secret at `reference`.
  package init(reference: SecretReference, what: String) {
    self.reference = reference
    self.what = what
  }

  /// The place and the cause, on one line.
  package var description: String { "the secret in \(reference) \(what)" }
}

/// A secret in memory, which always prints as a mask.
package struct ConfiguredSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The secret itself. Use it only in the call that needs it.
  package let bytes: [UInt8]
  /// Where it came from.
  package let reference: SecretReference

  init(_ bytes: [UInt8], from reference: SecretReference) {
    self.bytes = bytes
    self.reference = reference
  }

  /// A mask, not the secret.
  package var description: String { "•••" }
  /// A mask, not the secret.
  package var debugDescription: String { description }
  /// A mirror without children, so that reflection cannot show the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretError: FailureConvertible {
  /// A configuration failure.
  package var failure: Failure {
    Failure(.configuration, description, remedy: reference.remedy(in: nil))
  }
}
