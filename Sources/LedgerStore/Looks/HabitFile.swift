internal import Described
internal import Digests
package import Foundations
package import Scheduling

/// The users' habits on disk, in one file: a line that names the ledger, then 32 bytes per user in the order of the
/// accounts.
///
/// Only a cache: losing it makes polls costlier and grants later for some days. Content that does not fit is ignored.
package struct HabitFile: Sendable {
  private let path: String
  private let fileSystem: any FileSystem

  /// Creates access to the file of a data directory.
  package init(_ directory: DataDirectory) {
    path = directory.habits
    fileSystem = directory.files
  }

  /// Reads the habits kept for this ledger. Blocks.
  ///
  /// Returns none if the file is missing, damaged, from another ledger or of another form.
  package func read(ledger: String) throws -> [UserHabits] {
    let bytes: [UInt8]?
    do {
      bytes = try fileSystem.readWholeIfPresent(path)
    } catch let error as FileError where error.isUnreadable {
      return []
    }
    guard let bytes, let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
    else { return [] }
    let payload = Array(bytes[(end + 1)...])
    guard payload.count % UserHabits.byteCount == 0,
      bytes[...end].elementsEqual(Header(ledger, payload).jsonLine)
    else { return [] }
    return stride(from: payload.startIndex, to: payload.endIndex, by: UserHabits.byteCount).map {
      UserHabits(bytes: payload[$0..<$0 + UserHabits.byteCount])
    }
  }

  /// Replaces the stored habits. Blocks.
  package func write(_ habits: [UserHabits], ledger: String) throws(FileError) {
    var payload: [UInt8] = []
    payload.reserveCapacity(habits.count * UserHabits.byteCount)
    for user in habits { user.appendBytes(to: &payload) }
    try fileSystem.replace(path, with: [Header(ledger, payload).jsonLine, payload])
  }

  /// The file's first line.
  fileprivate struct Header {
    let form: Int
    let ledger: String
    let sha256: Digest

    init(_ ledger: String, _ payload: [UInt8]) {
      form = 1
      self.ledger = ledger
      sha256 = SHA256.digest(of: payload)
    }
  }
}

extension HabitFile.Header: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    form = try coder.field("habits", value?.pointee.form)
    ledger = try coder.field("ledger", value?.pointee.ledger)
    sha256 = try coder.field("sha256", value?.pointee.sha256)
  }
}
