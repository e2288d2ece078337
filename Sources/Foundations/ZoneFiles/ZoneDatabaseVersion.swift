internal import CivilTime
internal import Glibc

/// Detects the tz database release in a directory.
enum ZoneDatabaseVersion {
  /// Returns the release, e.g. `2026f`; `unknown` if no file states it.
  ///
  /// Sources, in order: `+VERSION` (BSD and macOS), the first line of `tzdata.zi` (`# version 2026f`), and, for
  /// PyPI's `tzdata` package, the `IANA_VERSION` of the package that contains the directory.
  static func read(in directory: String) -> String {
    firstLine("\(directory)/+VERSION").flatMap(release)
      ?? firstLine("\(directory)/tzdata.zi").flatMap { release(after: "# version ", in: $0) }
      ?? lines("\(directory)/../__init__.py").lazy
      .compactMap { release(after: "IANA_VERSION = ", in: $0) }.first
      ?? "unknown"
  }

  /// Returns when the file that states the version was made, or when `UTC` was if no file does.
  static func builtAt(in directory: String) -> Instant? {
    ["+VERSION", "tzdata.zi", "UTC"].lazy.compactMap { name -> Instant? in
      var status = stat()
      guard stat("\(directory)/\(name)", &status) == 0 else { return nil }
      return Instant(seconds: Int64(status.st_mtim.tv_sec))
    }.first
  }

  private static func release(after prefix: String, in line: Substring) -> String? {
    line.hasPrefix(prefix) ? release(line.dropFirst(prefix.count)) : nil
  }

  /// Returns `text` without quotes and blanks if it could be a release name; records and metrics carry it.
  private static func release(_ text: Substring) -> String? {
    let name = text.filter { !" \"'\r".contains($0) }
    let isPlain = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
    return isPlain && (1...32).contains(name.utf8.count) ? name : nil
  }

  private static func firstLine(_ path: String) -> Substring? { lines(path).first }

  private static func lines(_ path: String) -> [Substring] {
    // The line is at the start of a file that may be long.
    let bytes = SmallFile.read(path, limitBytes: 4_096) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
