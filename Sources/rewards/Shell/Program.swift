import CivilTime
import Failures
import Foundations
import Operations
import Scheduling

/// The program as a function of its arguments and environment.
struct Program: Sendable {
  let environment: ProgramEnvironment

  /// Does what `words`, the arguments after the program's name, ask for; never throws.
  func run(_ words: [String]) async -> ExitCode {
    do {
      let invocation = try ArgumentParser(commands: CommandList.all).parse(words)
      let environment = environment.paging(invocation, words)
      let width = max(40, min(environment.output.columns ?? .max, MarkdownText.width))
      switch invocation {
      case .overview(let group, let given):
        environment.output.write(
          HelpText(width: width).overview(group: group, inDatabase: isInDatabase(given)))
        return .done
      case .help(let spec, let given):
        environment.output.write(
          HelpText(width: width).text(of: spec, inDatabase: isInDatabase(given)))
        return .done
      case .topic(let page):
        environment.output.write(MarkdownText.text(of: page.page, width: width))
        return .done
      case .command(let command, let arguments):
        let options = try CommonOptions(arguments, environment: environment.variables)
        let context = CommandContext(environment, options, name: command.spec.name)
        if let remark = arguments.remark { context.remark(remark) }
        return try await ShardedCommand(command, arguments, in: context).run()
      }
    } catch {
      let failure = Failure(describing: error)
      environment.errors.write(failure.text(in: OutputFormat(of: words)))
      return failure.exitCode
    }
  }

  /// Whether the configuration at hand keeps its data in a database; false where none can be read.
  private func isInDatabase(_ given: ParsedArguments) -> Bool {
    guard let options = try? CommonOptions(given, environment: environment.variables)
    else { return false }
    let context = CommandContext(environment, options, name: "help")
    _ = try? context.configuration()
    return context.database != nil
  }
}

/// The environment of a process; tests supply their own.
struct ProgramEnvironment: Sendable {
  let variables: [String: String]
  var output: any ByteSink
  let errors: any ByteSink
  /// What shows long output to a person; nil where standard output is no terminal.
  var pager: PagedSink?
  let clock: any ServiceClock
  /// Whether all workers of a database share `clock`, so that the database's own is not used.
  var isClockShared = false
  let zones: any ZoneSource
  /// The account for which a command runs, as reported by the kernel.
  var account = "unknown"
  /// The working folder.
  var folder = "."
  /// The name by which this program was called.
  var program = "rewards"
  /// The machine and this process on it, as shown to others.
  var process = "this process"
  /// Reads the time zone database again; returns whether it has changed.
  var reloadZones: @Sendable () -> Bool = { false }
  /// The names of all zones of the database.
  var zoneNames: @Sendable () -> [String] = { [] }
  /// Moves the whole process onto one thread, for a demo; returns nil where others share the process.
  var takeOneThread: @Sendable () async -> DemoThread? = { nil }
  /// Reads standard input to its end.
  var readInput: @Sendable (_ limitBytes: Int) throws(ReadError) -> [UInt8]
  /// The data folder that this process already serves; nil if it serves none.
  var hosted: Runtime?
  /// The fire of the job for which a command runs; nil outside of jobs.
  var fire: JobFire?
  /// The database that holds this data; nil where it is a folder.
  var database: AttachedDatabase?

  /// Returns the same environment with the pager for output, where what is invoked may print more than a screen and the command line does
  /// not forbid it.
  fileprivate func paging(_ invocation: Invocation, _ words: [String]) -> ProgramEnvironment {
    guard let pager, !words.prefix(while: { $0 != "--" }).contains("--no-pager") else {
      return self
    }
    if case .command(let command, _) = invocation, !command.spec.isPaged { return self }
    var paging = self
    paging.output = pager
    return paging
  }
}
