internal import Foundations
internal import Glibc
internal import Ledger

/// Whole batches to be appended to a shard: checked against the chain and divided into rows.
struct ShardBatch {
  /// The maximum size of a piece; longer ones are divided between two lines.
  static let chunkBytes = 256 << 10

  /// The head after the last batch.
  let head: ShardHead
  private let bytes: [UInt8]
  private let segment: UInt64
  private let start: Int
  private let keys: [GrantKeyRow]

  /// Creates batches that follow `head` and begin at byte `start` of a segment; throws if they do not fit there.
  init(
    _ bytes: [UInt8], after head: ShardHead, segment: UInt64, start: Int, path: String
  ) throws(FileError) {
    var checker = ChainChecker(segment: path, after: head.state, byte: start)
    let result = bytes.withUnsafeBytes { bytes in
      let lines = bytes.bindMemory(to: UInt8.self)
      let consumed = checker.feed(lines, until: .max).consumed
      checker.finish(rest: bytes.count - consumed, isLastSegment: true)
      return GrantKeyRow.rows(of: checker.grants, in: lines, from: start)
    }
    if let damage = checker.damage.first {
      throw FileError(
        operation:
          "append lines that do not follow \(head.state.head), the head in rewards.shard (\(damage)); "
          + "compare that row with rewards ledger head", path: path, code: EINVAL)
    }
    if !checker.undone.isEmpty {
      throw FileError(
        operation:
          "append lines that undo others: a database keeps one row for each key; import such a ledger with rewards ledger import",
        path: path, code: EINVAL)
    }
    self.bytes = bytes
    self.segment = segment
    self.start = start
    keys = result
    self.head = ShardHead(state: checker.lastSeal.state)
  }

  /// Returns statements that insert the batches' rows under a token.
  func statements(shard: Int64, token: Int64) -> [DatabaseStatement] {
    var statements = chunks(shard: shard)
    statements.append(
      DatabaseStatement(
        "INSERT INTO rewards.seal (shard, seq, hash, token) VALUES ($1, $2, $3, $4)",
        [.number(shard)] + head.values.prefix(2) + [.number(token)]))
    if !keys.isEmpty { statements.append(GrantKeyRow.insertion(of: keys, shard: shard)) }
    return statements
  }

  private func chunks(shard: Int64) -> [DatabaseStatement] {
    var statements: [DatabaseStatement] = []
    var place = 0
    var seq = head.state.seq + 1 - UInt64(bytes.count { $0 == 0x0A })
    while place < bytes.count {
      var end = min(bytes.count, place + Self.chunkBytes)
      if end < bytes.count {
        // Back to the end of a line; a line longer than a chunk is a chunk of its own.
        let inside = bytes[place..<end].lastIndex(of: 0x0A)
        end = (inside ?? bytes[end...].firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
      }
      let piece = bytes[place..<end]
      let last = seq + UInt64(piece.count { $0 == 0x0A }) - 1
      let chunk = ChunkBytes.packed(piece)
      statements.append(
        DatabaseStatement(
          """
          INSERT INTO rewards.chunk (shard, segment, start, size, first, last, codec, bytes)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
          """,
          [
            .number(shard), .number(Int64(bitPattern: segment)), .number(Int64(start + place)),
            .number(Int64(piece.count)), .number(Int64(bitPattern: seq)),
            .number(Int64(bitPattern: last)), .number(chunk.codec), .bytes(chunk.bytes),
          ]))
      (place, seq) = (end, last + 1)
    }
    return statements
  }
}

/// The storage form of a chunk's bytes.
enum ChunkBytes {
  /// Unchanged.
  static let plain: Int64 = 0
  /// One Zstandard frame.
  static let zstandard: Int64 = 1

  /// Returns the bytes, compressed if that makes them smaller.
  static func packed(_ piece: ArraySlice<UInt8>) -> (codec: Int64, bytes: [UInt8]) {
    let packed = piece.withUnsafeBytes { try? ZstandardFrame.pack($0, level: 1) }
    if let packed, packed.count < piece.count { return (zstandard, packed) }
    return (plain, Array(piece))
  }

  /// Returns the `size` bytes of a row; nil if the row holds something else.
  static func unpacked(codec: Int64, _ bytes: UnsafeRawBufferPointer, size: Int) -> [UInt8]? {
    guard 0...ShardBatch.chunkBytes ~= size else { return nil }
    return switch codec {
    case plain: bytes.count == size ? Array(bytes) : nil
    case zstandard: try? ZstandardFrame.unpack(bytes, count: size)
    default: nil
    }
  }
}
