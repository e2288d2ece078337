import CivilTime
import Foundations
import Ledger
import TestSupport
import Testing

@testable import LedgerStore

/// A scan hands on what a selection says of the decoded records, and nothing after it was stopped.
@Suite(.offThePool) struct SelectionTests {
  /// The second of a record of the scene, from when it began.
  private static let begin: Int64 = 1_795_186_799

  /// A ledger of several segments whose clock went back: the last third of it was taken back.
  private static func scene() throws -> Bench {
    var bench = try Bench()
    bench.segmentLimitBytes = 15_000
    let store = try bench.open()
    var last: UInt64 = 0
    for number in 0..<45 {
      if number == 30 { last = store.head.seq }
      let pause = OperatorRecord(act: .pause, subject: "job\(number)", reason: "r", actor: "op")
      _ = try store.append(
        (0..<3).map { Bench.grant(number * 3 + $0) } + (number % 10 == 4 ? [.operator(pause)] : []))
    }
    store.close()
    let undoing = OperatorRecord(act: .undoFuture, subject: "\(last)", reason: "r", actor: "op")
    // The clock of a store begins anew.
    let later = try bench.open()
    _ = try later.append([.operator(undoing), Bench.grant(140)])
    for number in 141..<146 { _ = try later.append([Bench.grant(number)]) }
    later.close()
    return bench
  }

  /// Readers without an index, with one of each segment, and with one that ends before the segment does.
  private static func readers(_ bench: Bench) throws -> [LedgerReader] {
    let plain = try LedgerReader.open(bench.directory)
    var indexed = plain
    indexed.indexes?.worthwhileBytes = 1
    _ = try indexed.makeIndexes()
    return [
      try LedgerReader.open(folder: bench.directory.ledger, fileSystem: bench.otherFiles()), plain,
      indexed,
    ]
  }

  private static func at(_ seconds: Int64, milliseconds: Int32 = 123) -> Instant {
    Instant(seconds: begin + seconds, nanoseconds: milliseconds * 1_000_000)
  }

  /// Limits on, between, before and after the instants of records, and such as include nothing.
  private static let spans: [(from: Instant?, end: Instant?)] = [
    (nil, nil), (at(10), nil), (nil, at(10)), (at(10), at(10)), (at(10, milliseconds: 124), nil),
    (nil, at(10, milliseconds: 122)), (at(20), at(29)), (at(31), at(50)), (at(20), at(19)),
    (at(-5), at(0)), (at(1_000), nil), (.earliest, .latest),
  ]

  private static let selections: [(name: String, RecordSelection, @Sendable (Record) -> Bool)] = [
    ("everything", .everything, { _ in true }),
    ("types", .ofTypes([.operator, .seal]), { [.operator, .seal].contains($0.body.type) }),
    ("types in an index", .ofTypes([.operator]), { $0.body.type == .operator }),
    (
      "users", .of(.named(["user7", "user100", "user143"])),
      {
        ![.seal, .run].contains($0.body.type)
          && $0.body.user.map { ["user7", "user100", "user143"].contains($0) } ?? true
      }
    ),
    (
      "a share", .of(.share(1, of: 3), skipping: [.operator]),
      {
        $0.body.type != .operator
          && $0.body.user.map { UserChoice.share(1, of: 3).includes($0) } ?? true
      }
    ),
  ]

  @Test func instantsSelectWhatTheDecodedRecordsSay() throws {
    let bench = try Self.scene()
    let all = try bench.records()
    #expect(try bench.verify().isIntact && bench.segments().count > 4)
    #expect(zip(all, all.dropFirst()).contains { $0.at > $1.at })
    for (place, reader) in try Self.readers(bench).enumerated() {
      for (name, selection, isSelected) in Self.selections {
        for (from, end) in Self.spans {
          for after in [0, 70] as [UInt64] {
            let expected = all.filter {
              $0.seq > after && isSelected($0) && $0.at >= from ?? .earliest
                && $0.at < end ?? .latest
            }
            var found: [Record] = []
            try reader.scan(
              selection.recorded(from: from, before: end), after: after, threads: 2
            ) { found.append($0) }
            #expect(
              found == expected,
              "\(name) from \(from?.description ?? "-") before \(end?.description ?? "-") after \(after), reader \(place)"
            )
          }
        }
      }
    }
  }

  @Test func aScanStopsAtOnce() throws {
    let bench = try Self.scene()
    let all = try bench.records()
    for (place, reader) in try Self.readers(bench).enumerated() {
      for (name, selection, isSelected) in Self.selections {
        for since in [nil, Self.at(15)] {
          let expected = all.filter { isSelected($0) && $0.at >= since ?? .earliest }
          for count in [1, 2, expected.count / 2, expected.count] where count > 0 {
            var found: [Record] = []
            try reader.scanUntilStopped(selection.recorded(from: since), threads: 1 + count % 2) {
              record in
              found.append(record)
              return found.count < count ? .next : .stop
            }
            #expect(found == Array(expected.prefix(count)), "\(name), \(count), reader \(place)")
          }
        }
      }
    }
    var lines: [UInt64] = []
    try LedgerReader.open(bench.directory).scanLines(after: 5) { seq, _ in
      lines.append(seq)
      return seq < 8 ? .next : .stop
    }
    #expect(lines == [6, 7, 8])
  }

  /// What is outside the instants is passed over by its first bytes; what is inside must be a record, and so must a line whose
  /// instant cannot be read.
  @Test(arguments: [
    ("\"points\":15", "\"points\":x5", true), ("T15:00:", "T1x:00:", false),
    ("\"at\":", "\"ta\":", false),
  ])
  func linesOutsideAreNotDecoded(text: String, damaged: String, isPassedOver: Bool) throws {
    let bench = try Bench()
    let store = try bench.open()
    for number in 0..<9 { _ = try store.append([Bench.grant(number)]) }
    store.close()
    let records = try bench.records()
    let middle = try #require(records.first { $0.body.user == "user4" })
    var lines = String(decoding: try bench.segment(0), as: UTF8.self).split(separator: "\n")
    let place = Int(middle.seq) - 1
    #expect(lines[place].contains(text))
    lines[place] = Substring(lines[place].replacing(text, with: damaged, maxReplacements: 1))
    try put(Array((lines.joined(separator: "\n") + "\n").utf8), at: bench.segmentPath(0))
    let reader = try LedgerReader.open(bench.directory)
    for selection in [.everything, .ofTypes([.grant]), RecordSelection.of(.share(0, of: 1))] {
      #expect(throws: LedgerError.self) { try reader.scan(selection) { _ in } }
      #expect(throws: LedgerError.self) {
        try reader.scan(
          selection.recorded(from: middle.at, before: middle.at.adding(nanoseconds: 1))
        ) { _ in }
      }
      for outside in [
        selection.recorded(before: middle.at),
        selection.recorded(from: middle.at.adding(seconds: 1)),
      ] {
        if isPassedOver {
          var count = 0
          try reader.scan(outside) { _ in count += 1 }
          #expect(count > 0)
        } else {
          #expect(throws: LedgerError.self) { try reader.scan(outside) { _ in } }
        }
      }
    }
  }
}
