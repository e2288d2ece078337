// swift-tools-version: 6.2
import PackageDescription

/// One set of switches for every Swift target: a new target cannot forget one.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// A ring of the architecture: a target names only targets that stand below it.
func ring(_ name: String, _ below: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: below, swiftSettings: strict)
}

func tests(
  _ name: String, _ subjects: [Target.Dependency], exclude: [String] = [],
  resources: [Resource] = []
) -> Target {
  .testTarget(
    name: name, dependencies: subjects + ["TestSupport"], exclude: exclude, resources: resources,
    swiftSettings: strict)
}

let package = Package(
  name: "rewards",
  products: [.executable(name: "rewards", targets: ["rewards"])],
  targets: [
    // C libraries that Debian ships, and the little that Swift cannot call by itself.
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(name: "CurlShims", dependencies: ["CCurl"]),
    .target(name: "MicroHTTPDShims", dependencies: ["CMicroHTTPD"]),
    .target(name: "LinuxShims"),
    .target(name: "ExecutorHooks"),

    // Foundations.
    ring("Failures"),
    ring("StrictJSON", ["Failures"]),
    ring("Digests", ["CCrypto"]),
    ring("Zstandard", ["CZstd"]),
    ring("Threading", ["LinuxShims"]),
    ring("ChildProcesses", ["Failures", "Threading", "LinuxShims"]),
    ring("SeededRandom"),
    ring("Files", ["Failures"]),
    ring("Metrics"),

    // Pure: no clock, file, socket or random number.
    ring("CivilTime", ["Failures"]),
    ring("Described", ["CivilTime", "StrictJSON", "Digests"]),
    ring("Evidence", ["CivilTime"]),
    ring("RewardRules", ["Failures", "CivilTime", "Evidence", "StrictJSON", "Digests"]),
    ring(
      "Ledger",
      [
        "Failures", "CivilTime", "Described", "Evidence", "RewardRules", "StrictJSON", "Digests",
      ]),

    // What a user has earned is decided here and nowhere else.
    ring("Engine", ["CivilTime", "Evidence", "RewardRules", "Ledger"]),

    // The use case and its ports.
    ring(
      "Scheduling",
      [
        "Failures", "CivilTime", "Evidence", "RewardRules", "Ledger", "Engine", "StrictJSON",
        "Digests", "Threading",
      ]),

    // Adapters.
    ring("ZoneFiles", ["CivilTime", "StrictJSON", "Threading"]),
    ring("HTTPClient", ["Failures", "CCurl", "CurlShims", "CivilTime", "Threading"]),
    ring("HTTPServer", ["Failures", "CMicroHTTPD", "MicroHTTPDShims", "Threading"]),
    ring(
      "CheerAPI",
      [
        "Failures", "SeededRandom", "HTTPClient", "Scheduling", "CivilTime", "Evidence",
        "StrictJSON", "Threading", "Metrics", "Files",
      ]),
    ring(
      "LedgerStore",
      [
        "Failures", "Scheduling", "Ledger", "CivilTime", "Described", "Evidence", "StrictJSON",
        "Digests", "Threading", "Zstandard", "LinuxShims", "Files", "Metrics",
      ]),
    ring("PostgreSQL", ["Failures", "CPostgreSQL", "Threading"]),
    ring(
      "LedgerDatabase",
      [
        "PostgreSQL", "Ledger", "CivilTime", "Digests", "Files", "Threading", "Zstandard",
      ]),
    ring(
      "NotificationRelay",
      [
        "Failures", "Scheduling", "Ledger", "LedgerStore", "CivilTime", "Described",
        "RewardRules", "StrictJSON", "Digests", "SeededRandom", "Threading", "Files", "Metrics",
      ]),
    ring(
      "Webhook",
      ["NotificationRelay", "Scheduling", "HTTPClient", "CivilTime", "Digests"]),

    ring(
      "FCM",
      [
        "NotificationRelay", "Webhook", "Scheduling", "HTTPClient", "CivilTime", "Digests",
        "StrictJSON",
      ]),

    // The doors of a running service: the control socket and the admin address.
    ring("Control", ["HTTPClient", "HTTPServer", "Described", "Threading"]),

    // What an operator has decided, read, checked and shown.
    ring(
      "Configuration",
      [
        "Failures", "NotificationRelay", "Webhook", "FCM", "CivilTime", "RewardRules",
        "StrictJSON", "Digests", "Files",
      ]),

    // What an audit found, as data, and the page that shows it.
    ring("AuditReport", ["CivilTime"]),
    ring("AuditPage", ["AuditReport", "CivilTime", "Digests"]),

    // Values in, report out.
    ring(
      "Operations",
      [
        "Failures", "Configuration", "AuditReport", "SeededRandom", "Engine", "Scheduling",
        "Ledger", "LedgerStore", "NotificationRelay", "Webhook", "FCM", "CheerAPI", "HTTPClient",
        "CivilTime", "Described", "Evidence", "RewardRules", "StrictJSON", "Digests",
        "Threading", "ChildProcesses", "Files", "Metrics", "LinuxShims",
      ]),

    // Looks whether all that the operations need is there.
    ring(
      "Doctor",
      [
        "Operations", "Configuration", "Scheduling", "Ledger", "LedgerStore", "CheerAPI",
        "HTTPClient", "HTTPServer", "CivilTime", "Evidence", "RewardRules", "Threading",
        "ChildProcesses", "Files",
      ]),

    // The simulated world: for the demo, the tests and the benchmarks.
    ring(
      "Sandbox",
      [
        "SeededRandom", "Scheduling", "HTTPServer", "CivilTime", "Evidence", "StrictJSON",
        "Threading",
      ]),

    .executableTarget(
      name: "rewards",
      dependencies: [
        "Failures", "Operations", "Doctor", "Control", "Configuration", "AuditReport", "AuditPage",
        "Sandbox", "Scheduling", "Engine", "Ledger", "LedgerStore", "LedgerDatabase", "PostgreSQL",
        "NotificationRelay", "CheerAPI", "ZoneFiles", "HTTPClient", "HTTPServer", "CivilTime",
        "Evidence", "RewardRules", "StrictJSON", "Digests", "Threading", "LinuxShims",
        "ExecutorHooks", "Files", "SeededRandom", "Metrics",
      ],
      // The reference pages, which rewards help shows: Pages is rewards.docc by a name that the package manager looks into.
      exclude: [
        "Pages/Commands.md", "Pages/Development.md", "Pages/Performance.md", "Pages/rewards.md",
      ],
      resources: [.embedInCode("Pages")],
      swiftSettings: strict),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "SeededRandom", "Operations", "Configuration", "AuditReport", "Sandbox", "Scheduling",
        "Engine", "Ledger", "LedgerStore", "CheerAPI", "ZoneFiles", "HTTPClient", "HTTPServer",
        "CivilTime", "Described", "Evidence", "RewardRules", "Threading", "ChildProcesses",
        "Files", "NotificationRelay", "Webhook", "Digests", "StrictJSON", "LedgerDatabase",
        "PostgreSQL", "LinuxShims",
      ],
      resources: [
        .embedInCode("Peers/sweep.py"), .embedInCode("Peers/group.py"),
        .embedInCode("Peers/webhooks.py"), .embedInCode("Peers/wrk.lua"),
      ],
      swiftSettings: strict),

    // The whole service in one process, from one seed, with everything that can go wrong.
    .executableTarget(
      name: "simulation",
      dependencies: [
        "ExecutorHooks", "Operations", "Configuration", "AuditReport", "Sandbox", "Scheduling",
        "Engine", "Ledger", "LedgerStore", "NotificationRelay", "HTTPClient", "HTTPServer",
        "CivilTime", "Evidence", "RewardRules", "StrictJSON", "Digests", "Threading", "Files",
        "SeededRandom",
      ],
      path: "Tests/Simulation/Simulator", swiftSettings: strict),

    // What every test target may use.
    .target(
      name: "TestSupport",
      dependencies: [
        "CivilTime", "Evidence", "Files", "Threading", "ChildProcesses", "PostgreSQL",
        "LedgerDatabase",
      ],
      path: "Tests/TestSupport",
      swiftSettings: strict),

    tests(
      "CivilTimeTests", ["SeededRandom", "CivilTime", "ZoneFiles"], resources: [.copy("Tables")]),
    tests(
      "LedgerDatabaseTests",
      [
        "LedgerDatabase", "PostgreSQL", "LedgerStore", "Ledger", "CivilTime", "RewardRules",
        "Files", "SeededRandom",
      ]),
    tests("EvidenceTests", ["Evidence", "CivilTime", "SeededRandom"]),
    tests(
      "RewardRulesTests",
      ["SeededRandom", "RewardRules", "Evidence", "CivilTime", "StrictJSON", "Digests"],
      resources: [.copy("Tables")]),
    tests(
      "EngineTests", ["Engine", "Ledger", "RewardRules", "Evidence", "CivilTime", "SeededRandom"]),
    tests("StrictJSONTests", ["StrictJSON", "SeededRandom"]),
    tests("DescribedTests", ["SeededRandom", "Described", "CivilTime", "StrictJSON", "Digests"]),
    tests(
      "LedgerTests",
      [
        "SeededRandom", "Ledger", "RewardRules", "Evidence", "CivilTime", "Described", "StrictJSON",
        "Digests",
      ],
      resources: [.copy("Tables")]),
    tests(
      "LedgerStoreTests",
      [
        "SeededRandom", "LedgerStore", "LedgerDatabase", "Ledger", "Described", "Scheduling",
        "RewardRules",
        "Evidence",
        "CivilTime", "Digests", "Threading", "Files",
      ]),
    tests(
      "NotificationRelayTests",
      [
        "SeededRandom", "NotificationRelay", "LedgerStore", "Ledger", "Scheduling", "Sandbox",
        "RewardRules",
        "Evidence", "CivilTime", "StrictJSON", "Digests", "Threading", "Files",
      ]),
    tests(
      "WebhookTests",
      [
        "Webhook", "NotificationRelay", "HTTPClient", "HTTPServer", "Sandbox", "Scheduling",
        "CivilTime", "StrictJSON", "Digests", "Threading",
      ]),
    tests(
      "CheerAPITests",
      [
        "CheerAPI", "HTTPClient", "HTTPServer", "Scheduling", "Evidence", "CivilTime", "ZoneFiles",
        "Threading", "CCurl",
      ]),
    tests(
      "SandboxTests",
      [
        "SeededRandom",
        "Sandbox", "HTTPServer", "HTTPClient", "Scheduling", "CivilTime", "Evidence", "StrictJSON",
        "Threading",
      ]),
    tests(
      "SchedulingTests",
      [
        "SeededRandom", "Scheduling", "Engine", "Ledger", "RewardRules", "Evidence", "CivilTime",
        "ZoneFiles", "Threading", "Sandbox", "StrictJSON", "Failures",
      ]),
    tests("ControlTests", ["Control", "HTTPClient", "Threading"]),
    tests("MetricsTests", ["Metrics"]),
    tests(
      "FCMTests",
      [
        "FCM", "NotificationRelay", "Webhook", "HTTPClient", "HTTPServer", "Sandbox", "Scheduling",
        "CivilTime", "StrictJSON", "Digests", "Threading", "ZoneFiles", "ChildProcesses",
      ]),
    tests("ConfigurationTests", ["Configuration", "Files", "ZoneFiles"]),
    tests("AuditPageTests", ["AuditPage", "AuditReport", "CivilTime"]),
    tests(
      "DoctorTests",
      [
        "Doctor", "Operations", "Configuration", "Sandbox", "HTTPServer", "LedgerStore",
        "ZoneFiles", "CivilTime", "Files",
      ]),
    tests(
      "OperationsTests",
      [
        "SeededRandom", "Operations", "Configuration", "AuditReport", "Sandbox", "Scheduling",
        "Engine", "Ledger", "LedgerStore", "NotificationRelay", "CheerAPI",
        "ZoneFiles", "HTTPClient", "HTTPServer", "CivilTime", "Described", "Evidence",
        "RewardRules", "StrictJSON", "Threading", "ChildProcesses", "Digests", "Failures",
        "Files",
      ],
      resources: [.copy("Recorded")]),
    tests(
      "CommandLineTests",
      [
        "Failures", "SeededRandom", "rewards", "Operations", "Configuration", "Scheduling",
        "ZoneFiles",
        "StrictJSON", "CivilTime", "Threading", "ChildProcesses", "Files", "Control",
        "LedgerDatabase",
        "PostgreSQL", "Sandbox", "HTTPServer", "Ledger", "LedgerStore", "CheerAPI",
        "NotificationRelay", "RewardRules", "HTTPClient",
      ],
      exclude: ["Golden"]),
    tests("SimulationTests", ["simulation", "SeededRandom", "ChildProcesses"]),
    tests("HouseRulesTests", []),
  ]
)

// The fuzzer has no main of its own and is linked by no other build: Tests/Fuzzing/fuzz.py builds it.
if Context.environment["REWARDS_FUZZING"] != nil {
  package.products.append(.executable(name: "fuzzer", targets: ["Fuzzer"]))
  package.targets.append(
    .executableTarget(
      name: "Fuzzer",
      dependencies: [
        "CheerAPI", "CivilTime", "Configuration", "Control", "Described", "Evidence", "FCM",
        "Files",
        "HTTPClient", "Ledger", "LedgerStore", "NotificationRelay", "Operations", "RewardRules",
        "Scheduling", "StrictJSON", "Threading", "ZoneFiles",
      ],
      path: "Tests/Fuzzing/Fuzzer", swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}
