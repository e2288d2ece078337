import Failures
import Foundations
import Glibc
import HTTP
import LinuxShims
import Operations

/// The process: the one place that knows standard streams, the real environment and how to leave.
@main
struct Main {
  static func main() async {
    linux_keep_private()
    // A file that it names could lower what TLS is good enough, here and in libpq; the system's own stays in force.
    unsetenv("OPENSSL_CONF")
    linux_return_large_memory()
    Orphans.reapAsFirstProcess()
    // A reader that has gone is told by the write's result.
    signal(SIGPIPE, SIG_IGN)
    // Not exit(3): threads that still end would meet libraries that have cleaned up. All output is written.
    _exit(await run())
  }

  @concurrent
  private static func run() async -> Int32 {
    let output = DescriptorSink(descriptor: STDOUT_FILENO)
    let errors = DescriptorSink(descriptor: STDERR_FILENO)
    let variables = processEnvironment()
    let zones = SystemZones(directory: variables["TZDIR"])
    let environment = ProgramEnvironment(
      variables: variables, output: output, errors: errors, clock: SystemClock(),
      zones: zones, account: CallingAccount.own, folder: workingFolder(),
      program: CommandLine.arguments.first ?? "rewards", process: processName(),
      reloadZones: { zones.reload() }, zoneNames: { zones.names() },
      takeOneThread: { await DemoThread.takeOver() },
      readInput: { (limitBytes) throws(ReadError) in
        try WholeFile.readAll(STDIN_FILENO, name: "standard input", limitBytes: limitBytes)
      })
    let exitCode = await Program(environment: environment).run(
      Array(CommandLine.arguments.dropFirst()))
    if let code = output.failure, code != EPIPE {
      let failure = Failure(
        .inputOutput, ReadError(path: "standard output", code: code).description)
      errors.write(
        failure.text(in: OutputFormat(of: Array(CommandLine.arguments.dropFirst()))))
      return failure.exitCode.rawValue
    }
    return exitCode.rawValue
  }

  /// The machine and this process on it, as others are told.
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
