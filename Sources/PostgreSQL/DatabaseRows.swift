internal import CPostgreSQL

/// What a statement answered: rows of values in the binary form, or how many rows it changed.
///
/// The bytes lie in the library's memory until the last holder lets go. Not thread-safe.
public final class DatabaseRows {
  private let result: OpaquePointer

  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// How many rows came.
  public var count: Int { Int(PQntuples(result)) }

  /// How many rows were changed; of rows that came, how many.
  public var changed: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// Whether there is no value.
  public func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(row), Int32(column)) != 0
  }

  /// A whole number of 2, 4 or 8 bytes; 0 for null. An instant is its microseconds since 2000-01-01T00:00:00Z.
  public func number(_ row: Int, _ column: Int) -> Int64 {
    withBytes(row, column) { bytes in
      var number: Int64 = bytes.first.map { $0 >= 0x80 } == true ? -1 : 0
      for byte in bytes { number = number << 8 | Int64(byte) }
      return number
    }
  }

  /// A text; empty for null.
  public func text(_ row: Int, _ column: Int) -> String {
    withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
  }

  /// Bytes; none for null.
  public func bytes(_ row: Int, _ column: Int) -> [UInt8] { withBytes(row, column) { Array($0) } }

  /// Calls `body` with a value's bytes where they lie.
  public func withBytes<Result>(
    _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let (row, column) = (Int32(row), Int32(column))
    return try body(
      UnsafeRawBufferPointer(
        start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column))))
  }
}
