import Failures
import Foundations
import Glibc
import LinuxShims
import Operations

/// The process: the only place that uses standard streams, the real environment and the exit call.
@main
struct Main {
  static func main() async {
    linux_keep_private()
    // The file that it names could weaken TLS, here and in libpq; the system's own stays in force.
    unsetenv("OPENSSL_CONF")
    linux_return_large_memory()
    Orphans.reapAsFirstProcess()
    // A failed write reports a reader that has gone.
    signal(SIGPIPE, SIG_IGN)
    // Not exit(3): threads still ending would use libraries that have already cleaned up. All output is written by now.
    _exit(await run())
  }

  @concurrent
  private static func run() async -> Int32 {
    let output = DescriptorSink(descriptor: STDOUT_FILENO)
    let errors = DescriptorSink(descriptor: STDERR_FILENO)
    let variables = processEnvironment()
    let zones = SystemZones(directory: variables["TZDIR"])
    let pager = output.isTerminal ? PagedSink(before: output, variables) : nil
    let environment = ProgramEnvironment(
      variables: variables, output: output, errors: errors, pager: pager, clock: SystemClock(),
      zones: zones, account: CallingAccount.own, folder: workingFolder(),
      program: CommandLine.arguments.first ?? "rewards", process: processName(),
      reloadZones: { zones.reload() }, zoneNames: { zones.names() },
      takeOneThread: { await DemoThread.takeOver() },
      readInput: { (limitBytes) throws(ReadError) in
        try WholeFile.readAll(STDIN_FILENO, name: "standard input", limitBytes: limitBytes)
      })
    let exitCode = await Program(environment: environment).run(
      Array(CommandLine.arguments.dropFirst()))
    await pager?.finish()
    if let code = output.failure, code != EPIPE {
      let failure = Failure(
        .inputOutput, ReadError(path: "standard output", code: code).description)
      errors.write(
        failure.text(in: OutputFormat(of: Array(CommandLine.arguments.dropFirst()))))
      return failure.exitCode.rawValue
    }
    return exitCode.rawValue
  }

  /// Returns the machine and this process on it, as shown to others.
  static func processName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    let machine = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return "\(String(decoding: machine, as: UTF8.self)) pid \(getpid())"
  }

  private static func workingFolder() -> String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  private static func processEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      next += 1
    }
    return variables
  }
}
