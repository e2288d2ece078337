import Configuration
import Foundations
import Ledger
import TestSupport
import Testing

@Suite(.offThePool) struct ConfigurationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func load(
    _ text: String, environment: [String: String] = [:], flags: [String: String] = [:]
  ) throws -> Configuration {
    let file = try folder.write("rewards.json", text)
    return try ConfigurationLoader(environment: environment, zones: SystemZones(directory: nil))
      .load(file: file, flags: flags)
  }

  private func problems(_ text: String, environment: [String: String] = [:]) throws -> [String] {
    do {
      _ = try load(text, environment: environment)
      return []
    } catch ConfigurationError.invalid(let problems) {
      return problems.map { "\($0)".replacing("\(folder.path)/", with: "") }
    }
  }

  @Test(arguments: [
    ("[]", "rewards.json:1: expected an object { … }"),
    ("{", "rewards.json:1: "),
    ("{\"dat\": \"x\"}", "rewards.json:1: dat: unknown key; did you mean \"data\"?"),
    ("{\n\n\"data\": 7}", "rewards.json:3: data: expected a text in quotes"),
    (
      "{\"api\": {\"timeoutSecond\": 1}}",
      "rewards.json:1: api.timeoutSecond: unknown key; did you mean \"timeoutSeconds\"?"
    ),
    (
      "{\"api\": {\"concurrency\": 0}}",
      "rewards.json:1: api.concurrency: expected a whole number from 1 to 4096"
    ),
    ("{\"api\": 3}", "rewards.json:1: api: expected an object { … }"),
    (
      "{\"api\": {\"token\": \"tell-tale\"}}",
      "rewards.json:1: api.token: name where the secret is: {\"env\": NAME} or {\"file\": PATH}"
    ),
    (
      "{\"drawSecret\": {\"value\": \"tell-tale\"}}",
      "rewards.json:1: drawSecret: expected {\"env\": NAME} or {\"file\": PATH}"
    ),
    ("{\"defaultTimeZone\": \"Mars/Olympus\"}", "rewards.json:1: defaultTimeZone: "),
    ("{\"api\": {\"timeZone\": \"../etc/passwd\"}}", "rewards.json:1: api.timeZone: "),
    ("{\"api\": {\"baseURL\": \"ftp://a\"}}", "rewards.json:1: api.baseURL: expected an address"),
    (
      "{\"api\": {\"baseURL\": \"https://me:tell-tale@a/\"}}",
      "rewards.json:1: api.baseURL: the address must not contain a user name or password"
    ),
    (
      "{\"api\": {\"baseURL\": \"http://api.example/v1\"}}",
      "rewards.json:1: api.baseURL: http:// sends the token unencrypted"
    ),
    (
      "{\"api\": {\"baseURL\": \"http://127.0.0.1.example/\"}}",
      "rewards.json:1: api.baseURL: http:// sends the token unencrypted"
    ),
    (
      "{\"api\": {\"baseURL\": \"http://localhost.example:80/\"}}",
      "rewards.json:1: api.baseURL: http:// sends the token unencrypted"
    ),
    (
      "{\"api\": {\"baseURL\": \"https://api.example:0/v1\"}}",
      "rewards.json:1: api.baseURL: the port must be a number from 1 to 65535"
    ),
    (
      "{\"api\": {\"baseURL\": \"https://[::1]:65536/v1\"}}",
      "rewards.json:1: api.baseURL: the port must be a number from 1 to 65535"
    ),
    (
      "{\"api\": {\"baseURL\": \"http://127.0.0.1:0?x=a:1\"}}",
      "rewards.json:1: api.baseURL: the port must be a number from 1 to 65535"
    ),
    (
      "{\"data\": \"host=db password=tell-tale\"}",
      "rewards.json:1: data: name a database by its address"
    ),
    ("{\"admin\": {\"listen\": \"9464\"}}", "rewards.json:1: admin.listen: expected HOST:PORT"),
    ("{\"admin\": {\"listen\": \"a:65536\"}}", "rewards.json:1: admin.listen: expected HOST:PORT"),
    ("{\"relay\": {\"a\": {}}}", "rewards.json:1: relay.a.kind: is missing"),
    (
      "{\"relay\": {\"a\": {\"kind\": \"webhok\"}}}",
      "rewards.json:1: relay.a.kind: expected one of webhook, fcm, firestore, file; did you mean \"webhook\"?"
    ),
    (
      "{\"relay\": {\"a\": {\"kind\": \"webhook\", \"url\": \"https://a\"}}}",
      "rewards.json:1: relay.a.secret: is missing"
    ),
    ("{\"relay\": {\"a\": {\"kind\": \"file\"}}}", "rewards.json:1: relay.a.path: is missing"),
    (
      "{\"relay\": {\"a\": {\"kind\": \"file\", \"path\": \"b\"}, \"c\": {\"kind\": \"file\", \"path\": \"b\"}}}",
      "rewards.json:1: relay.c.path: the sink a already writes to that file"
    ),
    (
      "{\"relay\": {\"../a\": {\"kind\": \"file\", \"path\": \"b\"}}}",
      "rewards.json:1: relay.../a: a sink's name must be 1 to 64 letters"
    ),
    (
      "{\"sources\": {\"shop\": {}}}",
      "rewards.json:1: sources.shop: say what it may hand in: \"kinds\", \"credits\", or both"
    ),
    (
      "{\"sources\": {\"hand\": {\"kinds\": [\"login\"]}}}",
      "rewards.json:1: sources.hand: a source's name must be 1 to 32 of a-z 0-9 -, and not hand"
    ),
    (
      "{\"sources\": {\"shop\": {\"kinds\": [\"purchases\"]}}}",
      "rewards.json:1: sources.shop.kinds: unknown word \"purchases\"; did you mean \"purchase\"?"
    ),
    (
      "{\"sources\": {\"shop\": {\"credits\": [\"exp\"], \"perLine\": {\"xp\": 1}}}}",
      "rewards.json:1: sources.shop.perLine.xp: unknown key; did you mean \"exp\"?"
    ),
  ])
  func namesTheMistake(text: String, beginning: String) throws {
    let found = try problems(text)
    // The column is another test's.
    let first = found.first?.replacing(/^rewards\.json:(?<line>[0-9]+):[0-9]+/) {
      "rewards.json:\($0.output.line)"
    }
    #expect(first?.hasPrefix(beginning) == true, "\(found)")
    #expect(!found.joined().contains("tell-tale"))
  }

  @Test func namesAllMistakesAtOnce() throws {
    let found = try problems(
      "{\n  \"maxIdleDays\": 0,\n  \"poll\": {\"everyMinutes\": \"often\"},\n  \"rule\": []\n}",
      environment: ["REWARDS_API_CONCURRENCY": "many"])
    #expect(
      found == [
        "$REWARDS_API_CONCURRENCY: api.concurrency: expected a whole number from 1 to 4096",
        "rewards.json:2:18: maxIdleDays: expected a whole number from 1 to 3650",
        "rewards.json:3:28: poll.everyMinutes: expected a whole number from 1 to 1440",
        "rewards.json:4:4: rule: unknown key; did you mean \"rules\"?",
      ])
  }

  @Test func aFileThatIsNamedMustBeThere() {
    let loader = ConfigurationLoader(
      environment: ["REWARDS_CONFIG": "\(folder.path)/none.json"],
      zones: SystemZones(directory: nil))
    let error = #expect(throws: ConfigurationError.self) { try loader.load(file: nil) }
    guard case .unreadable(let cause) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(cause.isMissing)
  }

  @Test func everyKeyHasADefault() throws {
    let configuration = try load("{} // nothing")
    #expect(configuration.data == "\(folder.path)/data")
    #expect(configuration.defaultTimeZone == "Asia/Tokyo")
    #expect(configuration.rules.isEmpty)
    #expect(configuration.drawSecret == .environment("REWARDS_DRAW_SECRET"))
    #expect(!configuration.api.hasCredentials)
    #expect(configuration.api.baseURL == "https://api.cheer-supports.com/api/v1")
    #expect(configuration.api.requestsPerSecond == 200)
    #expect(configuration.api.lagSeconds == 10)
    #expect(configuration.poll.everyMinutes == 15)
    #expect(configuration.inbox.requireWatermark == false)
    #expect(configuration.massBreakGuard.breakFactor == 5)
    #expect(configuration.relay.isEmpty)
    #expect(configuration.admin.host == "127.0.0.1")
    #expect(configuration.admin.port == 9464)
    #expect(configuration.settings.allSatisfy { $0.origin == .default })
  }

  @Test func flagsBeatEnvironmentBeatsFileBeatsDefault() throws {
    let text = "{\"data\": \"from-file\", \"users\": \"from-file\", \"jobs\": \"from-file\"}"
    let configuration = try load(
      text, environment: ["REWARDS_DATA": "from-environment", "REWARDS_USERS": "from-environment"],
      flags: ["data": "from-flag"])
    #expect(configuration.data == "from-flag")
    #expect(configuration.users == "from-environment")
    #expect(configuration.jobs == "\(folder.path)/from-file")
    let origins = Dictionary(
      configuration.settings.map { ($0.path, $0.origin) }, uniquingKeysWith: { first, _ in first })
    #expect(origins["data"] == .flag)
    #expect(origins["users"] == .environment)
    #expect(origins["jobs"] == .file)
    #expect(origins["poll.everyMinutes"] == .default)
  }

  @Test(arguments: [
    ("REWARDS_DEFAULT_TIME_ZONE", "Europe/Paris", "defaultTimeZone", "Europe/Paris"),
    (
      "REWARDS_API_BASE_URL", "http://127.0.0.1:8080/v1/", "api.baseURL",
      "http://127.0.0.1:8080/v1/"
    ),
    ("REWARDS_API_REQUESTS_PER_SECOND", "7", "api.requestsPerSecond", "7"),
    ("REWARDS_INBOX_REQUIRE_WATERMARK", "true", "inbox.requireWatermark", "true"),
    ("REWARDS_RULES", "a.json,/b.json", "rules", "a.json,/b.json"),
    ("REWARDS_MAX_IDLE_DAYS", "30", "maxIdleDays", "30"),
  ])
  func variablesAreNamedAfterKeys(
    variable: String, text: String, path: String, value: String
  ) throws {
    let settings = try load("{}", environment: [variable: text]).settings
    let setting = settings.first { $0.path == path }
    #expect(setting?.value == value)
    #expect(setting?.origin == .environment)
  }

  @Test func readsTheWholeExample() throws {
    let configuration = try load(
      """
      {
        "data": "./data", /* a folder */
        "rules": ["./rules.json", "/etc/rules.json"],
        "drawSecret": {"env": "DRAW"},
        "api": {"token": {"file": "./token"}, "lagSeconds": 0},
        "relay": {
          "notify": {"kind": "webhook", "url": "https://relay.example/events", "secret": {"env": "S"}},
          "push": {"kind": "fcm", "credentials": {"file": "./service-account.json"}},
          "journal": {"kind": "file", "path": "./events.jsonl"}
        },
        "guard": {"breakFactor": 3, "minimumStreaks": 0},
        "approval": {"by": "signature", "signers": "./allowed_signers"}, "control": {"group": "ops"},
        "admin": {"listen": "[::1]:0", "token": {"env": "ADMIN"}}   // IPv6
      }
      """)
    #expect(configuration.rules == ["\(folder.path)/rules.json", "/etc/rules.json"])
    #expect(configuration.api.token == .file("\(folder.path)/token"))
    #expect(configuration.relay.map(\.name) == ["notify", "push", "journal"])
    #expect(configuration.massBreakGuard.minimumStreaks == 0)
    #expect(configuration.admin.host == "::1")
    #expect(configuration.admin.port == 0)
    #expect(configuration.control.group == "ops")
    #expect(configuration.approval.by.rawValue == "signature")
    #expect(configuration.signers == "\(folder.path)/allowed_signers")
    guard case .file(let path) = configuration.relay.last?.kind else {
      Issue.record("the journal is no file")
      return
    }
    #expect(path == "\(folder.path)/events.jsonl")
  }

  /// To this machine itself nobody is on the way; beyond it an operator may know better.
  @Test(arguments: [
    ("http://127.0.0.1:8080/v1", false), ("http://127.9.9.9", false),
    ("http://localhost/v1", false),
    ("http://LOCALHOST:1", false), ("http://[::1]:8080/v1", false),
    ("http://127.0.0.1?at=12:30", false), ("http://[::1]:8080?at=12:30", false),
    ("http://api.example/v1", true), ("http://192.0.2.1", true),
  ])
  func plainHTTPIsForLoopbackOrByPermission(url: String, needsPermission: Bool) throws {
    let loader = ConfigurationLoader(environment: [:], zones: SystemZones(directory: nil))
    for isAllowed in [false, true] {
      let folder = try TemporaryFolder()
      let file = try folder.write(
        "rewards.json", "{\"api\": {\"baseURL\": \"\(url)\", \"allowPlainHTTP\": \(isAllowed)}}")
      if needsPermission, !isAllowed {
        #expect(throws: ConfigurationError.self) { try loader.load(file: file) }
      } else {
        #expect(try loader.load(file: file).api.baseURL == url)
      }
    }
  }
}
