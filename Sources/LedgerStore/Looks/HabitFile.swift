internal import Digests
public import Foundations
public import Scheduling
internal import StrictJSON

/// The users' habits on disk, in one file: a line that names the ledger, then 32 bytes per user in the order of the accounts.
///
/// Only a cache: losing it makes looks costlier and grants later for some days. Content that does not fit is ignored.
public struct HabitFile: Sendable {
  private static let form = 1
  private let path: String
  private let fileSystem: any FileSystem

  /// Creates access to the file of a data directory.
  public init(_ directory: DataDirectory) {
    path = directory.habits
    fileSystem = directory.files
  }

  /// Reads the habits kept for this ledger. Blocks.
  ///
  /// Returns none if the file is missing, damaged, from another ledger or of another form.
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

  /// Replaces the stored habits. Blocks.
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
