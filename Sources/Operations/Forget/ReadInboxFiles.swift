import Foundations
import LedgerStore

/// The files of all inboxes that have been read: whole ones in `done/`, rejected lines in `rejected/`.
struct ReadInboxFiles {
  let directory: DataDirectory

  /// Deletes the lines of a user, and those that cannot be read but name the user; returns how many. Lines in `done/`
  /// become empty, so that the others keep their numbers. Blocks.
  func erase(_ user: String) throws -> Int {
    let files = directory.files
    let marks = UserLine.marks(of: user)
    var count = 0
    for inbox in try directory.inboxes() {
      for name in try names(in: inbox.done) {
        count += try edit("\(inbox.done)/\(name)", marks) {
          UserLine.names(user, $0) == .no ? .keep : .empty
        }
      }
      for name in try names(in: inbox.rejected) {
        count += try edit("\(inbox.rejected)/\(name)", marks) {
          UserLine.namesRejected(user, $0) == .no ? .keep : .remove
        }
      }
    }
    return count

    func edit(_ path: String, _ marks: [[UInt8]], _ body: ([UInt8]) -> LineEdit) throws -> Int {
      do {
        return try files.editLines(of: path, containing: marks, openedFor: .receive, body)
      } catch let error as FileError where error.isOddity || error.isMissing {
        // Links, pipes and folders were set aside as they came; nobody has ever read them.
        return 0
      }
    }
  }

  private func names(in folder: String) throws -> [String] {
    try directory.files.namesIfPresent(in: folder).filter {
      !$0.hasSuffix(PosixFileSystem.editedEnd)
    }
  }
}
