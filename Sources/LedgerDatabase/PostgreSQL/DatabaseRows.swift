internal import CPostgreSQL

/// A statement's result: rows of values in binary form, or the number of rows changed. Not thread-safe.
///
/// The bytes stay in the library's memory until the last holder releases them.
package final class DatabaseRows {
  private let result: OpaquePointer

  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// The number of rows received.
  package var count: Int { Int(PQntuples(result)) }

  /// The number of rows changed or, for a query, received.
  package var changed: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// Returns whether a value is null.
  package func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(row), Int32(column)) != 0
  }

  /// Returns a whole number of 2, 4 or 8 bytes; 0 for null. An instant is its microseconds since 2000-01-01T00:00:00Z.
  package func number(_ row: Int, _ column: Int) -> Int64 {
    withBytes(row, column) { bytes in
      var number: Int64 = bytes.first.map { $0 >= 0x80 } == true ? -1 : 0
      for byte in bytes { number = number << 8 | Int64(byte) }
      return number
    }
  }

  /// Returns a text; empty for null.
  package func text(_ row: Int, _ column: Int) -> String {
    withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns bytes; none for null.
  package func bytes(_ row: Int, _ column: Int) -> [UInt8] { withBytes(row, column) { Array($0) } }

  /// Calls `body` with a value's bytes, without copying them.
  package func withBytes<Result>(
    _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let (row, column) = (Int32(row), Int32(column))
    return try body(
      UnsafeRawBufferPointer(
        start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column))))
  }
}
