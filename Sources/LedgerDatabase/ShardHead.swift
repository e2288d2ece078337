internal import CivilTime
internal import Digests
internal import Ledger
internal import PostgreSQL

/// A ledger's head as the shard's row keeps it.
struct ShardHead {
  static let origin = ShardHead(state: .origin)

  let state: ChainState

  /// The time of the last line, in milliseconds since 1970.
  var atMilliseconds: Int64 {
    state.at.seconds * 1_000 + Int64(state.at.nanoseconds / 1_000_000)
  }

  init(state: ChainState) { self.state = state }

  /// The head in three columns from `column` on: `seq`, `hash`, `at`; nil for what no head is.
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

  /// What says that a shard's row is gone; the tables were made with one for each (PostgreSQL's `no_data_found`).
  static let missingRow = "P0002"

  /// The error of a shard without a row.
  static func missing(_ shard: Int64) -> DatabaseError {
    DatabaseError(state: missingRow, message: "the row of shard \(shard) is gone")
  }

  /// The three columns' values.
  var values: [DatabaseValue] {
    [.number(state.storedSeq), .bytes(state.hash.bytes), .number(atMilliseconds)]
  }
}

extension ChainState {
  /// The last line's sequence number as a row has it.
  var storedSeq: Int64 { Int64(bitPattern: seq) }
}

extension Int64 {
  /// The quotient rounded down and the rest, which is never negative.
  fileprivate func dividedFlooring(by divisor: Int64) -> (Int64, Int64) {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }
}
