import Foundation
import TestSupport
import Testing

/// The statements keep to what PostgreSQL, Citus, CockroachDB and YugabyteDB share.
@Suite(.offThePool) struct PortableStatementsTests {
  /// What one of them lacks or does otherwise, as regular expressions over the sources; beside each, a line that it must find.
  private static let refused = [
    (#"\bpg_(try_)?advisory"#, "SELECT pg_advisory_lock(1)"),  // transaction pools and CockroachDB
    (#"\b(LISTEN|UNLISTEN|NOTIFY)\b"#, "NOTIFY a"),  // YugabyteDB, CockroachDB
    (#"\b(big|small)?serial\b"#, "id bigserial"),  // one place for all writers
    (#"\bSKIP LOCKED\b"#, "FOR UPDATE SKIP LOCKED"),
    (#"\bCOPY\b"#, "COPY t FROM STDIN"),  // commits by itself there, and knows no pipeline
    // Citus refuses volatile functions.
    (#"\b(clock_timestamp|random|nextval)\s*\("#, "SET at = clock_timestamp()"),
    (#"\bWITH\b[^;]*\b(INSERT|UPDATE|DELETE)\b"#, "WITH a AS (UPDATE t SET x = 1) SELECT 1"),
    (#"\b(PREPARE|DEALLOCATE)\b"#, "PREPARE a AS SELECT 1"),  // transaction pools
    (#"\bSET SESSION\b"#, "SET SESSION x = 1"),  // transaction pools
    (#"\bCREATE (TEMP|UNLOGGED|TRIGGER|FUNCTION|RULE)"#, "CREATE TEMP TABLE t ()"),
    (#"\b(xmin|ctid|pg_xact_status)\b"#, "SELECT xmin FROM t"),  // PostgreSQL alone
    (#"\bREFERENCES\b"#, "a int REFERENCES b"),  // across distributed tables
  ]

  /// Every string of the sources that speak with a database.
  private static let texts: [(file: String, text: String)] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return ["PostgreSQL", "LedgerDatabase"].flatMap { target -> [(String, String)] in
      let folder = root.appendingPathComponent("Sources/\(target)")
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return names.filter { $0.hasSuffix(".swift") }.flatMap { name -> [(String, String)] in
        let source = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        return (source ?? "").matches(of: /"""(?<long>[\s\S]*?)"""|"(?<short>(?:[^"\\\n]|\\.)*)"/)
          .map { (name, String($0.output.long ?? $0.output.short ?? "")) }
      }
    }
  }()

  @Test func allAreSeen() {
    #expect(Self.texts.count { $0.text.contains("rewards.") } > 25)
  }

  @Test(arguments: refused.map(\.0))
  func noneUses(_ pattern: String) throws {
    let regex = try Regex(pattern).ignoresCase()
    let found = Self.texts.filter { $0.text.firstMatch(of: regex) != nil }
    #expect(found.isEmpty, "\(found.map { "\($0.file): \($0.text.prefix(80))" })")
    let offence = try #require(Self.refused.first { $0.0 == pattern }?.1)
    #expect(offence.firstMatch(of: regex) != nil)
  }
}
