import Files
import Operations
import PostgreSQL
import StrictJSON

/// Writes the files with which a machine begins.
struct InitCommand: Command {
  static let spec = CommandSpec(
    "init",
    "write a commented rewards.json, the jobs, units and an environment file for this machine",
    shards: .none,
    details: """
      Writes rewards.json, secrets.env (mode 0600, with a new draw secret), jobs/, rewards.service for systemd,
      rewards-nightly.service and .timer, and rewards.cron, with the paths and the account of this machine.
      Asks nothing and overwrites nothing: what is there stays. Then: put the API token into secrets.env,
      write users.jsonl, and run rewards doctor.
      """,
    arguments: [.init("DIR", isOptional: true, help: "the folder (default: this one)")],
    options: [
      .init("account", "NAME", help: "the account of the service (default: who calls)")
    ],
    examples: [
      .init("rewards init", "here"),
      .init(
        "sudo rewards init /etc/rewards --data /var/lib/rewards --account rewards",
        "for a system service"),
    ])

  private static let secretBytes = 32

  private static func data(at place: String, in folder: String) -> String {
    DatabaseAddress.isMeant(by: place) ? place : absolute(place, in: folder)
  }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let here = context.environment.folder
    let folder = absolute(arguments.argument(0) ?? ".", in: here)
    let program = context.environment.program
    let files = InitFiles(
      folder: folder, data: context.options.data.map { data(at: $0, in: here) } ?? "\(folder)/data",
      program: program.contains("/") ? absolute(program, in: here) : "/usr/local/bin/rewards",
      account: arguments.value("account") ?? context.environment.account)
    let secret = RandomBytes.make(secretBytes).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    var made: [String] = []
    var kept: [String] = []
    do {
      for name in [folder, "\(folder)/jobs"] {
        do throws(FileError) {
          _ = try PosixFileSystem().makeFolder(name)
        } catch {
          throw CommandFailure(
            .cannotCreate, error.cause, place: name, remedy: "Make the folder above it first.")
        }
      }
      for file in files.all(secret: secret) {
        let path = "\(folder)/\(file.path)"
        let isNew = try WholeFile.create(Array(file.text.utf8), at: path, mode: file.mode)
        if isNew { made.append(path) } else { kept.append(path) }
      }
    } catch let error as ReadError {
      throw CommandFailure(.cannotCreate, error.what, place: error.path)
    }
    context.report {
      made.map { "wrote \($0)\n" }.joined() + kept.map { "kept \($0)\n" }.joined()
        + """
        next: put the API token into \(folder)/secrets.env, write \(folder)/users.jsonl, then
          set -a; . \(folder)/secrets.env; set +a; rewards doctor --config \(folder)/rewards.json

        """
    } json: { json in
      json.member("made", made)
      json.member("kept", kept)
    }
    return .done
  }

  private static func absolute(_ path: String, in folder: String) -> String {
    if path.hasPrefix("/") { return path }
    let plain = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return plain == "." || plain.isEmpty ? folder : "\(folder)/\(plain)"
  }
}
