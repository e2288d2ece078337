package import CivilTime
package import Configuration
package import Failures
package import Foundations
import LedgerStore
package import Scheduling

/// Reads the job files of a folder.
package enum JobFolder {
  /// A file that cannot be used.
  package struct Problem: Error, Sendable, CustomStringConvertible {
    /// The file, and each mistake with its place.
    package let description: String
  }

  /// Returns the configured jobs of this ledger, ordered by file name. Other programs do not know about shards, so among
  /// several ledgers the first runs them. Throws ``Foundations/ReadError`` or ``Problem``.
  package static func read(
    _ configuration: Configuration, zones: any ZoneSource
  ) throws -> [Job] {
    let isFirst = configuration.shardID.map { $0.number == 0 } ?? true
    return try all(configuration, zones: zones).filter { isFirst || !$0.isProgram }
      .map { $0.waiting(for: configuration) }
  }

  /// Returns all configured jobs, whichever ledger they belong to; see ``files(_:zones:)``.
  package static func all(_ configuration: Configuration, zones: any ZoneSource) throws -> [Job] {
    try files(configuration, zones: zones).map(\.job)
  }

  /// Returns all configured jobs with their files; see ``files(in:among:zones:)``.
  package static func files(
    _ configuration: Configuration, zones: any ZoneSource
  ) throws -> [(path: String, job: Job)] {
    try files(in: configuration.jobs, among: configuration.files, zones: zones)
  }

  /// Returns the jobs in `folder`; see ``files(in:among:zones:)``.
  package static func all(
    in folder: String, among files: any FileSystem, zones: any ZoneSource
  ) throws -> [Job] {
    try self.files(in: folder, among: files, zones: zones).map(\.job)
  }

  /// Returns the jobs in `folder` with their files, ordered by file name and without hidden files; empty when there is no folder. Throws
  /// ``Foundations/ReadError`` or ``Problem``.
  package static func files(
    in folder: String, among files: any FileSystem, zones: any ZoneSource
  ) throws -> [(path: String, job: Job)] {
    var jobs: [(path: String, job: Job)] = []
    let names = try files.namesIfPresent(in: folder)
    for name in names.filter({ $0.hasSuffix(".json") && !$0.hasPrefix(".") }).sorted() {
      let path = "\(folder)/\(name)"
      let text = try files.readInput(path, limitBytes: 1 << 20)
      switch JobFile.parse(text, zones: zones) {
      case .success(let job):
        if jobs.contains(where: { $0.job.name == job.name }) {
          throw Problem(
            description: "\(path): another file already has a job named \"\(job.name)\"")
        }
        jobs.append((path, job))
      case .failure(let problems):
        throw Problem(
          description: problems.problems.map { "\(path), \($0)" }.joined(separator: "\n"))
      }
    }
    return jobs
  }
}

extension Job {
  /// Returns the job with the configured lag of the API.
  package func waiting(for configuration: Configuration) -> Job {
    var job = self
    job.lagSeconds = Int64(configuration.api.lagSeconds)
    return job
  }
}

extension JobFolder.Problem: FailureConvertible {
  /// A bad-data failure.
  package var failure: Failure { Failure(.badData, description) }
}
