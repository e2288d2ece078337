import Foundation

/// The machine on which the figures were measured.
enum Machine {
  /// Returns one line: processor, cores, memory, kernel, and how busy it was with other work.
  static func description(of effort: Effort) -> String {
    var parts = [
      "\(field("model name", in: "/proc/cpuinfo") ?? "unknown processor"), "
        + "\(ProcessInfo.processInfo.activeProcessorCount) cores",
      "\(Figure.mebibytes(Int(ProcessInfo.processInfo.physicalMemory))) of memory",
      "Linux \(text("/proc/sys/kernel/osrelease"))",
      "load average at the end \(text("/proc/loadavg").split(separator: " ").prefix(3).joined(separator: " "))",
      "medians of \(effort.rounds) rounds in turns",
    ]
    if effort.isQuick { parts.append("--quick: small sizes, not for publication") }
    #if DEBUG
      parts.append("debug build: the figures mean nothing")
    #endif
    return parts.joined(separator: "; ") + "."
  }

  /// Returns this process's memory in bytes, from a field of `/proc/self/status`: `VmRSS` is the current size, `VmHWM` the peak.
  static func memory(_ name: String) -> Int {
    let kibibytes = field(name, in: "/proc/self/status")?.split(separator: " ").first
    return (kibibytes.flatMap { Int($0) } ?? 0) * 1_024
  }

  /// Resets `VmHWM` to the current size.
  static func forgetPeak() {
    // 5 is the kernel's code for it; if the file is not writable, the peak since the start remains, which is higher.
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  }

  private static func field(_ name: String, in path: String) -> String? {
    let line = text(path).split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(separator: ":", maxSplits: 1).last.map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  private static func text(_ path: String) -> String {
    let text = try? String(contentsOfFile: path, encoding: .utf8)
    return (text ?? "unknown").trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
