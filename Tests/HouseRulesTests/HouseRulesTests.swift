import Foundation
import TestSupport
import Testing

/// The rules of the house that no compiler enforces. Each failure lists the places.
@Suite(.offThePool) struct HouseRulesTests {
  /// Something that the product's code says in one place only.
  private struct Reserved {
    let rule: String
    let pattern: String
    /// The files or folders that may say it; none forbids it everywhere.
    let allowed: [String]
    /// Code that breaks the rule.
    let offences: [String]
  }

  private static let reserved = [
    Reserved(
      rule: "ambient time",
      pattern: #"\bDate\(\)|(^|[^\w)\]?!\\])\.now\b(?!\()|\b[A-Z]\w*\.now\b"#,
      allowed: [], offences: ["let a = Date()", "f(.now, 1)", "DispatchTime.now()", "Date.now.x"]),
    Reserved(
      rule: "the wall clock", pattern: #"\b(clock_)?gettime(ofday)?\(|\btime\(nil\)"#,
      allowed: [systemClock, workerTime],
      offences: ["clock_gettime(c, &t)", "gettimeofday(&t, nil)"]),
    Reserved(
      rule: "sleeping", pattern: #"\bTask\.sleep\b|\b(u|nano)?sleep\((\d|&)"#,
      allowed: [systemClock, httpServer, writerLock],
      offences: ["await Task.sleep(for: x)", "usleep(1)", "nanosleep(&t, nil)"]),
    Reserved(
      rule: "ambient zone, calendar, locale",
      pattern: #"\b(TimeZone|Calendar|Locale)\.(current|autoupdating)"#,
      allowed: [], offences: ["TimeZone.current", "Calendar.autoupdatingCurrent"]),
    Reserved(
      rule: "printing", pattern: #"(^|[^.\w])(print|debugPrint|dump|puts|printf)\("#,
      allowed: [benchmarks], offences: ["print(1)", "  dump(x)"]),
    Reserved(
      rule: "leaving", pattern: #"(^|[^.\w])(_?exit|abort)\("#,
      allowed: [main, benchmarks], offences: ["exit(1)", "; abort()"]),
    Reserved(
      rule: "crashing", pattern: #"\bfatalError\(|\btry!|\bas!"#,
      allowed: [], offences: ["fatalError()", "try! f()", "x as! Int"]),
    Reserved(
      rule: "forced unwraps", pattern: #"[\w)\]"]!(?![=\w])"#,
      allowed: [], offences: ["x!.y", "f(x)!", "a[0]! + 1", "var x: Int!", "g(x!)"]),
    Reserved(
      rule: "the environment",
      pattern: #"\bgetenv\(|\benviron\b|ProcessInfo\.processInfo\.environment"#,
      allowed: [main, childProcesses], offences: ["getenv(name)", "environ.pointee"]),
    Reserved(
      rule: "starting programs", pattern: #"\bProcess\(\)|\bposix_spawnp?\(|\bv?fork\("#,
      allowed: [childProcesses], offences: ["let p = Process()", "posix_spawn(&pid)", "fork()"]),
    // What is opened or set in one place reaches the others as a value.
    Reserved(
      rule: "variables of the process",
      pattern: #"\bstatic let \w+(: [^=]+)? ?= ?Lock\b|\bstatic var \w+(: [^={]+)? ?=[^=]"#,
      allowed: [threads, childProcesses, keyFiles, benchmarks],
      offences: [
        "static let pool = Lock<Pool?>(nil)", "static var count = 0", "static var a: Int? = nil",
      ]),
    Reserved(
      rule: "verbs that say too little on data", pattern: #"\bfunc (take|tell|hear)\("#,
      allowed: [], offences: ["func take(_ record: Record)", "private mutating func tell() {"]),
    // What operators, receivers and files get is described once (JSONMembers, DescribedObject); these speak to outside or to the log.
    Reserved(
      rule: "writing members of JSON by hand", pattern: #"\.member\(""#,
      allowed: [
        "Sources/Ledger/Seals/SealBuilder.swift", "Sources/Ledger/Lines/RecordEncoder.swift",
        "Sources/NotificationRelay/FCM", "Sources/NotificationRelay/Google",
        "Sources/NotificationRelay/Firestore/StoreRequest.swift",
        "Sources/NotificationRelay/Firestore/StoreValue.swift",
        "Sources/CheerAPI/CheerClient.swift",
        "Sources/Operations/Logging/Log.swift", "Sources/rewards/Shell/CommandContext.swift",
        "Sources/rewards/Demo", "Sources/Sandbox/API",
      ],
      offences: ["json.member(\"user\", user)"]),
    // Values that are specialised in other targets; nobody imports the package from outside.
    Reserved(
      rule: "public declarations",
      pattern: #"\bpublic (static |final |struct|enum|class|protocol|let|var|func|init|extension)"#,
      allowed: [
        "Sources/Failures/", "Sources/StrictJSON/", "Sources/Digests/", "Sources/CivilTime/",
        "Sources/Described/", "Sources/Evidence/", "Sources/RewardRules/", "Sources/Ledger/",
      ],
      offences: ["public struct A {}", "  public static let a = 1"]),
    // Whoever else evaluates days, finds facts or compares them with what stands has begun a second engine.
    Reserved(
      rule: "evaluating a day", pattern: #"\bDayEvaluator\("#,
      allowed: ["Sources/Engine/Timeline+Evaluate.swift", benchmarks],
      offences: ["let judge = DayEvaluator(rules: rules)"]),
    Reserved(
      rule: "finding the facts of a day", pattern: #"\b(FactFinder|DayFacts)\("#,
      allowed: [
        "Sources/Engine/Timeline+Evaluate.swift", "Sources/Engine/DayFacts+Evidence.swift",
        factFinder, benchmarks,
      ],
      offences: ["var finder = FactFinder(self)", "DayFacts(window: window)"]),
    Reserved(
      rule: "comparing with what stands", pattern: #"\bDifference\("#,
      allowed: ["Sources/Engine/OpenDays.swift", "Sources/Engine/UserPlan.swift"],
      offences: ["Difference(timeline, version: v, cause: c)"]),
  ]
  private static let innocent = [
    "clock.now()", "state.now", "$0.now }", "a != b", "a!=b", "if !x, !(y) { z }", "table.print(1)",
    "footprint(x)", "static var all: [Int] { list }", "static let all = [1]",
    "let exitCode = onExit(1)", "sleep(until: x)",
  ]
  /// A simulation puts its own in the place of the machine's threads.
  private static let threads = "Sources/Foundations/Threading/ThreadSubstitute.swift"
  /// Numbers that make names in a folder of all processes.
  private static let keyFiles = "Sources/LedgerStore/Reading/GrantKeys.swift"
  private static let factFinder = "Sources/Engine/Timeline+Facts.swift"
  // Only runs forward, and says nothing of any day: for how long an answer may take, and a lease lasts.
  private static let workerTime = "Sources/LedgerDatabase/PostgreSQL/WorkerTime.swift"
  private static let systemClock = "Sources/Operations/Clock/SystemClock.swift"
  private static let writerLock = "Sources/LedgerStore/WriterLock.swift"
  /// Graces and delays of real sockets are real time.
  private static let httpServer = "Sources/HTTPServer/"
  private static let childProcesses = "Sources/Foundations/ChildProcesses/"
  private static let main = "Sources/rewards/Main.swift"
  private static let benchmarks = "Sources/benchmarks/"

  /// Targets without clock, file, socket or random number.
  private static let pure = [
    "CivilTime", "Described", "Evidence", "RewardRules", "Ledger", "Engine", "StrictJSON",
    "SSHSignatures", "AuditPage",
  ]
  private static let systemModules =
    #"\bimport (Glibc|Foundation|Foundations|FoundationEssentials|Dispatch|Synchronization|LinuxShims|C[A-Z]\w*)\b"#

  private static let lineLimit = 400

  @Test(arguments: reserved.map(\.rule))
  func hasOnePlace(rule: String) throws {
    let row = try #require(Self.reserved.first { $0.rule == rule })
    let pattern = try NSRegularExpression(pattern: row.pattern)
    let files = Project.sources.filter { file in !row.allowed.contains { file.path.hasPrefix($0) } }
    #expect(files.flatMap { $0.places(of: pattern) } == [])
  }

  @Test(arguments: reserved.map(\.rule))
  func knowsAnOffenceWhenItSeesOne(rule: String) throws {
    let row = try #require(Self.reserved.first { $0.rule == rule })
    let pattern = try NSRegularExpression(pattern: row.pattern)
    #expect(row.offences.filter { !pattern.isIn($0) } == [])
    #expect(Self.innocent.filter(pattern.isIn) == [])
  }

  @Test func everyFunctionWithAnExpectationIsATest() {
    let lost = Project.tests.flatMap { file in
      TestFunctions(file).all.filter { $0.hasExpectation && !$0.isTest }
        .map { "\(file.path): \($0.name)" }
    }
    #expect(lost == [])
  }

  /// Else a test that blocks stops every task of the process: see ``OffThePool``.
  @Test func everySuiteRunsOffThePool() {
    let suites = Project.tests.filter { $0.codeLines.contains { $0.contains("@Test") } }
    let onThePool = suites.filter { file in
      !file.codeLines.contains { $0.contains(".offThePool") }
    }
    #expect(suites.count > 100)
    #expect(onThePool.map(\.path) == [])
  }

  /// Foundation's `Process` breaks when many threads start programs at once; tests use `ChildProcess` as the product does.
  @Test func testsStartProgramsAsTheProductDoes() throws {
    let pattern = try NSRegularExpression(pattern: #"\bProcess\(\)"#)
    #expect(Project.tests.flatMap { $0.places(of: pattern) } == [])
  }

  @Test func noTwoTypesHaveOneName() throws {
    let declaration = try Regex(
      #"^(public |package |final |indirect )*(struct|class|enum|actor|protocol) (\w+)"#,
      as: (Substring, Substring?, Substring, Substring).self)
    var places: [Substring: [String]] = [:]
    for file in Project.sources {
      for line in file.codeLines {
        if let name = line.prefixMatch(of: declaration)?.3 {
          places[name, default: []].append(file.path)
        }
      }
    }
    #expect(places.count > 500)
    // Each program has one.
    #expect(places.filter { $0.value.count > 1 }.keys.sorted() == ["Main"])
  }

  @Test func filesAreShort() {
    let long = (Project.sources + Project.tests).filter { $0.codeLines.count - 1 > Self.lineLimit }
    #expect(long.map(\.path) == [])
  }

  @Test(arguments: pure)
  func isPure(target: String) throws {
    let pattern = try NSRegularExpression(pattern: Self.systemModules)
    let files = Project.sources.filter { $0.target == target }
    #expect(!files.isEmpty)
    #expect(files.flatMap { $0.places(of: pattern) } == [])
  }

  @Test func thereAreNoPackageDependencies() throws {
    #expect(try !Project.manifest.contains(".package("))
  }

  @Test func theTopLevelIsTidy() throws {
    let allowed: Set = ["Package.swift", "Sources", "Tests", "jobs", "Dockerfile", "README.md"]
    // What a run leaves behind is not part of the project when version control ignores it.
    let leftovers: Set = ["demo"]
    let entries = try FileManager.default.contentsOfDirectory(atPath: Project.root.path)
    let visible = Set(entries.filter { !$0.hasPrefix(".") })
    #expect(visible.subtracting(allowed).subtracting(leftovers) == [])
    #expect(allowed.subtracting(visible) == [])
  }
}
