package import Foundations
internal import Glibc

/// The files of ledgers in a database, one data folder per shard: `postgres://HOST/DATABASE/SHARD/…`.
///
/// The files in `ledger/` are the shard's chain; all other files are rows. Folders exist only as names. Bytes written to a chain
/// stay in memory until ``sync(_:)``, and count only then; bytes written to any other file are stored at once. Blocks; safe from
/// any thread.
package final class DatabaseFiles: FileSystem {
  private let pool: DatabasePool
  private let worker: String
  private let time: WorkerTime
  /// The time by the database's clock, updated by each renewal of a lease.
  package let clock: DatabaseTime
  private let shards = Lock<[Int64: Shard]>([:])
  private let handles = Lock(Handles())
  /// Whether the tables are known to have a version that this program supports.
  private let isSchemaKnown = Lock(false)

  /// Creates files on a pool of connections; `worker` is this process's name in the database, shown to others.
  package init(
    _ pool: DatabasePool, worker: String, time: WorkerTime
  ) {
    (self.pool, self.worker, self.time) = (pool, worker, time)
    clock = DatabaseTime(time)
  }

  /// The beginning of all paths of these files; each shard's folder adds only its number.
  package var root: String { pool.address.name }

  /// Returns the data folder of a shard.
  package func folder(ofShard shard: Int64) -> String { "\(root)/\(shard)" }

  private struct Shard: Sendable {
    let writer: ShardWriter
    let chain: ShardChain
    var folder: ShardFolder { ShardFolder(writer: writer) }
  }

  /// An open file.
  private final class Handle: Sendable {
    enum Content: Sendable {
      case segment(UInt64)
      case file(Int64)
    }

    struct State: Sendable {
      /// How many bytes the database has.
      var size: Int
      /// Bytes that were written but are not in the database yet.
      var unsent: [UInt8] = []
      /// How many of the database's bytes have been written again so far; nil if the file is not being rewritten.
      var repeated: Int?
      /// The bytes read last, and their offset.
      var known: (start: Int, bytes: ArraySlice<UInt8>) = (0, [])
    }

    let place: Place
    let content: Content
    let state: Lock<State>

    init(_ place: Place, _ content: Content, size: Int, repeated: Int? = nil) {
      (self.place, self.content) = (place, content)
      state = Lock(State(size: size, repeated: repeated))
    }
  }

  private struct Handles: Sendable {
    var open: [Int32: Handle] = [:]
    // Above the system's descriptors, so that both kinds can share a table.
    private static let first: Int32 = 1 << 30
    private var last = first

    /// Returns a number that no open file has: over its life, a service may open more files than there are numbers.
    mutating func add(_ handle: Handle) -> Int32 {
      repeat { last = last == .max ? Self.first : last + 1 } while open[last] != nil
      open[last] = handle
      return last
    }
  }

  /// The parts of a path.
  private struct Place: Sendable {
    let path: String
    let shard: Shard
    /// The name within the shard's folder; empty for the folder itself.
    let name: String

    /// The chain's segment of that name, if any.
    var segment: UInt64? {
      guard name.hasPrefix("ledger/"), name.hasSuffix(".jsonl") else { return nil }
      return UInt64(name.dropFirst(7).dropLast(6))
    }
  }

  private func place(_ path: String) throws(FileError) -> Place {
    let parts = path.dropFirst(root.count).split(separator: "/", maxSplits: 1)
    guard path.hasPrefix(root + "/"), let first = parts.first, let number = Int64(first) else {
      throw FileError(operation: "find the shard", path: path, code: ENOENT)
    }
    if !isSchemaKnown.withLock({ $0 }) { try requireSchema(path) }
    let shard = shards.withLock { shards in
      if let known = shards[number] { return known }
      let writer = ShardWriter(
        shard: number, pool: pool, worker: worker, time: time, clock: clock)
      let shard = Shard(writer: writer, chain: ShardChain(writer, time: time))
      shards[number] = shard
      return shard
    }
    return Place(path: path, shard: shard, name: parts.count > 1 ? String(parts[1]) : "")
  }

  private func requireSchema(_ path: String) throws(FileError) {
    do throws(DatabaseError) {
      try DatabaseSchema(pool).require()
    } catch {
      throw FileError(error, "begin", path: path)
    }
    isSchemaKnown.withLock { $0 = true }
  }

  private func handle(_ file: OpenFile) throws(FileError) -> Handle {
    guard let handle = handles.withLock({ $0.open[file.descriptor] }) else {
      throw FileError(operation: "use a closed file", path: file.path, code: EBADF)
    }
    return handle
  }

  /// Opens a file; opens a chain for writing only under the lease.
  package func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile {
    let place = try place(path)
    let handle =
      if let segment = place.segment {
        try open(segment, at: place, for: purpose)
      } else {
        try openFile(place, for: purpose)
      }
    return OpenFile(descriptor: handles.withLock { $0.add(handle) }, path: path)
  }

  private func open(
    _ segment: UInt64, at place: Place, for purpose: FilePurpose
  ) throws(FileError) -> Handle {
    let chain = place.shard.chain
    let mayBegin = purpose == .append || purpose == .replace
    if mayBegin {
      guard place.shard.writer.leaseState != .out else { throw .leaseMissing(path: place.path) }
      try chain.settle(place.path)
    }
    guard let size = try chain.size(of: segment, place.path) ?? (mayBegin ? 0 : nil) else {
      throw FileError(operation: "open", path: place.path, code: ENOENT)
    }
    // A chain is never rewritten: the same bytes must be written again.
    return Handle(place, .segment(segment), size: size, repeated: purpose == .replace ? 0 : nil)
  }

  private func openFile(_ place: Place, for purpose: FilePurpose) throws(FileError) -> Handle {
    let folder = place.shard.folder
    if purpose != .replace, let known = try folder.file(place.name, place.path) {
      return Handle(place, .file(known.number), size: known.size)
    }
    if purpose == .read || purpose == .receive {
      throw FileError(operation: "open", path: place.path, code: ENOENT)
    }
    return Handle(place, .file(try folder.make(place.name, place.path)), size: 0)
  }

  /// Closes a file; bytes written to a chain but not synced are lost.
  package func close(_ file: OpenFile) {
    handles.withLock { _ = $0.open.removeValue(forKey: file.descriptor) }
  }

  /// Accepts all of the bytes, at the file's end.
  package func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int {
    let handle = try handle(file)
    let (size, repeated) = handle.state.withLock { ($0.size, $0.repeated) }
    if let repeated, repeated < size {
      return try compare(bytes.prefix(size - repeated), with: file, at: repeated)
    }
    let unsent = handle.state.withLock { state in
      state.unsent += bytes
      return state.unsent.count
    }
    // A file's bytes survive the end of the process, as on a local disk; a chain's do only in whole batches.
    switch handle.content {
    case .segment: if unsent >= Self.unsentBytes { _ = try send(handle) }
    case .file: _ = try send(handle)
    }
    return bytes.count
  }

  /// Roughly the most of a chain that memory holds.
  private static let unsentBytes = 4 << 20

  /// Accepts bytes that the chain already has; throws if they differ.
  private func compare(
    _ bytes: Slice<UnsafeRawBufferPointer>, with file: OpenFile, at offset: Int
  ) throws(FileError) -> Int {
    guard try self.bytes(of: file, in: offset..<offset + bytes.count).elementsEqual(bytes) else {
      throw FileError(operation: "overwrite a chain", path: file.path, code: EEXIST)
    }
    try handle(file).state.withLock { $0.repeated = offset + bytes.count }
    return bytes.count
  }

  /// Commits the bytes written to a chain to the database, in one transaction; throws unless they end with a seal.
  package func sync(_ file: OpenFile) throws(FileError) {
    guard try send(handle(file)) == 0 else {
      throw FileError(operation: "sync lines without a seal", path: file.path, code: EINVAL)
    }
  }

  /// Sends the written bytes to the database (only whole batches, for a chain) and returns how many remain.
  private func send(_ handle: Handle) throws(FileError) -> Int {
    var (bytes, start) = handle.state.withLock { ($0.unsent, $0.size) }
    let place = handle.place
    switch handle.content {
    case .segment(let segment):
      bytes.removeLast(bytes.count - SealedPrefix.count(of: bytes))
      if bytes.isEmpty { break }
      try place.shard.chain.append(bytes, to: segment, at: start, path: place.path)
    case .file(let file):
      if bytes.isEmpty { break }
      try place.shard.folder.append(bytes, to: file, at: start, place.name, place.path)
    }
    return handle.state.withLock { state in
      state.size += bytes.count
      state.repeated = state.repeated.map { _ in state.size }
      state.unsent.removeFirst(bytes.count)
      return state.unsent.count
    }
  }

  /// Reads committed bytes.
  package func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    let handle = try handle(file)
    if let count = handle.state.withLock({ Self.copy($0.known, at: offset, into: buffer) }) {
      return count
    }
    let (place, count) = (handle.place, max(buffer.count, Self.readBytes))
    let bytes =
      switch handle.content {
      case .segment(let segment):
        try place.shard.chain.read(segment, at: offset, count: count, place.path)
      case .file(let file):
        try place.shard.folder.read(file, at: offset, count: count, place.path)
      }
    if bytes.isEmpty, offset < handle.state.withLock({ $0.size }) {
      throw FileError(
        operation: "read a file that was replaced meanwhile", path: file.path, code: ENOENT)
    }
    handle.state.withLock { $0.known = (offset, bytes) }
    return Self.copy((offset, bytes), at: offset, into: buffer) ?? 0
  }

  /// The minimum to request: a short read is mostly followed by another.
  private static let readBytes = 64 << 10

  /// Copies the cached bytes from `offset` on; nil if there are none.
  private static func copy(
    _ known: (start: Int, bytes: ArraySlice<UInt8>), at offset: Int,
    into buffer: UnsafeMutableRawBufferPointer
  ) -> Int? {
    let skipped = offset - known.start
    guard skipped >= 0, skipped < known.bytes.count else { return nil }
    let wanted = known.bytes.dropFirst(skipped).prefix(buffer.count)
    buffer.copyBytes(from: wanted)
    return wanted.count
  }

  /// Returns the length, including what was written to this handle.
  package func size(of file: OpenFile) throws(FileError) -> Int {
    let handle = try handle(file)
    let place = handle.place
    let (known, unsent) = handle.state.withLock { ($0.size, $0.unsent.count) }
    switch handle.content {
    case .segment(let segment):
      return (try place.shard.chain.size(of: segment, place.path) ?? 0) + unsent
    case .file(let file):
      let size = try place.shard.folder.size(of: file, place.path)
      if size < known {
        throw FileError(
          operation: "read a file that was replaced meanwhile", path: place.path, code: ENOENT)
      }
      return size + unsent
    }
  }

  /// Truncates a file, but never a chain.
  package func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    let handle = try handle(file)
    handle.state.withLock { $0.unsent = [] }
    switch handle.content {
    case .segment:
      // Committed bytes were sealed and stay: a caller that thinks them lost must start anew.
      if try self.size(of: file) > size {
        throw FileError(operation: "truncate committed bytes", path: file.path, code: ESTALE)
      }
    case .file(let number):
      let place = handle.place
      try place.shard.folder.truncate(number, to: size, place.name, place.path)
      handle.state.withLock { $0.size = min($0.size, size) }
    }
    // The database counts, not this handle: a write whose answer was lost may have arrived.
    let rest = try self.size(of: file)
    handle.state.withLock { state in
      state.size = rest
      state.known = (0, [])
    }
  }

  /// Does nothing: names are committed with their content.
  package func syncFolder(_ path: String) throws(FileError) {}

  /// Renames a file, or each file of a folder.
  package func rename(_ path: String, to newPath: String) throws(FileError) {
    let (old, new) = (try place(path), try place(newPath))
    guard new.segment == nil else {
      throw FileError(operation: "rename into a chain", path: newPath, code: EXDEV)
    }
    try old.shard.folder.rename(old.name, to: new.name, newPath)
  }

  /// Removes a file; never a part of a chain.
  package func remove(_ path: String) throws(FileError) {
    let place = try place(path)
    guard place.segment == nil else {
      throw FileError(
        operation: "remove part of a chain", path: path, code: FileError.permanent)
    }
    try place.shard.folder.remove(place.name, path)
  }

  /// Does nothing: folders exist only as names.
  package func removeFolder(_ path: String) throws(FileError) {}

  /// Does nothing and returns false: folders exist only as names.
  package func makeFolder(_ path: String) throws(FileError) -> Bool { false }

  /// Returns the names in a folder; none if it is empty.
  package func names(in path: String) throws(FileError) -> [String] {
    let place = try place(path)
    let prefix = place.name.isEmpty ? "" : place.name + "/"
    var names = Set(
      try place.shard.folder.names(under: prefix, path).compactMap { name in
        name.split(separator: "/").first.map(String.init)
      })
    if place.name == "ledger" {
      for segment in try place.shard.chain.segments(path) {
        let digits = String(segment)
        names.insert(String(repeating: "0", count: max(0, 20 - digits.count)) + digits + ".jsonl")
      }
    }
    return Array(names)
  }

  /// Returns none: every name is UTF-8.
  package func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String] {
    []
  }

  /// Returns a stamp that is never the same twice, because a database does not show whether a row was changed by hand.
  package func stamp(of file: OpenFile) throws(FileError) -> FileStamp {
    FileStamp(
      inode: .random(in: .min ... .max), bytes: try size(of: file), changedNanoseconds: 0)
  }

  /// Takes the lease on the shard whose folder contains the path; see ``Foundations/FileSystem/holdLock(of:)``.
  package func holdLock(of path: String) throws(FileError) -> (any HeldLock)? {
    let shard = try place(path).shard
    let lock = try ShardLock(shard.writer, path: path, time: time)
    shard.chain.reset()
    return lock
  }
}
