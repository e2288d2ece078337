import CivilTime
import Described
import Digests
import StrictJSON

extension ChainChecker {
  /// Checks one line; returns its seal if it is one.
  mutating func check(_ line: UnsafeBufferPointer<UInt8>, at start: Int) -> SealLine? {
    if overlongBytes > 0 || line.count >= RecordEncoder.lineLimitBytes {
      overlongBytes = 0
      return foreign(at: start, "the line is longer than \(RecordEncoder.lineLimitBytes) bytes")
    }
    guard let frame = scanner.scan(line) else { return foreign(at: start, Self.cause(line)) }
    checkOrder(frame, line, at: start)
    do throws(JSONError) { try counts?.add(line, frame) } catch { counts = nil }
    if frame.seq == 1 || frame.type == .genesis {
      checkGenesis(line, frame, at: start)
    }
    if frame.type == .seal {
      if let seal = SealLine(line, frame) { return seal }
      note(
        .seal, line: lines, byte: start, "the seal does not have the shape that format 1 defines")
    }
    if let key = frame.key { noteGrant(line, key, frame, at: start) }
    batchLines += 1
    return nil
  }

  /// Records a grant by its key, with escapes resolved, since they are only another spelling.
  private mutating func noteGrant(
    _ line: UnsafeBufferPointer<UInt8>, _ key: Range<Int>, _ frame: LineFrame, at start: Int
  ) {
    if frame.end != nil {
      let text = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(line)[key])
      grants.append(GrantMark(key: text, seq: frame.seq, line: lines, byte: start))
      return
    }
    // The key with its quotes.
    var reader = JSONReader(
      UnsafeBufferPointer(rebasing: line[key.lowerBound - 1..<key.upperBound + 1]))
    // A malformed key is damage of its own, reported when the line is decoded.
    guard var text = try? reader.readString() else { return }
    text.withUTF8 { text in
      grants.append(
        GrantMark(key: UnsafeRawBufferPointer(text), seq: frame.seq, line: lines, byte: start))
    }
  }

  /// Compares a seal with the lines it commits, and continues from what it claims.
  mutating func close(_ seal: SealLine, at start: Int, end: Int) {
    let digest = hash.finish()
    let last = lastSeal.state
    // Lines are counted from the start of the stretch here, so the text gives bytes.
    let place = "\(batchLines) lines from byte \(batchStart.byte)"
    if seal.prev != last.hash {
      note(
        .seal, line: lines, byte: start,
        "the seal does not follow the one before it, seq \(last.seq); it commits \(place)")
    } else if digest != seal.hash {
      note(.seal, line: lines, byte: start, "the seal does not match what it commits: \(place)")
    } else if seal.count != batchLines {
      note(
        .seal, line: lines, byte: start,
        "the seal counts \(seal.count) lines, but there are \(batchLines)")
    }
    compareWithHeads(seal, at: start)
    state.hash = seal.hash
    sealBefore = lastSeal
    lastSeal = SealPlace(state: state, endByte: end, lines: lines)
    batchLines = 0
    batchStart = (lines + 1, end)
    seal.hash.withBytes { hash.update($0) }
  }

  mutating func note(_ kind: Damage.Kind, line: Int, byte: Int, _ what: String) {
    if damage.count < Self.damageLimit {
      damage.append(Damage(kind: kind, segment: segment, line: line, byte: byte, what: what))
    } else if damage.count == Self.damageLimit {
      damage.append(
        Damage(
          kind: .more, segment: segment, line: line, byte: byte,
          what: "there is more damage, which is not listed"))
    }
  }

  private mutating func checkOrder(
    _ frame: LineFrame, _ line: UnsafeBufferPointer<UInt8>, at start: Int
  ) {
    if frame.seq != state.seq &+ 1 {
      note(.sequence, line: lines, byte: start, "seq \(frame.seq) after \(state.seq)")
    }
    // Only a record that takes back a future may have an earlier time than the lines before it.
    if frame.type == .operator, let range = (try? RecordDecoder.decode(line))?.undone {
      undone.append(range)
    } else if frame.at < state.at {
      note(.timeGoesBack, line: lines, byte: start, "recorded at \(frame.at), after \(state.at)")
    }
    state.seq = frame.seq
    state.at = frame.at
  }

  private mutating func checkGenesis(
    _ line: UnsafeBufferPointer<UInt8>, _ frame: LineFrame, at start: Int
  ) {
    guard frame.seq == 1, frame.type == .genesis else {
      let what = "the first line, and no other, must be a genesis: this is seq \(frame.seq)"
      return note(.genesis, line: lines, byte: start, what)
    }
    var reader = JSONReader(line)
    do throws(JSONError) {
      let genesis = try GenesisRecord.code(nil, with: &reader)
      guard genesis.format != GenesisRecord.currentFormat else { return }
      note(
        .newerFormat, line: lines, byte: start,
        "the ledger has format \(genesis.format); this version reads \(GenesisRecord.currentFormat)"
      )
    } catch {
      note(.genesis, line: lines, byte: start, "the genesis cannot be read: \(error)")
    }
  }

  private mutating func compareWithHeads(_ seal: SealLine, at start: Int) {
    guard let known = heads[state.seq] else { return }
    foundHeads.insert(state.seq)
    if known != seal.hash {
      note(
        .headMissing, line: lines, byte: start,
        "the seal \(state.seq) should have the hash \(known), which was saved elsewhere")
    }
  }

  private mutating func foreign(at start: Int, _ what: String) -> SealLine? {
    note(.foreignLine, line: lines, byte: start, what)
    state.seq &+= 1
    batchLines += 1
    return nil
  }

  private static func cause(_ line: UnsafeBufferPointer<UInt8>) -> String {
    let nulls = line.count { $0 == 0 }
    return nulls > 0
      ? "the line is not a record: it holds \(nulls) NUL bytes"
      : "the line is not a record: \(RecordDecoder.cause(line))"
  }
}

extension GenesisRecord {
  /// The format this version writes. It also reads all older formats.
  public static let currentFormat = 1
}
