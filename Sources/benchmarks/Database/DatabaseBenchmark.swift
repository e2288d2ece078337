import Foundation
import Foundations
import Ledger
import LedgerDatabase
import LedgerStore
import Operations

/// Appends batches to a ledger in a database, compared with raw writing and with a row for each line.
struct DatabaseBenchmark: Benchmark {
  let name = "database"
  let summary =
    "batches of 1,000 records to a ledger in PostgreSQL, beside raw writes and a row per line"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let batches = effort.pick(quick: 50, full: 300)
    let shards = effort.rounds + Self.crowds.reduce(0, +)
    guard let server = try DatabaseServer(shards: shards) else {
      return [
        .alone(
          "append in PostgreSQL, groups of 1,000", "–", missing: "a PostgreSQL server",
          askedText: "60,000 lines/s, 3 µs of the server each")
      ]
    }
    defer { server.stop() }
    let (rows, notes) = try measure(batches, rounds: effort.rounds, on: server)
    for text in notes { note(text) }
    return rows
  }

  /// The numbers of concurrent writers, each with its own ledger.
  private static let crowds = [1, 2, 4, 8]

  private func measure(
    _ count: Int, rounds: Int, on server: DatabaseServer
  ) throws -> (rows: [ResultRow], notes: [String]) {
    var notes: [String] = []
    let pool = server.pool
    try makePeer(pool)
    let lines = Double(count * 1_001)
    var ours: [(wall: Double, server: Double)] = []
    var rows: [(wall: Double, server: Double)] = []
    var reading: [Double] = []
    for round in 0..<rounds {
      var mix = RecordMix()
      let bodies = (0..<count).map { _ in mix.next(1_000) }
      let files = DatabaseFiles(pool, worker: "benchmarks", time: .machine)
      let directory = DataDirectory(files.folder(ofShard: Int64(round)), in: files)
      let own = try server.measuring { try append(bodies, to: Int64(round), pool) }
      let watch = Stopwatch()
      var all: [[String]] = []
      var bytes = 0
      var batch: [String] = []
      try LedgerReader.open(directory).scanLines(after: 0) { _, line in
        bytes += line.count
        batch.append(String(decoding: line.dropLast(), as: UTF8.self))
        if batch.count == 1_001 {
          all.append(batch)
          batch = []
        }
        return .next
      }
      reading.append(Double(bytes) / watch.elapsed.wall)
      let peer = try server.measuring { try appendRows(all, round: round, pool) }
      ours.append(own)
      rows.append(peer)
      notes.append(
        "round \(round + 1): ours \(Figure.time(own.wall)), a row per line \(Figure.time(peer.wall))"
      )
    }
    let all = lines * Double(rounds)
    let diskBytes = try Double(sizeOfTables(pool, "<> '\(Self.peerTable)'")) / all
    let peerDiskBytes = try Double(sizeOfTables(pool, "= '\(Self.peerTable)'")) / all
    let several = try crowdRows(count, after: rounds, pool, server)
    let raw = try rawSeconds(count, in: server.path)
    let (wall, busy) = (ours.map(\.wall).median, ours.map(\.server).median / lines)
    let (peerWall, peerBusy) = (rows.map(\.wall).median, rows.map(\.server).median / lines)
    let table =
      [
        ResultRow(
          work: "append in PostgreSQL, groups of 1,000, one writer",
          measured:
            "\(Figure.count(lines / wall)) lines/s, \(Figure.time(busy)) of the server each",
          peer:
            "a row per line: \(Figure.count(lines / peerWall)) lines/s, \(Figure.time(peerBusy)); "
            + "write + fdatasync: \(Figure.count(lines / raw)) lines/s",
          ratio: Figure.ratio(peerWall / wall),
          asked: "60,000 lines/s, 3 µs of the server each",
          isReached: lines / wall >= 60_000 && busy <= 3e-6),
        ResultRow(
          work: "reading a ledger in PostgreSQL, line by line",
          measured: "\(Figure.mebibytes(Int(reading.median)))/s", asked: "–", isReached: nil),
        ResultRow(
          work: "disk in PostgreSQL for a line, with keys and seals",
          measured: "\(Int(diskBytes)) bytes",
          peer: "a row per line, without keys: \(Int(peerDiskBytes)) bytes",
          ratio: Figure.ratio(diskBytes / peerDiskBytes), asked: "–", isReached: nil),
      ] + several
    return (table, notes)
  }

  /// Opens a shard's ledger and appends to it.
  private func append(_ batches: [[RecordBody]], to shard: Int64, _ pool: DatabasePool) throws {
    let files = DatabaseFiles(pool, worker: "benchmarks", time: .machine)
    let directory = DataDirectory(files.folder(ofShard: shard), in: files)
    let store = try LedgerStore.open(
      LedgerConfiguration(directory: directory, program: "benchmarks", command: "benchmarks"),
      LedgerStore.Dependencies(
        clock: { SystemClock().now() },
        randomBytes: { [UInt8](repeating: 7, count: $0) }))
    for batch in batches { _ = try store.append(batch) }
    store.close()
  }

  /// Measures the same lines divided among more and more writers, which use the shards from `first` on.
  private func crowdRows(
    _ count: Int, after first: Int, _ pool: DatabasePool, _ server: DatabaseServer
  ) throws -> [ResultRow] {
    var shard = Int64(first)
    return try Self.crowds.map { writers in
      let parts = (0..<writers).map { _ in
        var mix = RecordMix()
        return (0..<count / writers).map { _ in mix.next(1_000) }
      }
      let start = shard
      shard += Int64(writers)
      let (wall, busy) = try server.measuring {
        _ = try Concurrently.map(writers, threads: writers) { number in
          try append(parts[number], to: start + Int64(number), pool)
        }
      }
      let lines = Double(count / writers * writers * 1_001)
      return ResultRow(
        work: "append in PostgreSQL, groups of 1,000, \(writers) writers of a ledger each",
        measured:
          "\(Figure.count(lines / wall)) lines/s, \(Figure.time(busy / lines)) of the server each",
        asked: "–", isReached: nil)
    }
  }

  private func sizeOfTables(_ pool: DatabasePool, _ name: String) throws -> Int64 {
    try pool.withConnection { connection throws(DatabaseError) in
      try connection.run(
        DatabaseStatement(
          """
          SELECT sum(pg_total_relation_size(oid))::int8 FROM pg_class
          WHERE relnamespace = 'rewards'::regnamespace AND relkind = 'r' AND relname \(name)
          """), within: 60
      ).number(0, 0)
    }
  }

  /// In the account's own schema, which the ledgers use too.
  private static let peerTable = "line"

  private func makePeer(_ pool: DatabasePool) throws {
    try pool.withConnection { connection throws(DatabaseError) in
      _ = try connection.run(
        DatabaseStatement(
          "CREATE TABLE \(Self.peerTable) (round int4, seq int8, text text NOT NULL, PRIMARY KEY (round, seq))"
        ),
        within: 60)
    }
  }

  /// Inserts a row for each line, and its key if it has one, as a table of records would.
  private func appendRows(_ batches: [[String]], round: Int, _ pool: DatabasePool) throws {
    try pool.withConnection { connection throws(DatabaseError) in
      var seq: Int64 = 0
      for batch in batches {
        let seqs = batch.map { _ -> Int64 in
          seq += 1
          return seq
        }
        try connection.run(
          [
            DatabaseStatement("BEGIN"),
            DatabaseStatement(
              "INSERT INTO \(Self.peerTable) SELECT $1, * FROM unnest($2::int8[], $3::text[])",
              [.number(Int64(round)), .numbers(seqs), .texts(batch)]),
            DatabaseStatement("COMMIT"),
          ], within: 60)
      }
    }
  }

  /// Returns how long it takes to write and sync the same number of bytes, group by group.
  private func rawSeconds(_ count: Int, in folder: String) throws -> Double {
    let files = PosixFileSystem()
    var mix = RecordMix()
    var encoder = RecordEncoder()
    let groups = try (0..<count).map { _ in
      var bytes: [UInt8] = []
      for (index, body) in mix.next(1_000).enumerated() {
        try encoder.append(
          Record(seq: UInt64(index + 1), at: SystemClock().now(), body: body), to: &bytes)
      }
      return bytes
    }
    let file = try files.open("\(folder)/raw", for: .append)
    defer { files.close(file) }
    let watch = Stopwatch()
    for group in groups {
      try files.writeAll(group, to: file)
      try files.sync(file)
    }
    return watch.elapsed.wall
  }
}
