import Configuration
import Failures
import Glibc
import Operations
import Scheduling

/// The argument that names a job: by its name, or by its file.
enum JobArgument {
  /// The argument.
  static let argument = CommandSpec.Argument(
    "JOB", help: "the job's name, as rewards jobs list shows it, or its file")

  /// Returns the file of a job, and what it holds. Throws ``ExitCode/badData`` when no configured job has the name.
  static func read(
    _ text: String, in context: CommandContext
  ) throws -> (file: String, bytes: [UInt8]) {
    var file = text
    if !isFile(text) {
      do {
        file = try self.file(of: text, in: context)
      } catch {
        guard looksLikeFile(text) || access(text, F_OK) == 0 else { throw error }
      }
    }
    return (file, try context.input(file))
  }

  /// Returns the name of a job. Throws ``ExitCode/badData`` when its file has mistakes.
  static func name(_ text: String, in context: CommandContext) throws -> String {
    guard isFile(text) else { return text }
    switch JobFile.parse(try context.input(text), zones: context.zones) {
    case .success(let job): return job.name
    case .failure(let problems):
      throw Failure(.badData, problems: problems.problems.map { "\(text), \($0)" })
    }
  }

  /// Returns whether a text looks like a file that is there; the names of jobs may look the same.
  private static func isFile(_ text: String) -> Bool {
    text == "-" || looksLikeFile(text) && access(text, F_OK) == 0
  }

  private static func looksLikeFile(_ text: String) -> Bool {
    text.contains("/") || text.hasSuffix(".json")
  }

  private static func file(of name: String, in context: CommandContext) throws -> String {
    let configuration = try context.configuration()
    let files = try JobFolder.files(configuration, zones: context.zones)
    if let found = files.first(where: { $0.job.name == name }) { return found.path }
    throw Failure.noJob(name, among: files.map(\.job.name))
  }
}
