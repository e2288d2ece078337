import Foundations

/// An operator's file with one JSON line for each user: the roster, or the credentials.
struct PersonalFile {
  let path: String
  let isSecret: Bool

  private static let limitBytes = 1 << 30

  /// Removes the lines of a user; returns how many, and the numbers of the lines that may be the user's but cannot be
  /// read. There may be no file. Blocks.
  func removeLines(
    of user: String, in files: any FileSystem
  ) throws -> (count: Int, doubtful: [Int]) {
    let text: [UInt8]
    do throws(ReadError) {
      text = try files.readInput(path, limitBytes: Self.limitBytes, isSecret: isSecret)
    } catch {
      if error.isMissing { return (0, []) }
      throw error
    }
    let marks = UserLine.marks(of: user)
    var (left, count, doubtful) = ([UInt8](), 0, [Int]())
    var (start, number) = (0, 0)
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
      let line = text[start..<end]
      (start, number) = (end, number + 1)
      if marks.contains(where: { line.firstRange(of: $0) != nil }) {
        switch UserLine.names(user, Array(line)) {
        case .yes:
          count += 1
          continue
        case .perhaps: doubtful.append(number)
        case .no: break
        }
      }
      left += line
    }
    if count > 0 { try files.replaceInput(path, text, by: left) }
    return (count, doubtful)
  }
}
