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

    // What everything may use: values first, then files, threads, programs, compression, zones, metrics.
    ring("Failures"),
    ring("StrictJSON", ["Failures"]),
    ring("Digests", ["CCrypto"]),
    ring("CivilTime", ["Failures"]),
    ring("Foundations", ["Failures", "StrictJSON", "CivilTime", "CZstd", "LinuxShims"]),

    // Pure, as the values above: no clock, file, socket or random number.
    ring("Described", ["CivilTime", "StrictJSON", "Digests"]),
    ring("Evidence", ["CivilTime"]),
    ring("SSHSignatures", ["CivilTime", "Digests"]),
    ring(
      "RewardRules",
      ["Failures", "CivilTime", "Evidence", "Described", "StrictJSON", "Digests"]),
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
        "Failures", "Foundations", "CivilTime", "Evidence", "RewardRules", "Ledger", "Engine",
        "StrictJSON", "Digests", "SSHSignatures",
      ]),

    // Adapters.
    ring("HTTPClient", ["Failures", "Foundations", "CivilTime", "CCurl", "CurlShims"]),
    ring("HTTPServer", ["Failures", "Foundations", "CMicroHTTPD", "MicroHTTPDShims"]),
    ring(
      "CheerAPI",
      [
        "Failures", "Foundations", "HTTPClient", "Scheduling", "CivilTime", "Evidence",
        "StrictJSON",
      ]),
    ring(
      "LedgerStore",
      [
        "Failures", "Foundations", "Scheduling", "Ledger", "CivilTime", "Described", "Evidence",
        "StrictJSON", "Digests", "LinuxShims",
      ]),
    ring(
      "LedgerDatabase",
      ["Failures", "Foundations", "Ledger", "CivilTime", "Digests", "CPostgreSQL"]),
    ring(
      "NotificationRelay",
      [
        "Failures", "Foundations", "HTTPClient", "Scheduling", "Ledger", "LedgerStore", "CivilTime",
        "Described", "RewardRules", "StrictJSON", "Digests",
      ]),

    // What an operator has decided, read, checked and shown.
    ring(
      "Configuration",
      [
        "Failures", "Foundations", "Ledger", "LedgerStore", "NotificationRelay", "Scheduling",
        "CivilTime", "Evidence", "RewardRules", "StrictJSON", "Digests",
      ]),

    // What an audit found, as data, and the page that shows it. Pure.
    ring("AuditPage", ["CivilTime", "Digests", "Ledger", "RewardRules"]),

    // Use cases: a request in, a report out.
    ring(
      "Operations",
      [
        "Failures", "Foundations", "Configuration", "AuditPage", "Engine", "Scheduling", "Ledger",
        "LedgerStore", "NotificationRelay", "CheerAPI", "HTTPClient", "HTTPServer", "CivilTime",
        "Described",
        "Evidence", "RewardRules", "StrictJSON", "Digests", "SSHSignatures", "LinuxShims",
      ]),

    // The simulated world: for the demo, the tests and the benchmarks.
    ring(
      "Sandbox",
      ["Foundations", "Scheduling", "HTTPServer", "CivilTime", "Evidence", "StrictJSON"]),

    .executableTarget(
      name: "rewards",
      dependencies: [
        "Failures", "Operations", "HTTPClient", "HTTPServer", "Configuration", "AuditPage",
        "Sandbox", "Scheduling",
        "Engine", "Ledger", "LedgerStore", "LedgerDatabase", "NotificationRelay", "CheerAPI",
        "Foundations", "CivilTime", "Described", "Evidence", "RewardRules", "StrictJSON", "Digests",
        "LinuxShims", "ExecutorHooks",
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
        "Foundations", "Operations", "Configuration", "AuditPage", "Sandbox", "Scheduling",
        "Engine", "Ledger", "LedgerStore", "CheerAPI", "HTTPClient", "HTTPServer", "CivilTime",
        "Described", "Evidence",
        "RewardRules", "NotificationRelay", "Digests", "StrictJSON", "LedgerDatabase", "LinuxShims",
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
        "ExecutorHooks", "Operations", "Configuration", "AuditPage", "Sandbox", "Scheduling",
        "Engine", "Ledger", "LedgerStore", "NotificationRelay", "HTTPClient", "HTTPServer",
        "CivilTime", "Evidence",
        "RewardRules", "StrictJSON", "Digests", "Foundations",
      ],
      path: "Tests/Simulation/Simulator", swiftSettings: strict),

    // What every test target may use.
    .target(
      name: "TestSupport",
      dependencies: ["CivilTime", "Evidence", "Foundations", "LedgerDatabase"],
      path: "Tests/TestSupport",
      swiftSettings: strict),

    tests(
      "CivilTimeTests", ["Foundations", "CivilTime"], resources: [.copy("Tables")]),
    tests(
      "SSHSignaturesTests", ["SSHSignatures", "CivilTime", "Digests", "CCrypto"],
      resources: [.copy("Tables")]),
    tests(
      "LedgerDatabaseTests",
      ["LedgerDatabase", "LedgerStore", "Ledger", "CivilTime", "RewardRules", "Foundations"]),
    tests("EvidenceTests", ["Evidence", "CivilTime", "Foundations"]),
    tests(
      "RewardRulesTests",
      ["Foundations", "RewardRules", "Evidence", "CivilTime", "StrictJSON", "Digests"],
      resources: [.copy("Tables")]),
    tests(
      "EngineTests", ["Engine", "Ledger", "RewardRules", "Evidence", "CivilTime", "Foundations"]),
    tests("StrictJSONTests", ["StrictJSON", "Foundations"]),
    tests("DescribedTests", ["Foundations", "Described", "CivilTime", "StrictJSON", "Digests"]),
    tests(
      "LedgerTests",
      [
        "Foundations", "Ledger", "RewardRules", "Evidence", "CivilTime", "Described", "StrictJSON",
        "Digests",
      ],
      resources: [.copy("Tables")]),
    tests(
      "LedgerStoreTests",
      [
        "Foundations", "LedgerStore", "LedgerDatabase", "Ledger", "Described", "Scheduling",
        "RewardRules", "Evidence", "CivilTime", "Digests",
      ]),
    tests(
      "NotificationRelayTests",
      [
        "Foundations", "NotificationRelay", "LedgerStore", "Ledger", "Scheduling", "Sandbox",
        "RewardRules", "Evidence", "CivilTime", "StrictJSON", "Digests", "HTTPClient",
      ]),
    tests(
      "WebhookTests",
      [
        "NotificationRelay", "HTTPClient", "HTTPServer", "Sandbox", "Scheduling", "CivilTime",
        "StrictJSON", "Digests",
        "Foundations",
      ]),
    tests(
      "CheerAPITests",
      [
        "CheerAPI", "HTTPClient", "HTTPServer", "Scheduling", "Evidence", "CivilTime",
        "Foundations", "CCurl",
      ]),
    tests(
      "SandboxTests",
      [
        "Foundations", "Sandbox", "HTTPClient", "HTTPServer", "Scheduling", "CivilTime", "Evidence",
        "StrictJSON",
      ]),
    tests(
      "SchedulingTests",
      [
        "Foundations", "Scheduling", "Engine", "Ledger", "RewardRules", "Evidence", "CivilTime",
        "Sandbox", "StrictJSON", "Failures",
      ]),
    tests(
      "ControlTests", ["Operations", "HTTPClient", "HTTPServer", "Foundations", "Failures"]),
    tests("MetricsTests", ["Foundations"]),
    tests(
      "FCMTests",
      [
        "NotificationRelay", "HTTPClient", "HTTPServer", "Sandbox", "Scheduling", "CivilTime",
        "StrictJSON", "Digests",
        "Foundations",
      ]),
    tests("StoreTests", ["NotificationRelay", "CivilTime", "Ledger"]),
    tests("ConfigurationTests", ["Configuration", "Foundations", "Ledger"]),
    tests("AuditPageTests", ["AuditPage", "CivilTime", "RewardRules"]),
    tests(
      "DoctorTests",
      [
        "Operations", "Configuration", "Sandbox", "HTTPClient", "HTTPServer", "LedgerStore",
        "Foundations", "CivilTime",
      ]),
    tests(
      "OperationsTests",
      [
        "Foundations", "Operations", "Configuration", "AuditPage", "Sandbox", "Scheduling",
        "Engine", "Ledger", "LedgerStore", "NotificationRelay", "CheerAPI", "HTTPClient",
        "HTTPServer", "CivilTime",
        "Described", "Evidence", "RewardRules", "StrictJSON", "Digests", "Failures",
      ],
      resources: [.copy("Recorded")]),
    tests(
      "CommandLineTests",
      [
        "Failures", "Foundations", "rewards", "Operations", "Configuration", "Scheduling",
        "StrictJSON", "CivilTime", "HTTPClient", "HTTPServer", "LedgerDatabase", "Sandbox",
        "Ledger", "LedgerStore",
        "CheerAPI", "NotificationRelay", "RewardRules",
      ],
      exclude: ["Former", "Golden"]),
    tests("SimulationTests", ["simulation", "Foundations"]),
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
        "CheerAPI", "CivilTime", "Configuration", "HTTPClient", "HTTPServer", "Described",
        "Evidence",
        "NotificationRelay", "Foundations", "Ledger", "LedgerStore", "Operations", "RewardRules",
        "Scheduling", "StrictJSON",
      ],
      path: "Tests/Fuzzing/Fuzzer", swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}
