internal import Glibc

/// A process of this machine, told apart from all others, so that the lease of one that was killed need not be waited for.
///
/// Nothing depends on it but how soon a lease is taken: whoever is taken for gone and is not loses the lease, and no more.
struct WorkerProcess: Equatable {
  /// Which start of which machine, and which of its sets of process numbers: that of a container is another.
  let machine: String
  let pid: Int32
  /// When it began, in ticks since the machine's start: a number is given again.
  let began: String

  /// This process; nil where the system does not tell.
  static let own = WorkerProcess(pid: getpid())

  /// The process with a number on this machine; nil when there is none, or the system does not tell.
  init?(pid: Int32) {
    guard let machine = Self.machine, let status = Self.text("/proc/\(pid)/stat") else {
      return nil
    }
    // proc(5): the name, in parentheses, may hold anything; the 20th field behind it is the start.
    guard let name = status.lastIndex(of: ")") else { return nil }
    let fields = status[status.index(after: name)...].split(separator: " ")
    guard fields.count > 19 else { return nil }
    self.machine = machine
    self.pid = pid
    began = String(fields[19])
  }

  /// A process as a shard's row names it.
  init?(_ text: String) {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 3, let pid = Int32(parts[1]) else { return nil }
    (machine, self.pid, began) = (parts[0], pid, parts[2])
  }

  /// The process as a shard's row names it.
  var text: String { "\(machine) \(pid) \(began)" }

  /// Whether it is known that the process has ended: it was one of this machine, and is there no more.
  ///
  /// Another account's processes may be hidden: then the kernel still tells whether there is one of the number.
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
