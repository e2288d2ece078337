import Configuration
import Failures
import Ledger
import LedgerDatabase
import Operations

/// How a command uses a database whose users are divided among several ledgers.
enum ShardUse: Sendable {
  /// Works on no ledger, or on the database as a whole.
  case none
  /// Works on the ledger of the user that it names, otherwise on each in turn.
  case each
  /// As `each`, but looks for something that one ledger has, so that one is enough.
  case any
  /// Works on the first ledger; the output is the same for all.
  case first
  /// Works on one ledger, which must be named.
  case one
  /// Works on all at once, or on the one that is named.
  case all
}

/// A command line on its way to the ledgers that it concerns.
struct ShardedCommand {
  private let command: any Command.Type
  private var arguments: ParsedArguments
  private let context: CommandContext

  init(_ command: any Command.Type, _ arguments: ParsedArguments, in context: CommandContext) {
    self.command = command
    self.arguments = arguments
    self.context = context
  }

  /// Options whose result is one file or table, or that name one ledger's head.
  private static let wholeResults = ["plan", "apply", "html", "csv", "sealed", "head"]

  /// Runs the command. For several ledgers, returns the code of the worst run, or of the best where one ledger is enough.
  func run() async throws -> ExitCode {
    if let hosted = context.environment.hosted {
      guard let shardID = hosted.configuration.shardID else {
        return try await perform(in: context)
      }
      return try await runHosted(at: shardID)
    }
    guard use != .none, let count = try await count() else {
      if context.options.shard == nil { return try await perform(in: context) }
      if use == .none {
        throw Failure(
          .usage, "rewards \(command.spec.name) does not work on a single shard", place: "--shard",
          remedy: "Leave it out.")
      }
      throw Failure(
        .usage, "there are no shards: --shard is for data in a database", place: "--shard",
        remedy: "Leave it out.")
    }
    if let shard = context.options.shard, shard >= count {
      throw Failure(
        .usage, "there is no shard \(shard): the database has \(count), from 0", place: "--shard",
        remedy: "See rewards store status.")
    }
    if count == 1 { return try await perform(in: context) }
    if let shard = context.options.shard {
      return try await perform(in: self.context(for: ShardID(shard, of: count)))
    }
    let named = shardsOfUsers(among: count)
    if let shard = named.first, named.count == 1 {
      return try await perform(in: self.context(for: ShardID(shard, of: count)))
    }
    switch use {
    case .none, .first:
      return try await perform(in: self.context(for: ShardID(0, of: count)))
    case .all:
      let resolved = try await resolved(of: count)
      var context = context
      context.shards = count
      return try await command.run(resolved.arguments, in: context)
    case .one: throw unnamed("rewards \(command.spec.name)", count)
    case .each, .any:
      if let option = Self.wholeResults.first(where: { arguments.has($0) }) {
        throw unnamed("--\(option)", count)
      }
      return try await resolved(of: count).run(
        on: named.isEmpty ? Array(0..<count) : named, of: count)
    }
  }

  /// Runs the command on one ledger, with every day named as a date.
  private func perform(in context: CommandContext) async throws -> ExitCode {
    try await command.run(
      RelativeDays(of: command.spec, in: context).resolved(arguments), in: context)
  }

  /// Returns the command for several ledgers, with every day named as a date, the same for all.
  private func resolved(of count: Int) async throws -> ShardedCommand {
    var resolved = self
    resolved.arguments = try await RelativeDays(
      of: command.spec, in: context.with(ShardID(0, of: count))
    ).resolved(arguments)
    return resolved
  }

  private var use: ShardUse { command.shards(arguments) }

  /// Runs the command in a service that has one of several ledgers. The services of all ledgers read every job; one that names another
  /// shard does nothing here.
  private func runHosted(at shardID: ShardID) async throws -> ExitCode {
    if let shard = context.options.shard, shard != shardID.number { return .done }
    if context.options.shard == nil {
      if use == .one { throw unnamed("rewards \(command.spec.name)", shardID.count) }
      if let option = Self.wholeResults.first(where: { arguments.has($0) }),
        shardsOfUsers(among: shardID.count).isEmpty
      {
        throw unnamed("--\(option)", shardID.count)
      }
    }
    return try await perform(in: context(for: shardID))
  }

  /// Returns how many ledgers the configured database has. Returns nil where `data` is a folder, where the database has no tables, and
  /// where the configuration is wrong, which the command itself reports. Throws when the database does not answer: that does not mean one
  /// ledger.
  private func count() async throws -> Int? {
    guard (try? context.configuration()) != nil, let database = context.database else {
      return nil
    }
    do {
      return try await database.run { pool in
        let cluster = try DatabaseSchema(pool).cluster()
        // From now on, the database's clock is used for judging.
        try database.time.synchronize(with: pool)
        return cluster.map { Int($0.shards) }
      }
    } catch  where use == .first {
      // The command itself reports what is wrong here.
      return nil
    }
  }

  /// Returns the context for one of several ledgers. Output begins with the shard unless the named users imply it, also in a process that
  /// carries out the command for this one.
  private func context(for shardID: ShardID) -> CommandContext {
    var context = context.with(shardID)
    context.showsShard =
      [.each, .any, .first, .all].contains(use) && shardsOfUsers(among: shardID.count).isEmpty
    return context
  }

  /// Returns the shards of the users that the command names, in order; none when it names none.
  private func shardsOfUsers(among count: Int) -> [Int] {
    var users = arguments.values("user")
    for (declared, value) in zip(command.spec.arguments, arguments.arguments) {
      switch declared.subject {
      case .user: users.append(value)
      case .userOfKey: users.append(GrantKey(value).user)
      case nil: break
      }
    }
    return Set(users.map { ShardID.number(of: $0, among: count) }).sorted()
  }

  private func unnamed(_ what: String, _ count: Int) -> Failure {
    Failure(
      .usage, "\(what) works on one shard, and the database has \(count)",
      remedy: "Name one: --shard N, from 0 to \(count - 1).")
  }

  /// Runs the command on several ledgers in turn, each with those of the named users that it has. A failure at one does not stop the
  /// others.
  private func run(on shards: [Int], of count: Int) async -> ExitCode {
    let needsTwoRounds = shards.count == count && command.needsTwoRounds(arguments)
    let began = context.present
    func run(on shardID: ShardID, isSecond: Bool) async -> (ExitCode, Failure?) {
      await self.run(
        on: shardID, in: needsTwoRounds ? CountingRound(since: began, isSecond: isSecond) : nil)
    }
    var codes: [ExitCode] = []
    var waiting: [ShardID] = []
    for shardID in shards.map({ ShardID($0, of: count) }) {
      let (code, failure) = await run(on: shardID, isSecond: false)
      failure.map(context.complain)
      if needsTwoRounds, code == .tryAgain, failure == nil {
        waiting.append(shardID)
      } else {
        codes.append(code)
      }
    }
    for shardID in waiting {
      let (code, failure) = await run(on: shardID, isSecond: true)
      failure.map(context.complain)
      codes.append(code)
    }
    return (use == .any ? codes.min(by: Self.isBetter) : Self.worst(of: codes)) ?? .done
  }

  /// Returns the code that stands for several; nil for none.
  static func worst(of codes: [ExitCode]) -> ExitCode? { codes.max(by: isBetter) }

  /// Whether one code is less bad than another; "try again" is less bad than any that says what is wrong.
  private static func isBetter(_ one: ExitCode, _ other: ExitCode) -> Bool {
    func rank(_ code: ExitCode) -> Int32 { code == .tryAgain ? 2 : code.rawValue }
    return rank(one) < rank(other)
  }

  private func run(
    on shardID: ShardID, in round: CountingRound?
  ) async -> (code: ExitCode, failure: Failure?) {
    var own = arguments
    own.filter("user", where: shardID.holds)
    var context = ShardedCommand(command, own, in: context).context(for: shardID)
    context.round = round
    return await Self.attempt(at: shardID) { [own, context] in
      try await command.run(own, in: context)
    }
  }

  /// Runs work at one ledger and returns how it ended; a failure names the shard.
  static func attempt(
    at shardID: ShardID, _ work: () async throws -> ExitCode
  ) async -> (code: ExitCode, failure: Failure?) {
    do {
      return (try await work(), nil)
    } catch {
      let failure = Failure(describing: error).placed(at: "shard \(shardID.number)")
      return (failure.exitCode, failure)
    }
  }
}
