import Described
import Failures
import Foundations
import LedgerDatabase
import Operations
import StrictJSON

/// Writes the files that a new machine needs.
struct InitCommand: Command {
  static let spec = CommandSpec(
    "init", "write rewards.json, jobs, units and an environment file for this machine",
    shards: .none,
    details: """
      Writes a commented rewards.json, secrets.env (mode 0600, with a new draw secret),
      jobs/, rewards.service for systemd, rewards-nightly.service and .timer, and
      rewards.cron, with this machine's paths and account. It asks nothing and overwrites
      nothing. Then put the API token into secrets.env, write users.jsonl, and run rewards
      doctor. The password of a database goes into secrets.env.
      """,
    arguments: [.init("DIR", isOptional: true, help: "the folder (default: the current one)")],
    options: [
      .init("account", "NAME", help: "the service's account (default: yours)")
    ],
    examples: [
      .init("rewards init", "in the current folder"),
      .init(
        "sudo rewards init /etc/rewards --data /var/lib/rewards --account rewards",
        "for a system service"),
    ])

  private static let secretBytes = 32

  /// Returns where to keep the data, in a form the configuration may show to everybody, and the password for it. The password is nil for a
  /// folder, or when it is kept elsewhere.
  private static func data(
    at place: String, in folder: String
  ) throws(Failure) -> (place: String, password: String?) {
    guard DatabaseAddress.isMeant(by: place) else { return (absolute(place, in: folder), nil) }
    do throws(DatabaseError) {
      guard let divided = try DatabaseAddress(place).divided else { return (place, nil) }
      return (divided.address, divided.password)
    } catch {
      throw Failure(
        .usage, error.message, place: "--data", remedy: "Write the address as libpq accepts it.")
    }
  }

  private static let output = JSONMembers<(made: [String], kept: [String])> {
    $0.add("made", \.made)
    $0.add("kept", \.kept)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let here = context.environment.folder
    let folder = absolute(arguments.argument(0) ?? ".", in: here)
    let program = context.environment.program
    let account = arguments.value("account") ?? context.environment.account
    if arguments.has("account"), !CallingAccount.exists(account) {
      throw Failure(
        .usage, "this machine has no account \(ShownText.short(account, limit: 40))",
        place: "--account",
        remedy: "Create it first: useradd --system --shell /usr/sbin/nologin NAME.")
    }
    let data = try data(at: context.options.data ?? "\(folder)/data", in: here)
    let files = InitFiles(
      folder: folder, data: data.place, password: data.password,
      program: program.contains("/") ? absolute(program, in: here) : "/usr/local/bin/rewards",
      account: account)
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
          throw Failure(
            .cannotCreate, error.cause, place: name, remedy: "Create the folder above it first.")
        }
      }
      for file in files.all(secret: secret) {
        let path = "\(folder)/\(file.path)"
        let isNew = try WholeFile.create(Array(file.text.utf8), at: path, mode: file.mode)
        if isNew { made.append(path) } else { kept.append(path) }
      }
    } catch let error as ReadError {
      throw Failure(.cannotCreate, error.what, place: error.path)
    }
    context.report((made, kept), as: output) {
      made.map { "wrote \($0)\n" }.joined() + kept.map { "kept \($0)\n" }.joined()
        + handingOver(files, to: account, from: context.environment.account)
          + """
          next: put the API token into \(folder)/secrets.env, write \(folder)/users.jsonl, then
            set -a; . \(folder)/secrets.env; set +a; rewards doctor --config \(folder)/rewards.json

          """
    }
    return .done
  }

  /// Returns how to hand the files over to the service's account, when somebody else has written them.
  private static func handingOver(
    _ files: InitFiles, to account: String, from caller: String
  ) -> String {
    if account == caller { return "" }
    let data =
      DatabaseAddress.isMeant(by: files.data)
      ? "" : "; install -d -m 750 -o \(account) \(files.data)"
    return "next: give \(account) what it works with: chown -R \(account): \(files.folder)\(data)\n"
  }

  private static func absolute(_ path: String, in folder: String) -> String {
    if path.hasPrefix("/") { return path }
    let plain = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return plain == "." || plain.isEmpty ? folder : "\(folder)/\(plain)"
  }
}
