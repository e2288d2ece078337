import CivilTime
import Ledger

/// Measures writing and reading a state, and how much a snapshot in progress slows changes to the state.
struct SnapshotBenchmark: Benchmark {
  let name = "snapshot"
  let summary = "a state as bytes and back, and changes beside one that is being written"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let users = effort.pick(quick: 20_000, full: 100_000)
    let state = state(users: users)
    let bytes = StateSnapshot.write(state)
    var writing: [Double] = []
    var reading: [Double] = []
    var changes: [Double] = []
    var copies: [Double] = []
    for round in 1...(effort.rounds * 2) {
      let watch = Stopwatch()
      guard StateSnapshot.write(state) == bytes else { throw PeerFailure(what: "other bytes") }
      writing.append(watch.elapsed.processor)
      let second = Stopwatch()
      guard try StateSnapshot.read(bytes).accounts.count == users else {
        throw PeerFailure(what: "a user is missing")
      }
      reading.append(second.elapsed.processor)
      changes.append(change(state))
      copies.append(changeOfOneArray(state))
      note(
        "round \(round): written in \(Figure.time(writing.last ?? 0)), "
          + "read in \(Figure.time(reading.last ?? 0)), "
          + "a change beside it \(Figure.time(changes.last ?? 0)), "
          + "of one array \(Figure.time(copies.last ?? 0))")
    }
    return [
      .compared(
        "a snapshot of \(Figure.count(Double(users))) users written",
        Figure.time(writing.median), peer: "the same read: \(Figure.time(reading.median))",
        ratio: reading.median / writing.median, atLeast: 0.5, askedText: "0.5"),
      .compared(
        "the first change beside a snapshot that is being written", Figure.time(changes.median),
        peer: "accounts in one array: \(Figure.time(copies.median))",
        ratio: copies.median / changes.median, atLeast: 10, askedText: "10"),
    ]
  }

  /// Returns a state with many users, of whom 10,000 have done something today.
  private func state(users: Int) -> LedgerState {
    var state = LedgerState()
    var mix = RecordMix()
    let at = Instant(seconds: 1_795_176_000)
    let comings = (0..<users).map { number in
      RecordBody.user(
        UserRecord(
          user: "u\(100_000 + number)", zone: "Asia/Tokyo", from: at, since: Day(number: 20_777)))
    }
    for (index, body) in (comings + mix.next(50_000)).enumerated() {
      state.apply(Record(seq: UInt64(index + 1), at: at, body: body))
    }
    return state
  }

  /// Returns how long one record takes while the state is also held elsewhere.
  private func change(_ held: LedgerState) -> Double {
    var state = held
    let move = UserRecord(user: "u100007", zone: "Europe/Rome", from: held.at)
    let record = Record(seq: held.seq + 1, at: held.at, body: .user(move))
    let watch = Stopwatch()
    state.apply(record)
    let seconds = watch.elapsed.wall
    return withExtendedLifetime(held) { seconds }
  }

  /// Returns how long the same change takes if all accounts are in one array.
  private func changeOfOneArray(_ state: LedgerState) -> Double {
    let held = Array(state.accounts)
    var accounts = held
    let watch = Stopwatch()
    accounts[7] = accounts[8]
    let seconds = watch.elapsed.wall
    return withExtendedLifetime((held, accounts)) { seconds }
  }
}
