import Described
import Failures
import Foundations
import Glibc
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
      credentials.jsonl (0600, a sample), jobs/, rewards.service for systemd,
      rewards-nightly.service and .timer, and rewards.cron, with this machine's paths and
      account. As root it gives them to that account, except the folder and what root installs,
      and creates the data folder. It asks nothing and overwrites nothing, and lists what is
      left to do, with the commands. The password of a database goes into secrets.env.

      With --try it writes a place to try things in instead: three users in three zones, and
      rewards try-api as the API, which reads what users do from a file that you edit. rewards
      help tutorial begins here.
      """,
    arguments: [.init("DIR", isOptional: true, help: "the folder (default: the current one)")],
    options: [
      .init("account", "NAME", help: "the service's account (default: yours)"),
      .init("try", help: "write a place to try things in, with a simulated API"),
    ],
    examples: [
      .init("rewards init", "in the current folder"),
      .init(
        "sudo rewards init /etc/rewards --data /var/lib/rewards --account rewards",
        "for a system service"),
      .init("rewards init --try playground", "to see what it does, without an API"),
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

  /// What was written, and what is left to do.
  private struct Outcome {
    var made: [String] = []
    var kept: [String] = []
    var left: LeftToDo?
  }

  private static let output = JSONMembers<Outcome> {
    $0.add("made", \.made)
    $0.add("kept", \.kept)
    $0.list("leftToDo", { $0.left?.steps ?? [] }, "in this order") {
      $0.add("what", \.what)
      $0.add("commands", \.commands)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let here = context.environment.folder
    let folder = absolute(arguments.argument(0) ?? ".", in: here)
    let outcome =
      arguments.has("try")
      ? try makePlace(to: folder, arguments, in: context)
      : try makeService(in: folder, arguments, in: context)
    context.report(outcome, as: output) {
      outcome.made.map { "wrote \($0)\n" }.joined()
        + outcome.kept.map { "kept \($0)\n" }.joined() + "\n" + (outcome.left?.text ?? "")
    }
    return .done
  }

  /// Writes what a service needs, and gives it to the service's account where this process may.
  private static func makeService(
    in folder: String, _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> Outcome {
    let caller = context.environment.account
    let account = arguments.value("account") ?? caller
    guard let owner = CallingAccount.numbers(of: account) else {
      let isName = account.wholeMatch(of: /[a-z_][a-z0-9_-]{0,31}/) != nil
      throw Failure(
        .usage, "this machine has no account \(ShownText.short(account, limit: 40))",
        place: "--account",
        remedy: isName
          ? "Make it first: useradd --system --no-create-home --shell /usr/sbin/nologin \(account)"
          : "Name one that there is, or that useradd can make.")
    }
    let here = context.environment.folder
    let data = try data(at: context.options.data ?? "\(folder)/data", in: here)
    let program = programPath(in: context.environment)
    let files = InitFiles(
      folder: folder, data: data.place, password: data.password, program: program,
      account: account)
    let secret = RandomBytes.make(secretBytes).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    if account != caller {
      for name in [folder, "\(folder)/jobs"] where FileOwner.isLink(name) {
        throw Failure(
          .cannotCreate, "this is a symbolic link: files behind it would be given to \(account)",
          place: name, remedy: "Name the folder that it leads to, or remove the link.")
      }
    }
    let isFolder = !DatabaseAddress.isMeant(by: data.place)
    var owned: [String] = []
    var outcome = try write(files.all(secret: secret), to: folder, folders: &owned)
    // The account could replace what root installs from a folder of its own. Beside a database it writes its events there.
    if isFolder, account != caller, owned.first == folder {
      owned.removeFirst()
      chmod(folder, 0o755)
    }
    if isFolder, account != caller, try makeFolder(data.place) { owned.append(data.place) }
    let installed = Set(files.installed.map { "\(folder)/\($0.path)" })
    let strange =
      account == caller
      ? []
      : (owned + outcome.made).filter { !installed.contains($0) && !FileOwner.give($0, to: owner) }
        + outcome.kept.filter { !installed.contains($0) && !FileOwner.has($0, owner) }
    let shown = context.environment.program
    outcome.left = LeftToDo(
      files, done: done(in: folder), program: shown.contains("/") ? program : shown, caller: caller,
      strange: strange)
    return outcome
  }

  /// Returns what a folder holds besides what this command writes.
  private static func done(in folder: String) -> LeftToDo.Done {
    func lines(of file: String) -> [Substring] {
      let bytes = try? PosixFileSystem().readInput("\(folder)/\(file)", limitBytes: 1 << 30)
      return String(decoding: bytes ?? [], as: UTF8.self).split(whereSeparator: \.isNewline)
        .filter { !$0.hasPrefix("//") }
    }
    let name = "CHEER_API_TOKEN="
    return LeftToDo.Done(
      hasCredential: lines(of: "secrets.env").contains { $0.hasPrefix(name) && $0 != name }
        || !lines(of: "credentials.jsonl").isEmpty,
      hasUsers: !lines(of: "users.jsonl").isEmpty)
  }

  /// Writes a place to try things in.
  private static func makePlace(
    to folder: String, _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> Outcome {
    if arguments.has("account") || context.options.data != nil {
      throw Failure(
        .usage, "--try makes a place with everything in one folder, for whoever calls",
        place: "--try", remedy: "Leave --account and --data out.")
    }
    let files = TryFiles(folder: folder)
    var folders: [String] = []
    var outcome = try write(files.all(random: RandomBytes.make), to: folder, folders: &folders)
    let shown = context.environment.program
    outcome.left = LeftToDo(
      trying: files,
      program: shown.contains("/") ? absolute(shown, in: context.environment.folder) : shown)
    return outcome
  }

  /// Writes files that are not there; `folders` gets the folders that were made.
  private static func write(
    _ files: [InitFile], to folder: String, folders: inout [String]
  ) throws -> Outcome {
    for name in [folder, "\(folder)/jobs"] where try makeFolder(name) {
      folders.append(name)
    }
    var outcome = Outcome()
    for file in files {
      let path = "\(folder)/\(file.path)"
      do throws(ReadError) {
        let isNew = try WholeFile.create(Array(file.text.utf8), at: path, mode: file.mode)
        if isNew { outcome.made.append(path) } else { outcome.kept.append(path) }
      } catch {
        throw Failure(.cannotCreate, error.what, place: error.path)
      }
    }
    return outcome
  }

  /// Makes a folder; returns whether it was not there.
  private static func makeFolder(_ path: String) throws(Failure) -> Bool {
    do throws(FileError) {
      return try PosixFileSystem().makeFolder(path)
    } catch {
      throw Failure(
        .cannotCreate, error.cause, place: path, remedy: "Make the folder above it first.")
    }
  }

  /// Returns where this program is, for what starts it without a shell.
  private static func programPath(in environment: ProgramEnvironment) -> String {
    let program = environment.program
    if program.contains("/") { return absolute(program, in: environment.folder) }
    let places = environment.variables["PATH", default: ""].split(separator: ":").map {
      "\($0)/\(program)"
    }
    return places.first { access($0, X_OK) == 0 } ?? "/usr/local/bin/rewards"
  }

  private static func absolute(_ path: String, in folder: String) -> String {
    if path.hasPrefix("/") { return path }
    let plain = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return plain == "." || plain.isEmpty ? folder : "\(folder)/\(plain)"
  }
}

/// The owner of a file or folder.
enum FileOwner {
  /// Returns whether the path itself is a symbolic link.
  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Returns whether an account owns it.
  static func has(_ path: String, _ owner: (user: UInt32, group: UInt32)) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_uid == owner.user
  }

  /// Gives it to an account; returns false when this process may not.
  static func give(_ path: String, to owner: (user: UInt32, group: UInt32)) -> Bool {
    lchown(path, owner.user, owner.group) == 0
  }
}
