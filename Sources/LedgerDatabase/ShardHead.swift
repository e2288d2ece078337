internal import CivilTime
internal import Digests
internal import Ledger

/// A ledger's head, as stored in the shard's row.
struct ShardHead {
  static let origin = ShardHead(state: .origin)

  let state: ChainState

  /// The time of the last line, in milliseconds since 1970.
  var atMilliseconds: Int64 {
    state.at.seconds * 1_000 + Int64(state.at.nanoseconds / 1_000_000)
  }

  init(state: ChainState) { self.state = state }

  /// Reads the head from three columns, starting at `column`: `seq`, `hash`, `at`; nil if they are not a head.
  init?(_ rows: DatabaseRows, _ row: Int, from column: Int) {
    let hex = rows.bytes(row, column + 1).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    guard let hash = Digest(hex: hex.joined()) else { return nil }
    let (seconds, rest) = rows.number(row, column + 2).dividedFlooring(by: 1_000)
    state = ChainState(
      seq: UInt64(bitPattern: rows.number(row, column)),
      at: Instant(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000), hash: hash)
  }

  /// The state for a missing shard row (PostgreSQL's `no_data_found`); the tables were created with one row each.
  static let missingRow = "P0002"

  /// Returns the error for a shard without a row.
  static func missing(_ shard: Int64) -> DatabaseError {
    DatabaseError(state: missingRow, message: "the row of shard \(shard) is gone")
  }

  /// The values of the three columns.
  var values: [DatabaseValue] {
    [.number(state.storedSeq), .bytes(state.hash.bytes), .number(atMilliseconds)]
  }
}

extension ChainState {
  /// The last line's sequence number, as stored in a row.
  var storedSeq: Int64 { Int64(bitPattern: seq) }
}

extension Int64 {
  /// Returns the quotient rounded down, and the remainder, which is never negative.
  fileprivate func dividedFlooring(by divisor: Int64) -> (Int64, Int64) {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }
}
