package import Foundations
import Glibc

/// Files with a fault at the n-th call that changes something, and a record of all such calls.
package struct FaultyFileSystem: FileSystem {
  /// What happens at the call.
  package enum Fault: Equatable {
    case error(Int32)
    /// A write takes half of its bytes; other calls are let through.
    case shortWrite
    /// The process dies: half of a write is done, then nothing any more.
    case kill
  }

  package struct Plan {
    var fault: Fault
    var atCall: Int
    var fromThenOn: Bool

    package init(fault: Fault, atCall: Int, fromThenOn: Bool = false) {
      (self.fault, self.atCall, self.fromThenOn) = (fault, atCall, fromThenOn)
    }
  }

  package struct Call: Equatable {
    package let operation: String
    package let path: String
    package let failed: Bool

    package init(operation: String, path: String, failed: Bool) {
      (self.operation, self.path, self.failed) = (operation, path, failed)
    }
  }

  private struct State {
    var plan: Plan?
    var calls: [Call] = []
    var isDead = false
    var poisoned: Set<Int32> = []
    var usesOfPoisoned = 0
  }

  private let real: any FileSystem
  private let state: Lock<State>

  /// The files of `real` with a fault.
  package init(_ plan: Plan? = nil, of real: any FileSystem = PosixFileSystem()) {
    self.real = real
    state = Lock(State(plan: plan))
  }

  /// The calls so far, in order.
  package var calls: [Call] { state.withLock { $0.calls } }
  /// The syncs so far with what they were of, in order.
  package var syncs: [String] {
    calls.filter { $0.operation.hasPrefix("sync") }.map { "\($0.operation) \($0.path)" }
  }
  /// How often a handle was used again on which a write or sync had failed.
  package var usesOfPoisoned: Int { state.withLock { $0.usesOfPoisoned } }
  /// Whether the plan's call was reached.
  package var wasReached: Bool {
    state.withLock { state in state.plan.map { state.calls.count >= $0.atCall } ?? false }
  }
  /// From now on this fails.
  package func fail(_ plan: Plan) { state.withLock { $0.plan = plan } }
  /// From now on nothing fails.
  package func heal() { state.withLock { $0.plan = nil } }

  private func step(_ operation: String, _ path: String, _ file: OpenFile? = nil)
    throws(FileError) -> Fault?
  {
    let (fault, isDead) = state.withLock { state -> (Fault?, Bool) in
      if state.isDead { return (nil, true) }
      if let file, state.poisoned.contains(file.descriptor) { state.usesOfPoisoned += 1 }
      let number = state.calls.count + 1
      var fault: Fault?
      if let plan = state.plan, number == plan.atCall || (plan.fromThenOn && number > plan.atCall) {
        fault = plan.fault
      }
      if case .error(let code) = fault, let file, code != EINTR || operation != "write" {
        state.poisoned.insert(file.descriptor)
      }
      if fault == .kill { state.isDead = true }
      let failed = fault != nil && fault != .shortWrite
      state.calls.append(Call(operation: operation, path: path, failed: failed))
      return (fault, false)
    }
    if isDead { throw FileError(operation: operation, path: path, code: EIO) }
    if case .error(let code) = fault {
      throw FileError(operation: operation, path: path, code: code)
    }
    if fault == .kill, operation != "write" {
      throw FileError(operation: operation, path: path, code: EIO)
    }
    return fault
  }

  package func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile {
    if purpose != .read, purpose != .receive { _ = try step("open", path) }
    let file = try real.open(path, for: purpose)
    state.withLock { _ = $0.poisoned.remove(file.descriptor) }
    return file
  }

  package func close(_ file: OpenFile) {
    state.withLock { _ = $0.poisoned.remove(file.descriptor) }
    real.close(file)
  }

  package func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int {
    let fault = try step("write", file.path, file)
    guard fault == .shortWrite || fault == .kill else { return try real.write(bytes, to: file) }
    let half = UnsafeRawBufferPointer(rebasing: bytes.prefix(max(1, bytes.count / 2)))
    let count = try real.write(half, to: file)
    if fault == .kill { throw FileError(operation: "write", path: file.path, code: EIO) }
    return count
  }

  package func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    try real.read(file, into: buffer, at: offset)
  }

  package func size(of file: OpenFile) throws(FileError) -> Int { try real.size(of: file) }

  package func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    _ = try step("truncate", file.path, file)
    try real.truncate(file, to: size)
  }

  package func sync(_ file: OpenFile) throws(FileError) {
    _ = try step("sync", file.path, file)
    try real.sync(file)
  }

  package func syncFolder(_ path: String) throws(FileError) {
    _ = try step("syncFolder", path)
    try real.syncFolder(path)
  }

  package func rename(_ path: String, to newPath: String) throws(FileError) {
    _ = try step("rename", newPath)
    try real.rename(path, to: newPath)
  }

  package func remove(_ path: String) throws(FileError) {
    _ = try step("remove", path)
    try real.remove(path)
  }

  package func removeFolder(_ path: String) throws(FileError) {
    _ = try step("removeFolder", path)
    try real.removeFolder(path)
  }

  package func makeFolder(_ path: String) throws(FileError) -> Bool {
    _ = try step("makeFolder", path)
    return try real.makeFolder(path)
  }

  package func names(in path: String) throws(FileError) -> [String] { try real.names(in: path) }

  package func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String] {
    _ = try step("moveUnnameable", target)
    return try real.moveUnnameable(from: path, to: target)
  }

  package func stamp(of file: OpenFile) throws(FileError) -> FileStamp { try real.stamp(of: file) }

  package func isInPlace(_ file: OpenFile) -> Bool { real.isInPlace(file) }

  package func readInput(
    _ path: String, limitBytes: Int, isSecret: Bool
  ) throws(ReadError) -> [UInt8] {
    try real.readInput(path, limitBytes: limitBytes, isSecret: isSecret)
  }

  package func replaceInput(
    _ path: String, _ old: [UInt8], by bytes: [UInt8]
  ) throws(ReadError) {
    do throws(FileError) { _ = try step("replaceInput", path) } catch {
      throw ReadError(path: path, code: error.code)
    }
    try real.replaceInput(path, old, by: bytes)
  }

  package func holdLock(of path: String) throws(FileError) -> (any HeldLock)? {
    try real.holdLock(of: path)
  }
}
