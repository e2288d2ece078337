import CivilTime
import Foundations
import Ledger
import LedgerStore

/// Writes a part of a ledger as a ledger of its own. Blocks; for one thread.
final class PartWriter {
  /// The maximum number of lines under one seal.
  private static let mostLines = 4_096

  let store: LedgerStore
  private(set) var users: Set<String> = []
  private let isSimulated: Bool
  private let time: Lock<Instant>
  /// The remaining lines of the whole ledger, in order, after which this part must have a seal.
  private var seams: ArraySlice<UInt64>
  private var heads: [UInt64: LedgerHead] = [:]
  private var batch: [RecordBody] = []

  /// Begins the ledger in `part` at the time of the line `genesis`, with an id made from `identity`.
  init(
    _ part: DataDirectory, identity: [UInt8], genesis: Record?, _ environment: RuntimeEnvironment,
    seams: Set<UInt64>
  ) throws {
    let time = Lock(genesis?.at ?? .earliest)
    var program = "rewards \(ProgramVersion.text)"
    var isSimulated = false
    var whole: String?
    if case .genesis(let record) = genesis?.body {
      // What the whole did not record, its parts lack, too.
      program = record.program
      isSimulated = record.simulated ?? false
      whole = record.ledger
    }
    self.isSimulated = isSimulated
    self.time = time
    self.seams = seams.sorted()[...]
    var configuration = LedgerConfiguration(
      directory: part, program: program, command: environment.command, isSimulated: isSimulated)
    configuration.partOf = whole
    store = try LedgerStore.open(
      configuration, .init(clock: { time.withLock { $0 } }, randomBytes: { _ in identity }))
  }

  /// Writes the division of the lines about `choice`, then `ending`, stamped `end` unless time is simulated. Returns the
  /// division, which then holds the numbers of all lines.
  func write(
    _ reader: LedgerReader, _ division: LedgerDivision, of choice: UserChoice,
    ending: OperatorRecord, at end: Instant
  ) throws -> LedgerDivision {
    var division = division
    try reader.scan(.of(choice, skipping: [.seal])) { record in
      try prepare(for: record)
      let body: RecordBody?
      do {
        body = try division.body(of: record, after: store.head)
      } catch let error as LedgerDivision.LostReference {
        throw RuntimeError(
          kind: .lines,
          cause: "line \(error.line) of the ledger \(reader.ledger) names line "
            + "\(error.reference), which is not the same user's",
          remedy: "nothing was written; check that ledger: rewards audit")
      }
      guard let body else { return }
      if case .user(let user) = body { users.insert(user.user) }
      division.note(record.seq, as: store.head.seq + 1 + UInt64(batch.count))
      batch.append(body)
    }
    try commit()
    for seam in seams { heads[seam] = store.head }
    // The present of a simulated ledger is the time of its last line.
    if !isSimulated { time.withLock { $0 = end } }
    _ = try store.append([.operator(ending)])
    return division
  }

  /// Returns the last seal before any line that followed line `seam` of the whole ledger.
  func head(through seam: UInt64) -> LedgerHead { heads[seam] ?? store.head }

  /// Seals what must precede `record`: lines of another time, and before a close, which names the seal, all of them.
  private func prepare(for record: Record) throws {
    if let seam = seams.first, record.seq > seam {
      try commit()
      while let seam = seams.first, record.seq > seam {
        heads[seam] = store.head
        seams.removeFirst()
      }
    }
    let isOther = time.withLock { $0 != record.at }
    var isClose = false
    if case .close = record.body { isClose = true }
    if isOther || isClose || batch.count >= Self.mostLines { try commit() }
    if isOther { time.withLock { $0 = record.at } }
  }

  private func commit() throws {
    _ = try store.append(batch)
    batch.removeAll(keepingCapacity: true)
  }
}
