import Foundations
import Glibc
import TestSupport
import Testing

/// Programs that do not want to end.
@Suite(.offThePool) struct CutShortTests {
  /// It ignores SIGTERM, and so does what it has started: both are gone.
  @Test func aGroupOfProcessesEndsWhateverItIgnores() async throws {
    let folder = try TemporaryFolder()
    let script = """
      trap '' TERM
      (while :; do sleep 1; done) & echo $! > \(folder.path)/grandchild
      while :; do sleep 1; done
      """
    let child = try ChildProcess(
      "/bin/bash", ["-c", script], environment: nil, output: .null, errors: .null, leadsGroup: true)
    var grandchild: Int32?
    #expect(
      await eventually {
        let text = try? PosixFileSystem().readInput("\(folder.path)/grandchild", limitBytes: 64)
        grandchild = text.flatMap { Int32(String(decoding: $0.dropLast(), as: UTF8.self)) }
        return grandchild != nil
      })
    child.cutShort(withinSeconds: 1)
    #expect(await child.ended() == .killed(signal: SIGKILL))
    let pid = try #require(grandchild)
    // Whoever has taken it over may not have let it go yet.
    #expect(await eventually { kill(pid, 0) != 0 || Self.state(of: pid) == "Z" })
  }

  private static func state(of pid: Int32) -> Substring? {
    guard let file = fopen("/proc/\(pid)/stat", "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = fread(&bytes, 1, bytes.count, file)
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    return text.split(separator: ")").last?.split(separator: " ").first
  }
}
