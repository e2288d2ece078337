package import Failures
package import Foundations
package import Ledger

/// Why the ledger cannot be opened, read or appended to: place, cause and remedy.
package struct LedgerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failure, for callers that must tell them apart.
  package enum Kind: Equatable, Sendable {
    /// Another process is writing this ledger.
    case locked
    /// The files differ from what was once sealed.
    case damaged([Damage])
    /// A head known from outside is missing from the ledger.
    case headMissing
    /// The ledger's format is newer than this version supports.
    case newerFormat
    /// Records that cannot be written: too long, or too many for one batch.
    case refused
    /// There is no ledger.
    case missing
    /// A system call failed; appends may be retried.
    case inputOutput(FileError)
    /// The store was closed.
    case closed
    /// The checkpoint of an audit cannot be used.
    case checkpoint
  }

  /// The kind of failure.
  package let kind: Kind
  /// The file or folder, with line and byte where known.
  package let place: String
  /// What happened.
  package let cause: String
  /// What to do.
  package let remedy: String

  init(_ kind: Kind, place: String, cause: String, remedy: String) {
    self.kind = kind
    self.place = place
    self.cause = cause
    self.remedy = remedy
  }

  init(_ error: FileError) {
    if error.code == FileError.unreadable {
      let name = error.path.split(separator: "/").last.map(String.init) ?? error.path
      let isPacked = error.isOfPacking
      let damage = Damage(
        kind: .packing, segment: name, line: 0, byte: 0,
        what: isPacked
          ? "the file cannot be unpacked: it is damaged, or was not packed by ledger compact"
          : error.operation)
      self.init(
        .damaged([damage]), place: error.path, cause: damage.what,
        remedy: (isPacked ? "unpack it with `zstd -d --rm`, or restore" : "restore")
          + " a backup: `rewards ledger restore DIR`")
      return
    }
    self.init(
      .inputOutput(error), place: error.path, cause: error.cause, remedy: error.remedy)
  }

  /// Wraps any error that the store's own code throws.
  init(any error: any Error) {
    switch error {
    case let error as LedgerError: self = error
    case let error as FileError: self.init(error)
    default:
      self.init(
        .refused, place: "ledger", cause: "\(error)",
        remedy: "this is a bug in rewards; please report it")
    }
  }

  init(damage: [Damage], in folder: String) {
    let first = damage.first.map(\.description) ?? "unknown damage"
    let more = damage.count > 1 ? " (and \(damage.count - 1) more)" : ""
    let isNewer = damage.contains { $0.kind == .newerFormat }
    let isCut = damage.first?.kind == .headMissing
    self.init(
      isNewer ? .newerFormat : isCut ? .headMissing : .damaged(damage), place: folder,
      cause: first + more,
      remedy: isNewer
        ? "use the version that wrote it, or a later one"
        : "`rewards ledger verify` lists all damage; `rewards ledger restore DIR` restores a backup"
    )
  }

  /// Place, cause and remedy, in two sentences.
  package var description: String { "\(place): \(cause); \(remedy)" }
}

extension LedgerError: FailureConvertible {
  /// The failure that this kind of error stands for, with place and remedy.
  package var failure: Failure {
    let code: ExitCode =
      switch kind {
      case .locked: .tryAgain
      case .missing: .noInput
      case .inputOutput(let error): error.failure.exitCode
      case .closed: .inputOutput
      case .damaged, .headMissing, .newerFormat, .refused, .checkpoint: .badData
      }
    return Failure(code, cause, place: place, remedy: remedy)
  }
}
