import AuditPage
import CivilTime
import Engine
import Evidence
import Ledger
import LedgerStore
import Operations
import RewardRules
import Scheduling
import TestSupport
import Testing

/// What a clock that was ahead has written is taken back, as if it had never been.
@Suite(.offThePool) struct FutureUndoingTests {
  private static let roster = ["ann", "ben", "eve"].map {
    "{\"user\":\"\($0)\",\"timezone\":\"UTC\"}\n"
  }.joined()
  private static let present = "2026-11-13T08:00:00Z"

  private func tell(
    _ runtime: Runtime, _ user: String, _ kind: String, _ at: String
  ) async throws {
    let line = "{\"user\":\"\(user)\",\"kind\":\"\(kind)\",\"at\":\"\(at)\"}\n"
    _ = try await Ingestion(runtime).run(Array(line.utf8), name: "\(user)-\(kind)-\(at).jsonl")
  }

  private func night(_ place: TestPlace, _ text: String) async throws {
    try await place.at(text) {
      _ = try await Reconciliation($0, ReconcileOrder(isConfirmed: true)).run()
    }
  }

  /// Three days of two users, and a fourth that runs.
  private func place() async throws -> TestPlace {
    var settings = TestPlace.Settings()
    settings.relay = "{}"
    let place = try TestPlace(settings)
    try await place.at("2026-11-10T00:00:00Z") { try await $0.hire(Self.roster) }
    for day in 10...12 {
      try await place.at("2026-11-\(day)T06:00:00Z") {
        for user in ["ann", "ben"] {
          try await tell($0, user, "login", "2026-11-\(day)T05:00:00Z")
        }
      }
      try await night(place, "2026-11-\(day + 1)T00:30:00Z")
    }
    try await place.at("2026-11-13T06:00:00Z") {
      try await tell($0, "ann", "login", "2026-11-13T05:00:00Z")
    }
    return place
  }

  /// What is true, told while the clock is ahead or is not.
  private func truth(_ runtime: Runtime) async throws {
    try await tell(runtime, "ben", "comment", "2026-11-13T07:00:00Z")
    try await tell(runtime, "eve", "login", "2026-11-12T09:00:00Z")
  }

  private func undo(_ place: TestPlace, _ text: String = present) async throws
    -> FutureUndoing.Report
  {
    let clock = FixedClock(at: try InstantText.parse(text).instant)
    return try await FutureUndoing(place.configuration(), place.environment(clock))
      .run(actor: "op")
  }

  /// A run that was killed may have taken everything back, and left only this.
  @Test func whatASourceSaidOfTheFutureIsForgotten() async throws {
    var settings = TestPlace.Settings()
    settings.sources =
      "{\"backend\": {\"kinds\": [\"login\"]}, \"shop\": {\"kinds\": [\"purchase\"]}}"
    let place = try TestPlace(settings)
    try await place.at("2026-11-10T00:00:00Z") { try await $0.hire(Self.roster) }
    try place.write("data/inbox/backend/complete", "2026-11-16T00:00:00Z\n")
    try place.write("data/inbox/shop/complete", "2026-11-12T00:00:00Z\n")
    #expect(try await undo(place).lines == 0)
    #expect(!place.names(in: "data/inbox/backend").contains("complete"))
    #expect(place.read("data/inbox/shop/complete") == "2026-11-12T00:00:00Z\n")
  }

  /// What users have and where their days stand, by user.
  private func standing(_ place: TestPlace) async throws -> [String: [String]] {
    let state = try await StateReading.read(LedgerReader.open(place.directory))
    return Dictionary(
      uniqueKeysWithValues: state.accounts.map { account in
        (
          account.id,
          [
            "\(account.holdings.sum) \(account.state.streak)",
            "\(account.boundaryDay) \(account.boundary) \(account.isPresent)",
            "\(account.grants.open.map(\.text).sorted())",
          ]
        )
      })
  }

  private func audit(
    _ place: TestPlace, _ text: String, sinceLast: Bool = false
  ) async throws -> AuditReport {
    let clock = FixedClock(at: try InstantText.parse(text).instant)
    return try await Audit(place.configuration(), place.environment(clock), sinceLast: sinceLast)
      .run()
  }

  @Test func itIsAsIfTheClockHadBeenRight() async throws {
    let (right, wrong) = (try await place(), try await place())
    try await right.at(Self.present) { try await truth($0) }
    // Four nights that have not come, and an audit and a snapshot of them.
    try await night(wrong, "2026-11-17T00:30:00Z")
    #expect(try await audit(wrong, "2026-11-17T01:00:00Z").passed)
    try await wrong.at("2026-11-17T02:00:00Z") { try await truth($0) }
    try await snapshot(of: wrong)
    #expect(try await standing(wrong)["ann"] != standing(right)["ann"])

    let report = try await undo(wrong)
    #expect(report.closes >= 4 && report.again == 4 && report.judged > 0)
    #expect(try await standing(wrong) == standing(right))
    #expect(try await undo(wrong).lines == 0)

    for place in [right, wrong] {
      #expect(try await audit(place, "2026-11-13T09:00:00Z", sinceLast: true).passed)
      #expect(try await audit(place, "2026-11-13T09:00:00Z").passed)
      try await place.at("2026-11-13T12:00:00Z") {
        try await tell($0, "eve", "comment", "2026-11-13T11:00:00Z")
      }
      for day in 14...15 { try await night(place, "2026-11-\(day)T00:30:00Z") }
      #expect(try await audit(place, "2026-11-15T09:00:00Z", sinceLast: true).passed)
    }
    #expect(try await standing(wrong) == standing(right))
  }

  /// A snapshot as of the last line.
  private func snapshot(of place: TestPlace) async throws {
    let state = try await StateReading.read(LedgerReader.open(place.directory))
    let store = try LedgerStore.open(
      LedgerConfiguration(directory: place.directory, program: "p", command: "c"),
      LedgerStore.Dependencies(clock: { .earliest }, randomBytes: RandomBytes.make))
    defer { store.close() }
    try store.writeSnapshot(payload: StateSnapshot.write(state), at: store.head)
  }

  /// What stands upon the future cannot be taken back with it.
  @Test(arguments: [
    "activity", "credit", "plan", "reversal", "withdrawal", "came", "moved", "left", "undone",
    "far",
  ])
  func aLaterTruthIsNotTakenBack(what: String) async throws {
    let place = try await place()
    try await night(place, "2026-11-15T00:30:00Z")
    try await place.at("2026-11-15T06:00:00Z") { runtime in
      let environment = runtime.environment
      switch what {
      case "activity": try await tell(runtime, "ann", "share", "2026-11-13T08:06:00Z")
      case "plan":
        try await tell(runtime, "eve", "login", "2026-11-12T09:00:00Z")
        let plan = try await BackfillPlanner(runtime.configuration, environment).plan(
          BackfillOrder(days: Day(number: 20_767)...Day(number: 20_770)),
          in: LedgerReader.open(place.directory))
        _ = try await BackfillApplication(runtime).apply(plan, by: "tests")
      case "reversal":
        try await runtime.writer.append(
          .reversal(
            ReversalRecord(key: "ann/2026-11-10/login", user: "ann", reason: "r", actor: "op")))
      case "withdrawal":
        var excuse = ExcuseRecord(
          from: Day(number: 20_767), to: Day(number: 20_767), reason: "r", actor: "op")
        excuse.withdraws = 5
        try await runtime.writer.append(.excuse(excuse))
      case "credit":
        try await runtime.writer.append(
          .credit(
            CreditRecord(
              user: "ann",
              Credit(effective: InstantText.parse("2026-11-14T08:00:00Z").instant, exp: 9))))
      case "came":
        try await runtime.hire(Self.roster + "{\"user\":\"zoe\",\"timezone\":\"Asia/Tokyo\"}\n")
      case "moved": try await runtime.hire("{\"user\":\"eve\",\"timezone\":\"Asia/Tokyo\"}\n")
      case "left":
        _ = try await RosterImport(runtime.writer).remove(
          user: "eve", reason: "left", by: "tests")
      default: break
      }
    }
    if what == "undone" { _ = try await undo(place, "2026-11-14T08:00:00Z") }
    if what == "far" { try await night(place, "2026-11-21T00:30:00Z") }
    let head = try LedgerReader.open(place.directory).head
    await #expect(throws: RuntimeError.self) { _ = try await undo(place) }
    #expect(try LedgerReader.open(place.directory).head == head)
  }

  /// A night whose closes are taken back is due again; another program's fire is not, unless its time has not come.
  @Test func nightsAreRunAgain() async throws {
    let place = try await place()
    let runs = [
      ("night", "2026-11-13T00:30", "closed", "done"), ("mail", "2026-11-13T07:00", "exit", "done"),
      ("mail", "2026-11-14T07:00", "exit", "done"), ("late", "2026-11-13T05:00", "exit", "missed"),
    ]
    try await place.at("2026-11-15T06:00:00Z") { runtime in
      for (job, local, count, outcome) in runs {
        try await runtime.writer.append(
          .run(
            RunRecord(
              job: job, zone: "UTC", nominal: InstantText.parse("\(local):00Z").instant,
              nominalLocal: local, actual: runtime.clock.now(), outcome: outcome,
              counts: [RunCount(name: count, value: 0)])))
      }
    }
    #expect(try await undo(place).again == 1)
    var left: [RunRecord] = []
    try LedgerReader.open(place.directory).scan(.ofTypes([.run])) { record in
      if case .run(let run) = record.body, run.job != "reconcile" { left.append(run) }
    }
    #expect(left.map(\.nominalLocal) == ["2026-11-13T07:00"])
    #expect(left.first?.actual == (try InstantText.parse(Self.present).instant))
  }

  /// Of a ledger that was begun while the clock was ahead no line would be left.
  @Test func aLedgerOfTheFutureIsNotTakenBack() async throws {
    let place = try await place()
    let head = try LedgerReader.open(place.directory).head
    await #expect(throws: RuntimeError.self) { _ = try await undo(place, "2026-11-09T08:00:00Z") }
    #expect(try LedgerReader.open(place.directory).head == head)
  }

  /// Grants that follow otherwise are named: sinks may have been told of them. Here one of which nothing is known any more.
  @Test func whatIsGrantedOtherwiseIsNamed() async throws {
    let place = try await place()
    try await place.at("2026-11-14T06:00:00Z") {
      try await tell($0, "ben", "comment", "2026-11-13T07:00:00Z")
      let grant = GrantRecord(
        key: "eve/2026-11-14/share", user: "eve", day: Day(number: 20_771), mission: "share",
        effective: $0.clock.now(), rules: "r", reward: Reward(), evidence: [1], cause: "live")
      try await $0.writer.append(.grant(grant))
    }
    let report = try await undo(place)
    #expect(report.grants > 1 && report.changed == ["eve/2026-11-14/share"])
  }

  /// What goes on is known to last until the present at most.
  @Test func whatGoesOnIsCutAtThePresent() async throws {
    let place = try await place()
    let stream = Activity(
      kind: .stream, from: try InstantText.parse("2026-11-13T07:00:00Z").instant,
      to: try InstantText.parse("2026-11-13T19:00:00Z").instant, isOpen: true)
    _ = try await place.at("2026-11-14T06:00:00Z") {
      try await $0.writer.append(
        .evidence(
          EvidenceRecord(
            user: "ann", activity: stream, source: .lastStream, observedAt: stream.to)))
    }
    #expect(try await undo(place).again == 1)
    var seen: [EvidenceRecord] = []
    try LedgerReader.open(place.directory).scan(.ofTypes([.evidence])) { record in
      if case .evidence(let evidence) = record.body { seen.append(evidence) }
    }
    let present = try InstantText.parse(Self.present).instant
    #expect(seen.last?.activity.from == stream.from && seen.last?.activity.to == present)
    #expect(seen.last?.activity.isOpen == true && seen.last?.observedAt == present)
  }
}
