internal import Foundations
internal import Glibc

/// A shard's other files, stored as rows: snapshots, polls, the relay's cursors, the inbox, caches. Blocks; safe from
/// any thread.
///
/// Files that only the ledger's writer writes are fenced by its token. Files that others may also write, as they may in
/// a folder, are not: outside input and caches.
struct ShardFolder: Sendable {
  let writer: ShardWriter

  /// Returns whether only the lease's holder may write a file.
  static func needsLease(_ name: String) -> Bool {
    let isArriving = name.hasPrefix("inbox/") && name.contains("/incoming/")
    return !isArriving && !["state/audit", "state/index/"].contains { name.hasPrefix($0) }
  }

  private var shard: DatabaseValue { .number(writer.shard) }

  /// Returns a file's number and length; nil if there is none of that name.
  func file(_ name: String, _ path: String) throws(FileError) -> (number: Int64, size: Int)? {
    // One query: between two, the file could be replaced.
    let rows = try query(
      path,
      """
      SELECT id, COALESCE((
        SELECT start + length(bytes) FROM rewards.piece WHERE shard = $1 AND file = id
        ORDER BY start DESC LIMIT 1), 0)
      FROM rewards.file WHERE shard = $1 AND name = $2
      """, [shard, .text(name)])
    return rows.count == 1 ? (rows.number(0, 0), Int(rows.number(0, 1))) : nil
  }

  /// Creates an empty file, replacing any of the same name; returns its number.
  func make(_ name: String, _ path: String) throws(FileError) -> Int64 {
    let id = Int64.random(in: 1...Int64.max)
    try change(
      name, path, "open",
      removal(of: name) + [
        DatabaseStatement(
          "INSERT INTO rewards.file (shard, name, id) VALUES ($1, $2, $3)",
          [shard, .text(name), .number(id)])
      ])
    return id
  }

  /// Appends bytes at a file's end, `start`; the end differs only if the database lost what it had committed.
  func append(
    _ bytes: [UInt8], to file: Int64, at start: Int, _ name: String, _ path: String
  ) throws(FileError) {
    let end = try size(of: file, path)
    guard end == start else {
      throw FileError(
        operation:
          "write at byte \(start) of a file that ends at byte \(end): the database lost what it had committed, "
          + "as after a failover to a standby that lagged behind", path: path, code: EBADMSG)
    }
    var statements = [hold(name)]
    for from in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
      let piece = Array(bytes[from..<min(bytes.count, from + Self.pieceBytes)])
      statements.append(
        DatabaseStatement(
          "INSERT INTO rewards.piece (shard, file, start, bytes) VALUES ($1, $2, $3, $4)",
          [shard, .number(file), .number(Int64(start + from)), .bytes(piece)]))
    }
    try change(name, path, "write", statements)
  }

  /// The maximum size of a piece; longer writes are divided.
  static let pieceBytes = 1 << 20

  /// Locks the file's row, to wait for a change whose outcome this worker has not learnt.
  ///
  /// A server may still be executing it after the connection is gone, and its pieces must not mix with those of the
  /// next change.
  private func hold(_ name: String) -> DatabaseStatement {
    DatabaseStatement(
      "SELECT id FROM rewards.file WHERE shard = $1 AND name = $2 FOR UPDATE", [shard, .text(name)])
  }

  /// Returns a file's length.
  func size(of file: Int64, _ path: String) throws(FileError) -> Int {
    let rows = try query(
      path,
      """
      SELECT start + length(bytes) FROM rewards.piece WHERE shard = $1 AND file = $2
      ORDER BY start DESC LIMIT 1
      """, [shard, .number(file)])
    return rows.count == 1 ? Int(rows.number(0, 0)) : 0
  }

  /// Returns about `count` bytes of a file from `offset` on, or those of one piece; none at the end.
  func read(
    _ file: Int64, at offset: Int, count: Int, _ path: String
  ) throws(FileError) -> ArraySlice<UInt8> {
    let rows = try query(
      path,
      """
      SELECT start, bytes FROM rewards.piece
      WHERE shard = $1 AND file = $2 AND start < $4 AND start >= COALESCE((
        SELECT start FROM rewards.piece WHERE shard = $1 AND file = $2 AND start <= $3
        ORDER BY start DESC LIMIT 1), 0)
      ORDER BY start
      """, [shard, .number(file), .number(Int64(offset)), .number(Int64(offset + count))])
    guard rows.count > 0 else { return [] }
    let start = Int(rows.number(0, 0))
    var bytes: [UInt8] = []
    for row in 0..<rows.count {
      guard start <= offset, Int(rows.number(row, 0)) == start + bytes.count else {
        throw FileError(operation: "read: a piece is missing", path: path, code: EIO)
      }
      bytes += rows.bytes(row, 1)
    }
    return bytes.dropFirst(offset - start)
  }

  /// Truncates a file to `size` bytes.
  func truncate(_ file: Int64, to size: Int, _ name: String, _ path: String) throws(FileError) {
    try change(
      name, path, "truncate",
      [
        hold(name),
        DatabaseStatement(
          "DELETE FROM rewards.piece WHERE shard = $1 AND file = $2 AND start >= $3",
          [shard, .number(file), .number(Int64(size))]),
        DatabaseStatement(
          """
          UPDATE rewards.piece SET bytes = substring(bytes FROM 1 FOR ($3 - start)::int4)
          WHERE shard = $1 AND file = $2 AND start + length(bytes) > $3
          """, [shard, .number(file), .number(Int64(size))]),
      ])
  }

  /// Renames a file, replacing any of the new name, or renames each file of a folder.
  func rename(_ name: String, to newName: String, _ path: String) throws(FileError) {
    if try file(name, path) != nil {
      return try change(
        newName, path, "rename",
        removal(of: newName) + [
          DatabaseStatement(
            "UPDATE rewards.file SET name = $3 WHERE shard = $1 AND name = $2",
            [shard, .text(name), .text(newName)])
        ])
    }
    guard try !names(under: name + "/", path).isEmpty else {
      throw FileError(operation: "rename", path: path, code: ENOENT)
    }
    try change(
      newName, path, "rename",
      [
        DatabaseStatement(
          """
          UPDATE rewards.file SET name = $3 || substr(name, $4::int4)
          WHERE shard = $1 AND name LIKE $2
          """,
          [
            shard, .text(Self.pattern(name + "/")), .text(newName + "/"),
            .number(Int64(name.unicodeScalars.count + 2)),
          ])
      ])
  }

  /// Removes a file.
  func remove(_ name: String, _ path: String) throws(FileError) {
    guard try file(name, path) != nil else {
      throw FileError(operation: "remove", path: path, code: ENOENT)
    }
    try change(name, path, "remove", removal(of: name))
  }

  /// Returns the names of all files with this prefix, without the prefix.
  func names(under prefix: String, _ path: String) throws(FileError) -> [String] {
    let rows = try query(
      path, "SELECT name FROM rewards.file WHERE shard = $1 AND name LIKE $2",
      [shard, .text(Self.pattern(prefix))])
    return (0..<rows.count).map { String(rows.text($0, 0).dropFirst(prefix.count)) }
  }

  private func removal(of name: String) -> [DatabaseStatement] {
    [
      hold(name),
      DatabaseStatement(
        """
        DELETE FROM rewards.piece WHERE shard = $1 AND file IN (
          SELECT id FROM rewards.file WHERE shard = $1 AND name = $2)
        """, [shard, .text(name)]),
      DatabaseStatement(
        "DELETE FROM rewards.file WHERE shard = $1 AND name = $2", [shard, .text(name)]),
    ]
  }

  /// Returns a `LIKE` pattern for a prefix.
  private static func pattern(_ prefix: String) -> String {
    prefix.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
      + "%"
  }

  /// Runs statements in one transaction, fenced if the file needs it.
  private func change(
    _ name: String, _ path: String, _ operation: String, _ statements: [DatabaseStatement]
  ) throws(FileError) {
    guard Self.needsLease(name) else { return try changeFreely(path, operation, statements) }
    guard writer.leaseState != .out else { throw .leaseMissing(path: path) }
    switch writer.change(statements) {
    case .committed: return
    case .fenced: throw .leaseLost(path: path)
    case .refused(let error), .unknown(let error): throw FileError(error, operation, path: path)
    }
  }

  private func changeFreely(
    _ path: String, _ operation: String, _ statements: [DatabaseStatement]
  ) throws(FileError) {
    do throws(DatabaseError) {
      try writer.pool.withConnection { connection throws(DatabaseError) in
        // One transaction: no `BEGIN` precedes them.
        try connection.run(statements, within: writer.pool.limitSeconds)
      }
    } catch {
      throw FileError(error, operation, path: path)
    }
  }

  private func query(
    _ path: String, _ text: String, _ values: [DatabaseValue]
  ) throws(FileError) -> DatabaseRows {
    do throws(DatabaseError) {
      return try writer.pool.withConnection { connection throws(DatabaseError) in
        try connection.run(DatabaseStatement(text, values), within: writer.pool.limitSeconds)
      }
    } catch {
      throw FileError(error, "read", path: path)
    }
  }
}
