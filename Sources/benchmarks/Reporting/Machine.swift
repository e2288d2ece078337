import Foundation

/// The machine that the figures belong to.
enum Machine {
  /// One line: processor, cores, memory, kernel, and how busy it was with other work.
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

  /// This process's memory in bytes by a field of `/proc/self/status`: `VmRSS` now, `VmHWM` at most.
  static func memory(_ name: String) -> Int {
    let kibibytes = field(name, in: "/proc/self/status")?.split(separator: " ").first
    return (kibibytes.flatMap { Int($0) } ?? 0) * 1_024
  }

  /// Lets `VmHWM` begin anew from what is held now.
  static func forgetPeak() {
    // 5 is the kernel's word for it; where it may not be written, the peak since the start stands, which is more.
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
