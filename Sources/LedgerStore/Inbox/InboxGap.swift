public import Files

/// The mark of an inbox that is not complete: a backup was put back, and what was handed in since it was made may be missing.
///
/// While it stands, neither an empty inbox nor a watermark proves anything: days stay unknown, and break no streak. Blocks.
public struct InboxGap: Sendable {
  private let directory: DataDirectory
  private let fileSystem: any FileSystem

  /// The mark of a data directory.
  public init(_ directory: DataDirectory, fileSystem: any FileSystem = WorkingFiles.system) {
    self.directory = directory
    self.fileSystem = fileSystem
  }

  private var path: String { "\(directory.inbox)/incomplete" }

  /// When the backup was made behind which the inbox is not complete, as text of an instant; nil without a mark.
  public func since() throws -> String? {
    try fileSystem.readWholeIfPresent(path).map {
      String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)
    }
  }

  /// Leaves the mark.
  func leave(since madeAt: String) throws {
    try fileSystem.createDurably(path, in: directory.inbox, [Array("\(madeAt)\n".utf8)])
  }

  /// Takes the mark away: all that was missing has been handed in.
  public func end() throws {
    do throws(FileError) {
      try fileSystem.remove(path)
    } catch {
      guard error.isMissing else { throw error }
    }
    try fileSystem.syncFolder(directory.inbox)
  }
}
