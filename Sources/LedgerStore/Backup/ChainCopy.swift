internal import Foundations
internal import Ledger

/// Copies a chain of sealed segments, up to its last seal, onto the end of an earlier copy.
///
/// A segment that is packed when it is copied is copied packed; one that is packed later stays plain in the copy. Bytes after the
/// mark in the copy belong to an unfinished copy and are cut off first. All calls block.
struct ChainCopy {
  let target: String
  let fileSystem: any FileSystem

  /// The result of a copy.
  struct Outcome {
    var mark: BackupManifest.Mark
    var copiedBytes = 0
    var checkedRecords = 0
  }

  private static let pieceBytes = 1 << 20

  /// Extends the copy to the last seal of `reader`; `isFull` checks the whole copy again, not only the new part.
  ///
  /// Throws ``LedgerError`` if the chain is damaged, or the source does not hold the copy's last seal.
  func update(
    from reader: LedgerReader, after mark: BackupManifest.Mark?, isFull: Bool
  ) throws -> Outcome {
    if let mark {
      try require(mark, in: reader)
      try requireSeal(mark)
    }
    try removeSegments(behind: mark?.firstSeq ?? 0)
    let (segments, _) = try SegmentFile.list(in: reader.folder, reader.fileSystem)
    let wanted = segments.filter {
      $0.firstSeq >= mark?.firstSeq ?? 0 && $0.firstSeq <= reader.lastSegment.firstSeq
    }
    if let mark, wanted.first?.firstSeq != mark.firstSeq {
      throw LedgerError(
        .refused, place: reader.folder,
        cause: "its lines have been divided into other segments since the last backup",
        remedy: "make a backup in a new, empty folder")
    }
    let end = BackupManifest.Mark(
      firstSeq: reader.lastSegment.firstSeq, endByte: reader.endByte, head: reader.head)
    var outcome = Outcome(mark: end)
    for segment in wanted {
      let kept = segment.firstSeq == mark?.firstSeq ? mark?.endByte ?? 0 : 0
      let isLast = segment.firstSeq == end.firstSeq
      outcome.copiedBytes += try copy(
        segment, from: reader.fileSystem, bytes: kept..<(isLast ? end.endByte : Int.max))
    }
    try fileSystem.syncFolder(target)
    outcome.checkedRecords = try check(end, from: isFull ? nil : mark)
    return outcome
  }

  /// Copies the chain up to a mark into an empty folder and checks all of it.
  func restore(from folder: String, upTo mark: BackupManifest.Mark) throws -> Outcome {
    let source = SegmentFileSystem(fileSystem)
    let (segments, _) = try SegmentFile.list(in: folder, source)
    var outcome = Outcome(mark: mark)
    for segment in segments where segment.firstSeq <= mark.firstSeq {
      let isLast = segment.firstSeq == mark.firstSeq
      outcome.copiedBytes += try copy(
        segment, from: source, bytes: 0..<(isLast ? mark.endByte : Int.max))
    }
    try fileSystem.syncFolder(target)
    outcome.checkedRecords = try check(mark, from: nil)
    return outcome
  }

  /// Throws if the source chain does not continue from the copy's end.
  private func require(_ mark: BackupManifest.Mark, in reader: LedgerReader) throws {
    let isLongEnough = mark.head.seq <= reader.head.seq
    if isLongEnough, try reader.seals(of: [mark.head.seq]) == [mark.head] { return }
    throw LedgerError(
      .headMissing, place: reader.folder,
      cause:
        "it does not hold the head \(mark.head), where the last backup ended: whole records "
        + "were cut from its end, or it was restored from an older backup",
      remedy:
        "if that is intended, make a backup in a new, empty folder; the old one was not changed")
  }

  /// Throws if the copy has changed since it was made.
  private func requireSeal(_ mark: BackupManifest.Mark) throws {
    let segment = SegmentFile(firstSeq: mark.firstSeq, in: target)
    let seal: SealPlace?
    do {
      seal = try fileSystem.reading(segment.path) { file in
        try SealSearch(fileSystem: fileSystem).seal(in: file, endingAt: mark.endByte)
      }
    } catch let error as FileError where error.isMissing {
      seal = nil
    }
    guard seal?.state.head == mark.head else { throw damaged(segment.name) }
  }

  private func damaged(_ name: String) -> LedgerError {
    let damage = Damage(
      kind: .headMissing, segment: name, line: 0, byte: 0,
      what: "the backup does not end with the seal that its manifest names")
    return LedgerError(
      .damaged([damage]), place: target, cause: damage.what,
      remedy: "this backup is damaged: make one in a new, empty folder")
  }

  /// Removes the segments after `firstSeq`; 0 removes all.
  func removeSegments(behind firstSeq: UInt64) throws {
    let (segments, _) = try SegmentFile.list(in: target, fileSystem)
    for segment in segments where segment.firstSeq > firstSeq {
      for path in [segment.path, segment.path + SegmentFile.packedSuffix] {
        do {
          try fileSystem.remove(path)
        } catch {
          guard error.isMissing else { throw error }
        }
      }
    }
  }

  /// Copies these bytes of a segment, or its whole packed form; returns the number of bytes written.
  private func copy(
    _ segment: SegmentFile, from source: any FileSystem, bytes: Range<Int>
  ) throws -> Int {
    let path = "\(target)/\(segment.name)"
    // A database takes lines and packs them itself.
    let isRaw =
      segment.isPacked && bytes == 0..<Int.max && !DataDirectory(target).isInDatabase
    let suffix = isRaw ? SegmentFile.packedSuffix : ""
    return try source.reading(segment.path + suffix) { original in
      let end = min(bytes.upperBound, try source.size(of: original))
      let copy = try fileSystem.open(
        path + suffix, for: bytes.lowerBound == 0 ? .replace : .append)
      defer { fileSystem.close(copy) }
      // Cuts off what an interrupted backup left there.
      if bytes.lowerBound > 0 { try fileSystem.truncate(copy, to: bytes.lowerBound) }
      var offset = bytes.lowerBound
      while offset < end {
        let range = offset..<min(end, offset + Self.pieceBytes)
        let piece = try source.bytes(of: original, in: range)
        guard piece.count == range.count else {
          throw FileError.shortened(segment.path)
        }
        try fileSystem.writeAll(piece, to: copy)
        offset = range.upperBound
      }
      try fileSystem.sync(copy)
      return max(0, end - bytes.lowerBound)
    }
  }

  /// Re-reads the written lines; returns how many it checked.
  private func check(
    _ end: BackupManifest.Mark, from mark: BackupManifest.Mark?
  ) throws -> Int {
    let plain = SegmentFileSystem(fileSystem)
    let (segments, _) = try SegmentFile.list(in: target, plain)
    var start = ChainStart()
    if let mark, let index = segments.firstIndex(where: { $0.firstSeq == mark.firstSeq }) {
      let seal = try plain.reading(segments[index].path) { file in
        try SealSearch(fileSystem: plain).seal(in: file, endingAt: mark.endByte)
      }
      guard var place = seal else { throw damaged(segments[index].name) }
      place.lines = Int(mark.head.seq - mark.firstSeq) + 1
      start = ChainStart(segment: index, place: place)
    }
    let report = try LedgerVerifier(folder: target, fileSystem: fileSystem)
      .verify(segments, from: start, heads: [])
    if !report.damage.isEmpty { throw LedgerError(damage: report.damage, in: target) }
    guard report.head == end.head else {
      throw damaged(SegmentFile(firstSeq: end.firstSeq, in: target).name)
    }
    return report.records
  }
}
