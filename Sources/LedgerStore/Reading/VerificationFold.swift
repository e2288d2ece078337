internal import Digests
internal import Foundations
internal import Ledger

/// Combines the outcomes of stretches in ledger order, whatever order they arrive in.
struct VerificationFold: Sendable {
  private(set) var report: VerificationReport
  private var keys: GrantKeys
  private var undone: [ClosedRange<UInt64>] = []
  private(set) var foundHeads: Set<UInt64> = []
  private var waiting: [Int: (Stretch, Stretch.Outcome)] = [:]
  private var next = 0
  private var segment: Int
  private var linesAbove: Int
  /// Whether the previous stretch could not be read.
  private var isAfterGap = false

  init(start: ChainStart, keys: GrantKeys, counts: LineCounts?) {
    self.keys = keys
    report = VerificationReport()
    report.head = start.place.state.head
    report.counts = counts
    report.lastSegment = start.segment
    report.lastSeal = start.place
    report.sealBefore = start.place
    segment = start.segment
    linesAbove = start.place.lines
  }

  /// Adds the outcome of stretch number `index`.
  mutating func add(
    _ outcome: Stretch.Outcome, of stretch: Stretch, index: Int
  ) throws(FileError) {
    waiting[index] = (stretch, outcome)
    while let (stretch, outcome) = waiting.removeValue(forKey: next) {
      try fold(outcome, of: stretch)
      next += 1
    }
  }

  /// Adds the findings about the whole ledger and returns the report. Blocks.
  func finished(
    _ heads: [LedgerHead], _ segments: [SegmentFile], threads: Int
  ) throws -> VerificationReport {
    var report = report
    let lastSegment = segments.last?.name ?? ""
    report.damage = try keys.repetitions(but: undone, threads: threads).map {
      Damage($0, in: segments[$0.segment].name)
    }.merged(into: report.damage)
    for head in heads where !foundHeads.contains(head.seq) && head.seq > 0 {
      let end = report.head.seq
      let cause =
        head.seq > end
        ? "the ledger ends at seq \(end): records were cut from its end"
        : "no seal has that sequence number"
      report.damage.append(
        Damage(
          kind: .headMissing, segment: lastSegment, line: 0, byte: report.lastSeal.endByte,
          what: "the head \(head) was saved elsewhere, but \(cause)"))
    }
    return report
  }

  private mutating func fold(
    _ outcome: Stretch.Outcome, of stretch: Stretch
  ) throws(FileError) {
    if stretch.segmentIndex != segment {
      segment = stretch.segmentIndex
      linesAbove = 0
      if !isAfterGap { checkName(stretch.segment) }
    } else if next == 0, stretch.start?.endByte == 0 {
      checkName(stretch.segment)
    }
    isAfterGap = outcome.isUnreadable
    // A pack whose size is damaged yields stretches that do not exist: report the damage once.
    let isToldAlready =
      outcome.damage.first?.kind == .packing
      && report.damage.last.map { $0.kind == .packing && $0.segment == stretch.segment.name }
        == true
    if !isToldAlready { report.damage += outcome.damage.map { $0.moved(down: linesAbove) } }
    for mark in outcome.grants {
      try keys.add(mark, segment: stretch.segmentIndex, line: mark.line + linesAbove)
    }
    undone += outcome.undone
    foundHeads.formUnion(outcome.foundHeads)
    if var last = outcome.lastSeal, var before = outcome.sealBefore {
      last.lines += linesAbove
      before.lines += linesAbove
      report.lastSeal = last
      report.sealBefore = before
      report.lastSegment = stretch.segmentIndex
      report.head = last.state.head
    }
    report.records += outcome.lines
    if let counts = outcome.counts { report.counts?.add(counts) } else { report.counts = nil }
    linesAbove += outcome.lines
  }

  private mutating func checkName(_ segment: SegmentFile) {
    let expected = report.head.seq + 1
    guard segment.firstSeq != expected else { return }
    report.damage.append(
      Damage(
        kind: .segmentName, segment: segment.name, line: 0, byte: 0,
        what: "the segment should be named \(expected), the next sequence number"))
  }
}

extension [Damage] {
  /// Merges these, which are in order of position, into `others`, whose order is kept: each goes before the first entry found
  /// after it.
  fileprivate func merged(into others: [Damage]) -> [Damage] {
    var merged: [Damage] = []
    var rest = self[...]
    for other in others {
      while let next = rest.first, (next.segment, next.byte) < (other.segment, other.byte) {
        merged.append(rest.removeFirst())
      }
      merged.append(other)
    }
    return merged + rest
  }
}

extension Damage {
  /// Creates the damage of a key that was granted before.
  fileprivate init(_ repetition: GrantKeys.Repetition, in segment: String) {
    self.init(
      kind: .duplicateKey, segment: segment, line: repetition.line, byte: repetition.byte,
      what: "the key of grant \(repetition.seq) was granted before, at seq \(repetition.earlier)")
  }
}
