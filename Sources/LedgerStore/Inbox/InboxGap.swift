internal import Foundations

/// The mark of an incomplete inbox: a backup was restored, and lines handed in since it was made may be missing.
///
/// While it exists, neither an empty inbox nor a `completeThrough` line proves anything: days stay unknown and break no
/// streak. Blocks.
package struct InboxGap: Sendable {
  private let directory: DataDirectory

  /// Creates access to the mark of a data directory.
  package init(_ directory: DataDirectory) {
    self.directory = directory
  }

  private var path: String { "\(directory.inbox)/incomplete" }

  /// Returns when the restored backup was made, as text of an instant; the inbox is incomplete from then on. Nil
  /// without a mark.
  package func since() throws -> String? {
    try directory.files.readWholeIfPresent(path).map {
      String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)
    }
  }

  /// Creates the mark.
  func leave(since madeAt: String) throws {
    try directory.files.createDurably(path, in: directory.inbox, [Array("\(madeAt)\n".utf8)])
  }

  /// Removes the mark once everything missing has been handed in.
  package func end() throws {
    do throws(FileError) {
      try directory.files.remove(path)
    } catch {
      guard error.isMissing else { throw error }
    }
    try directory.files.syncFolder(directory.inbox)
  }
}
