import Foundations
internal import Glibc

/// Looks in the machine's package manager for a tz database newer than the installed one. Downloads nothing.
package enum TimeZonePackage {
  /// Returns the release that `apt` would install, as in `2026f`; nil without apt or when apt does not say.
  package static func offered(path: String?) async -> String? {
    guard let path else { return nil }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    let child = try? ChildProcess(
      "timeout", ["10", "apt-cache", "policy", "tzdata"],
      environment: ["PATH": path, "LC_ALL": "C"], output: .descriptor(ends[1]), errors: .null)
    close(ends[1])
    guard let child, case .exited(0) = await child.ended() else { return nil }
    // The output is a few hundred bytes, so it fits into the pipe.
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(ends[0], &bytes, bytes.count)
    return candidate(in: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
  }

  /// Returns the release in the output of `apt-cache policy`, from a line like `Candidate: 2026f-0+deb12u1`.
  static func candidate(in text: String) -> String? {
    let line = text.split(separator: "\n").first { $0.contains("Candidate:") }
    guard let version = line?.split(separator: " ").last else { return nil }
    let release = String(version.prefix { $0 != "-" })
    return isRelease(release) ? release : nil
  }

  /// Whether one release is newer than another; releases are named by year and letter.
  static func isNewer(_ release: String, than other: String) -> Bool {
    isRelease(release) && isRelease(other) && release > other
  }

  private static func isRelease(_ text: String) -> Bool {
    text.utf8.count >= 5 && text.prefix(4).allSatisfy(\.isNumber)
      && text.dropFirst(4).allSatisfy { $0.isLowercase && $0.isASCII }
  }
}
