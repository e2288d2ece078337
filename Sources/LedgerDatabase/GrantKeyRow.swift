internal import CivilTime
internal import Ledger

/// A grant's row in the table of keys, which holds each key only once.
struct GrantKeyRow: Hashable {
  /// The key as spelled in the grant's line.
  let key: String
  /// The line's sequence number.
  let seq: Int64

  /// The day in the key, as days since 1970; 0 for keys without one. It depends on the key alone and keeps the rows of a day
  /// together.
  var day: Int64 { GrantKey(key).day.map { Int64($0.number) } ?? 0 }

  /// Returns the rows of the grants in `lines`, a segment's bytes from `start` on.
  static func rows(
    of marks: [GrantMark], in lines: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> [GrantKeyRow] {
    marks.compactMap { mark in
      key(in: lines, at: mark.byte - start).map {
        GrantKeyRow(key: $0, seq: Int64(bitPattern: mark.seq))
      }
    }
  }

  /// Returns a statement that inserts rows into a shard's table.
  static func insertion(of rows: [GrantKeyRow], shard: Int64) -> DatabaseStatement {
    DatabaseStatement(
      """
      INSERT INTO rewards.grant_key (shard, kday, key, seq)
      SELECT $1, * FROM unnest($2::int4[], $3::text[], $4::int8[])
      """,
      [
        .number(shard), .numbers(rows.map(\.day)), .texts(rows.map(\.key)),
        .numbers(rows.map(\.seq)),
      ])
  }

  /// Returns the key of the grant whose line begins at `start`.
  private static func key(in lines: UnsafeBufferPointer<UInt8>, at start: Int) -> String? {
    guard let end = lines[start...].firstIndex(of: 0x0A),
      let outline = LineOutline(UnsafeBufferPointer(rebasing: lines[start..<end]))
    else { return nil }
    // After the type, where the encoder puts it: ","key":"
    let begin = start + outline.type.upperBound + 9
    var index = begin
    while index < end, lines[index] != UInt8(ascii: "\"") {
      index += lines[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return begin <= index && index <= end
      ? String(decoding: lines[begin..<index], as: UTF8.self) : nil
  }
}
