import Configuration
package import Described
package import Failures
import Ledger
import Scheduling
import StrictJSON

/// Pauses a job, whose fires are recorded as skipped until it is resumed: `rewards jobs pause`.
package struct JobPauseRequest: Request {
  /// `jobs pause`.
  package static let name = "jobs pause"

  /// The job's name.
  package let job: String
  private let reason: String
  private let actor: String?

  /// Creates a pause of a job.
  package init(of job: String, reason: String, actor: String?) {
    self.job = job
    self.reason = reason
    self.actor = actor
  }

  /// Records the pause; throws when there is no such job.
  package func perform(at place: Place) async throws {
    try place.runtime.requireJob(job)
    try await place.runtime.writer.append(
      .operator(
        OperatorRecord(
          act: .pause, subject: job, reason: try Reason.check(reason),
          actor: try place.actor(actor))))
  }
}

extension JobPauseRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    job = try coder.field("job", value?.pointee.job)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.optional("actor", value?.pointee.actor)
  }
}

/// Resumes a paused job from its next fire on: `rewards jobs resume`.
package struct JobResumeRequest: Request {
  /// `jobs resume`.
  package static let name = "jobs resume"

  /// The job's name.
  package let job: String
  private let reason: String?
  private let actor: String?

  /// Creates the end of a job's pause.
  package init(of job: String, reason: String?, actor: String?) {
    self.job = job
    self.reason = reason
    self.actor = actor
  }

  /// Records the end of the pause; throws when there is no such job or it is not paused.
  package func perform(at place: Place) async throws {
    let runtime = place.runtime
    try runtime.requireJob(job)
    let isPaused = await runtime.writer.read { $0.ledger.jobs.pauses[job] != nil }
    guard isPaused else {
      throw Failure(.badData, "the job is not paused", place: "job \"\(job)\"")
    }
    let actor = try place.actor(actor)
    let reason = try reason.map(Reason.check) ?? ""
    // Record the skipped fires before the pause ends; afterwards they would be caught up.
    try await JobPauses(runtime).recordSkipped(job: job)
    try await runtime.writer.append(
      .operator(OperatorRecord(act: .resume, subject: job, reason: reason, actor: actor)))
  }
}

extension JobResumeRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    job = try coder.field("job", value?.pointee.job)
    reason = try coder.optional("reason", value?.pointee.reason)
    actor = try coder.optional("actor", value?.pointee.actor)
  }
}

extension Runtime {
  /// Throws when there is no such job in any ledger; one of several ledgers knows jobs that another one runs.
  fileprivate func requireJob(_ name: String) throws {
    let names = try JobFolder.all(configuration, zones: environment.zones).map(\.name)
    if !names.contains(name) { throw Failure.noJob(name, among: names) }
  }
}

extension Failure {
  /// Nobody has configured a job of this name.
  package static func noJob(_ name: String, among names: [String]) -> Failure {
    Failure(
      .badData, "there is no such job\(NearestName.hint(for: name, among: names))",
      place: "job \"\(name)\"", remedy: "See rewards jobs list.")
  }
}

/// Runs one job now: `rewards run`. The job may start a program, so a service refuses requests of other accounts.
package struct RunRequest: Request {
  /// `run`.
  package static let name = "run"
  /// Nobody starts programs as the service's account but that account.
  package static let isForOthers = false

  /// The path of the job's file, as the caller knows it.
  private let file: String
  private let onlyDue: Bool
  /// The round, with several ledgers; nil with one.
  package let round: CountingRound?
  /// The job.
  package var input: [UInt8]

  /// Creates a run of the job described in `input`, from `file`.
  package init(_ input: [UInt8], of file: String, onlyDue: Bool, round: CountingRound?) {
    self.input = input
    self.file = file
    self.onlyDue = onlyDue
    self.round = round
  }

  /// Runs what is due, or the job once; returns nil when another ledger runs it.
  package func perform(at place: Place) async throws -> SingleRun.Report? {
    let runtime = place.runtime
    let job: Job
    switch JobFile.parse(input, zones: runtime.environment.zones) {
    case .success(let parsed): job = parsed.waiting(for: runtime.configuration)
    case .failure(let problems):
      throw Failure(.badData, problems: problems.problems.map { "\(file), \($0)" })
    }
    // Other programs do not know about shards, so the first ledger runs them.
    if job.isProgram, let shardID = runtime.configuration.shardID, shardID.number > 0 { return nil }
    try round?.check(runtime)
    let single = try SingleRun(
      runtime, job, countedSince: round?.since, closesCounted: round?.isSecond ?? false)
    // Other shards must not wait for one that has nothing to run.
    try await runtime.publishCloses()
    return try await single.run(onlyDue: onlyDue)
  }
}

extension RunRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    file = try coder.field("file", value?.pointee.file)
    onlyDue = try coder.field("due", value?.pointee.onlyDue)
    round = try coder.optional("round", value?.pointee.round)
    input = []
  }
}
