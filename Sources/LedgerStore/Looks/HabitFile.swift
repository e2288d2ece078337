internal import Digests
public import Files
public import Scheduling
internal import StrictJSON

/// The users' habits on disk, one file: a line that says of which ledger, and 32 bytes a user in the order of the accounts.
///
/// Only a cache: to lose it makes looks dearer and grants later for some days. Whatever does not fit is passed over.
public struct HabitFile: Sendable {
  private static let form = 1
  private let path: String
  private let fileSystem: any FileSystem

  /// The file of a data directory.
  public init(_ directory: DataDirectory, fileSystem: any FileSystem = WorkingFiles.system) {
    path = directory.habits
    self.fileSystem = fileSystem
  }

  /// The habits kept for this ledger; none when there is no file, or it is damaged, foreign or of another form. Blocks.
  public func read(ledger: String) throws -> [UserHabits] {
    let bytes: [UInt8]?
    do {
      bytes = try fileSystem.readWholeIfPresent(path)
    } catch let error as FileError where error.isUnreadable {
      return []
    }
    guard let bytes, let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
    else { return [] }
    let payload = bytes[(end + 1)...]
    guard payload.count % UserHabits.byteCount == 0,
      bytes[...end].elementsEqual(Self.header(ledger, payload))
    else { return [] }
    return stride(from: payload.startIndex, to: payload.endIndex, by: UserHabits.byteCount).map {
      UserHabits(bytes: payload[$0..<$0 + UserHabits.byteCount])
    }
  }

  /// Replaces what was kept. Blocks.
  public func write(_ habits: [UserHabits], ledger: String) throws(FileError) {
    var payload: [UInt8] = []
    payload.reserveCapacity(habits.count * UserHabits.byteCount)
    for user in habits { user.appendBytes(to: &payload) }
    try fileSystem.replace(path, with: [Self.header(ledger, payload[...]), payload])
  }

  private static func header(_ ledger: String, _ payload: ArraySlice<UInt8>) -> [UInt8] {
    var hash = SHA256()
    payload.withUnsafeBytes { hash.update($0) }
    var json = JSONWriter()
    json.beginObject()
    json.member("habits", form)
    json.member("ledger", ledger)
    json.member("sha256", hash.finish().description)
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }
}
