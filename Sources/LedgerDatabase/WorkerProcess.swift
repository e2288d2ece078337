internal import Glibc

/// A unique identity of a process on this machine, so that nobody waits for the lease of a killed one.
///
/// It only affects how soon a lease is taken: a process wrongly taken for gone loses its lease, and nothing more.
struct WorkerProcess: Equatable {
  /// The machine, its boot, and its process-number namespace: a container's is another.
  let machine: String
  let pid: Int32
  /// When it began, in ticks since boot, because process numbers are reused.
  let began: String

  /// This process; nil if the system does not say.
  static let own = WorkerProcess(pid: getpid())

  /// Reads the process with a number on this machine; nil if there is none, or the system does not say.
  init?(pid: Int32) {
    guard let machine = Self.machine, let status = Self.text("/proc/\(pid)/stat") else {
      return nil
    }
    // proc(5): the name, in parentheses, may contain anything; the 20th field after it is the start time.
    guard let name = status.lastIndex(of: ")") else { return nil }
    let fields = status[status.index(after: name)...].split(separator: " ")
    guard fields.count > 19 else { return nil }
    self.machine = machine
    self.pid = pid
    began = String(fields[19])
  }

  /// Parses a process from a shard's row.
  init?(_ text: String) {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 3, let pid = Int32(parts[1]) else { return nil }
    (machine, self.pid, began) = (parts[0], pid, parts[2])
  }

  /// The process as written to a shard's row.
  var text: String { "\(machine) \(pid) \(began)" }

  /// Whether the process is known to have ended: it ran on this machine and no longer exists.
  ///
  /// Other accounts' processes may be hidden, but the kernel still tells whether a process has that number.
  var isGone: Bool {
    guard machine == Self.machine else { return false }
    if let now = WorkerProcess(pid: pid) { return now != self }
    return kill(pid, 0) != 0 && errno == ESRCH
  }

  private static let machine: String? = {
    var target = [CChar](repeating: 0, count: 64)
    guard let boot = text("/proc/sys/kernel/random/boot_id"),
      readlink("/proc/self/ns/pid", &target, target.count - 1) > 0
    else { return nil }
    let numbers = target.filter { (48...57).contains($0) }.map { UInt8(bitPattern: $0) }
    return boot.filter { !$0.isNewline } + "-" + String(decoding: numbers, as: UTF8.self)
  }()

  private static func text(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
