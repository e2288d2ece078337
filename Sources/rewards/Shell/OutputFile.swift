import Configuration
import Failures
import Foundations
import Glibc

/// Writes the files that operators name: plans and pages.
///
/// An existing file is replaced only by one of its own kind, so that a slip in a path never costs a ledger, a configuration or a secret.
enum OutputFile {
  /// The kind of a file.
  enum Kind: String {
    /// A plan for `backfill --apply`.
    case plan
    /// A page for people.
    case page

    /// The text with which every file of this kind begins.
    fileprivate var beginning: String {
      switch self {
      case .plan: "{\"format\":"
      case .page: "<!DOCTYPE html>"
      }
    }
  }

  /// Writes `bytes` to `file`, whole or not at all. Throws ``ExitCode/cannotCreate``, also when something else is there, and in the data
  /// folder.
  static func write(
    _ bytes: [UInt8], as kind: Kind, to file: String, in context: CommandContext
  ) throws(Failure) {
    if let objection = objection(to: file, kind, data: try? context.configuration().data) {
      throw Failure(
        .cannotCreate, objection, place: file, remedy: "Name another file; nothing was written.")
    }
    do throws(FileError) {
      try PosixFileSystem().replace(file, with: [bytes])
    } catch {
      throw Failure(.cannotCreate, ReadError(path: file, code: error.code).what, place: file)
    }
  }

  /// Returns why nothing may be written to `file`; nil when it may.
  private static func objection(to file: String, _ kind: Kind, data: String?) -> String? {
    if let data, let folder = resolved(data),
      let place = resolved(FolderPath.parent(of: file)), (place + "/").hasPrefix(folder + "/")
    {
      return "only the service may write into the data folder"
    }
    guard access(file, F_OK) == 0 else { return nil }
    let other = "the file exists and is not a \(kind.rawValue) written by rewards"
    guard let found = try? WholeFile.beginning(of: file, bytes: kind.beginning.utf8.count) else {
      return other
    }
    return found.isEmpty || found.elementsEqual(kind.beginning.utf8) ? nil : other
  }

  /// Returns where a folder really is; nil when there is none.
  private static func resolved(_ folder: String) -> String? {
    guard let path = realpath(folder, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
