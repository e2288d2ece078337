import Foundations
import Glibc

/// The disk of the simulated machine, shared by its processes.
///
/// A process that has died does nothing any more: its calls fail and change nothing, as if they had never been made.
final class SimulatedDisk: FileSystem {
  /// A call on which somebody stumbles.
  enum Trap: Equatable {
    /// The process is killed in the middle of the call.
    case kill
    /// The power is lost in the middle of the call.
    case losePower
  }

  private struct State {
    var disk = DiskState()
    var open: [Int32: DiskState.FileNumber] = [:]
    var lastDescriptor: Int32 = 2
    var locks: [String: ProcessNumber] = [:]
    var isFull = false
    var failsSyncs = false
    var trap: (calls: Int, Trap)?
    var random = SplitMix64(seed: 0)
    var calls = 0
  }

  private let state = Lock(State())
  private let onTrap = Lock<(@Sendable (Trap, ProcessNumber) -> Void)?>(nil)

  /// Begins with an empty disk; `onTrap` is told who stumbled.
  func begin(seed: UInt64, onTrap: @escaping @Sendable (Trap, ProcessNumber) -> Void) {
    state.withLock { $0 = State(random: SplitMix64(seed: seed, 0xD15C)) }
    self.onTrap.withLock { $0 = onTrap }
  }

  /// Lets `trap` happen at one of the next calls that change something.
  func set(_ trap: Trap, afterCalls calls: Int) { state.withLock { $0.trap = (calls, trap) } }
  /// Forgets a trap that nobody has stepped on.
  func forgetTrap() { state.withLock { $0.trap = nil } }
  /// Whether writes find no space.
  func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }
  /// Whether syncs fail.
  func setFailing(_ fails: Bool) { state.withLock { $0.failsSyncs = fails } }

  /// Frees what a dead process has held.
  func release(_ process: ProcessNumber) {
    state.withLock { state in state.locks = state.locks.filter { $0.value != process } }
  }

  /// Leaves what a disk holds after the power was lost.
  func losePower() {
    state.withLock { state in
      var random = state.random
      state.disk.losePower(&random)
      state.random = random
      state.open = [:]
      state.locks = [:]
    }
  }

  /// The files below a folder, by name.
  func contents(of folder: String) -> [(name: String, bytes: [UInt8])] {
    state.withLock { state in
      state.disk.names.filter { $0.key.hasPrefix(folder) }.sorted { $0.key < $1.key }
        .map { ($0.key, state.disk[$0.value].bytes) }
    }
  }

  /// Puts a file on the disk, as somebody outside of the machine's processes would: whole, and there to stay.
  func put(_ bytes: [UInt8], at path: String) {
    state.withLock { state in
      var folder = DiskState.parent(of: path)
      var folders: [String] = []
      while folder != "/" {
        folders.append(folder)
        folder = DiskState.parent(of: folder)
      }
      for folder in folders.reversed() {
        // Nothing that others have left unsynced is brought to the disk by this.
        if state.disk.makeFolder(folder) { state.disk.syncFolder(DiskState.parent(of: folder)) }
      }
      if state.disk.names[path] != nil { _ = state.disk.remove(path) }
      let file = state.disk.make(path)
      state.disk.append(bytes, to: file)
      state.disk.sync(file)
      state.disk.syncFolder(DiskState.parent(of: path))
    }
  }

  // What processes call.

  /// Notes a call that changes something; throws when its process is dead, or dies by it.
  private func change<Result>(
    _ operation: String, _ path: String,
    _ body: (inout State) -> Swift.Result<Result, Code>
  ) throws(FileError) -> Result {
    let process = Executor.shared.process
    if Executor.shared.isDead(process) {
      throw FileError(operation: operation, path: path, code: EIO)
    }
    let (result, trap) = state.withLock { state -> (Swift.Result<Result, Code>, Trap?) in
      state.calls += 1
      var due: Trap?
      if let (calls, trap) = state.trap {
        state.trap = calls > 0 ? (calls - 1, trap) : nil
        if calls == 0 { due = trap }
      }
      // The call that kills is made, in part, or not at all.
      if due != nil, state.random.chance(0.5) { return (.failure(Code(EIO)), due) }
      return (body(&state), due)
    }
    if let trap { onTrap.withLock { $0 }?(trap, process) }
    switch result {
    case .success(let value):
      if trap != nil { throw FileError(operation: operation, path: path, code: EIO) }
      return value
    case .failure(let code):
      throw FileError(operation: operation, path: path, code: code.number)
    }
  }

  private struct Code: Error {
    let number: Int32
    init(_ number: Int32) { self.number = number }
  }

  private func inspect<Result>(
    _ operation: String, _ path: String, _ body: (inout State) -> Result?
  ) throws(FileError) -> Result {
    if Executor.shared.isDead(Executor.shared.process) {
      throw FileError(operation: operation, path: path, code: EIO)
    }
    guard let result = state.withLock({ body(&$0) }) else {
      throw FileError(operation: operation, path: path, code: ENOENT)
    }
    return result
  }

  func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile {
    let isWriting = purpose != .read && purpose != .receive
    let makes = try inspect("open", path) { $0.disk.names[path] == nil } && isWriting
    let number: DiskState.FileNumber
    if makes || purpose == .replace {
      number = try change("open", path) { state -> Swift.Result<DiskState.FileNumber, Code> in
        guard state.disk.folders.contains(DiskState.parent(of: path)) else {
          return .failure(Code(ENOENT))
        }
        guard let file = state.disk.names[path] else {
          return state.isFull ? .failure(Code(ENOSPC)) : .success(state.disk.make(path))
        }
        if purpose == .replace { state.disk.truncate(file, to: 0) }
        return .success(file)
      }
    } else {
      number = try inspect("open", path) { $0.disk.names[path] }
    }
    let descriptor = state.withLock { state in
      state.lastDescriptor += 1
      state.open[state.lastDescriptor] = number
      return state.lastDescriptor
    }
    return OpenFile(descriptor: descriptor, path: path)
  }

  func close(_ file: OpenFile) {
    state.withLock { _ = $0.open.removeValue(forKey: file.descriptor) }
  }

  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int {
    try change("write", file.path) { state -> Swift.Result<Int, Code> in
      guard let number = state.open[file.descriptor] else { return .failure(Code(EBADF)) }
      var count = bytes.count
      if state.isFull {
        count = Int(state.random.number(in: 0...Int64(bytes.count)))
        if count == 0 || count == bytes.count { return .failure(Code(ENOSPC)) }
      }
      state.disk.append(bytes.prefix(count), to: number)
      return .success(count)
    }
  }

  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    try inspect("read", file.path) { state -> Int? in
      guard let number = state.open[file.descriptor], let content = state.disk.files[number] else {
        return nil
      }
      guard offset < content.bytes.count else { return 0 }
      let part = content.bytes[offset..<min(content.bytes.count, offset + buffer.count)]
      buffer.copyBytes(from: part)
      return part.count
    }
  }

  func size(of file: OpenFile) throws(FileError) -> Int {
    try inspect("stat", file.path) { state -> Int? in
      state.open[file.descriptor].flatMap { state.disk.files[$0]?.bytes.count }
    }
  }

  func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    try change("truncate", file.path) { state -> Swift.Result<Void, Code> in
      guard let number = state.open[file.descriptor] else { return .failure(Code(EBADF)) }
      state.disk.truncate(number, to: size)
      return .success(())
    }
  }

  func sync(_ file: OpenFile) throws(FileError) {
    try change("fdatasync", file.path) { state -> Swift.Result<Void, Code> in
      guard let number = state.open[file.descriptor] else { return .failure(Code(EBADF)) }
      if state.failsSyncs { return .failure(Code(EIO)) }
      state.disk.sync(number)
      return .success(())
    }
  }

  func syncFolder(_ path: String) throws(FileError) {
    try change("fsync", path) { state -> Swift.Result<Void, Code> in
      guard state.disk.folders.contains(path) else { return .failure(Code(ENOENT)) }
      if state.failsSyncs { return .failure(Code(EIO)) }
      state.disk.syncFolder(path)
      return .success(())
    }
  }

  func rename(_ path: String, to newPath: String) throws(FileError) {
    try change("rename", path) { state -> Swift.Result<Void, Code> in
      state.disk.rename(path, to: newPath) ? .success(()) : .failure(Code(ENOENT))
    }
  }

  func remove(_ path: String) throws(FileError) {
    try change("unlink", path) { state -> Swift.Result<Void, Code> in
      state.disk.remove(path) ? .success(()) : .failure(Code(ENOENT))
    }
  }

  func removeFolder(_ path: String) throws(FileError) {
    try change("rmdir", path) { state -> Swift.Result<Void, Code> in
      guard state.disk.folders.contains(path) else { return .failure(Code(ENOENT)) }
      state.disk.removeFolder(path)
      return .success(())
    }
  }

  func makeFolder(_ path: String) throws(FileError) -> Bool {
    if try inspect("mkdir", path, { $0.disk.folders.contains(path) }) { return false }
    return try change("mkdir", path) { state -> Swift.Result<Bool, Code> in
      state.isFull ? .failure(Code(ENOSPC)) : .success(state.disk.makeFolder(path))
    }
  }

  func names(in path: String) throws(FileError) -> [String] {
    try inspect("opendir", path) { $0.disk.names(in: path) }
  }

  func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String] { [] }

  func stamp(of file: OpenFile) throws(FileError) -> FileStamp {
    try inspect("stat", file.path) { state -> FileStamp? in
      guard let number = state.open[file.descriptor] else { return nil }
      let content = state.disk[number]
      return FileStamp(
        inode: UInt64(number), bytes: content.bytes.count, changedNanoseconds: content.changes)
    }
  }

  func holdLock(of path: String) throws(FileError) -> (any HeldLock)? {
    let process = Executor.shared.process
    let isFree = try change("lock", path) { state -> Swift.Result<Bool, Code> in
      if state.locks[path] != nil { return .success(false) }
      state.locks[path] = process
      return .success(true)
    }
    guard isFree else { throw .held(by: "another process", path: path) }
    return SimulatedLock(path: path, process: process, disk: self)
  }

  private final class SimulatedLock: HeldLock {
    var isLost: Bool { false }
    func whenLost(_ body: @escaping @Sendable () -> Void) {}
    let path: String
    let process: ProcessNumber
    let disk: SimulatedDisk

    init(path: String, process: ProcessNumber, disk: SimulatedDisk) {
      self.path = path
      self.process = process
      self.disk = disk
    }

    deinit {
      disk.state.withLock { [path, process] state in
        if state.locks[path] == process { state.locks[path] = nil }
      }
    }
  }
}
