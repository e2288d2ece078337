public import Files
internal import Glibc
public import PostgreSQL
internal import Threading

/// The files of ledgers that lie in a database, one data folder per shard: `postgres://HOST/DATABASE/SHARD/…`.
///
/// What stands in `ledger/` is the shard's chain; everything else is a file of rows. Folders are names only. What is written
/// to a chain is kept here until its ``sync(_:)``, and nothing of it counts before; what is written to a file is there at once.
/// Blocks; safe from any thread.
public final class DatabaseFiles: FileSystem {
  private let pool: DatabasePool
  private let worker: String
  private let time: WorkerTime
  /// What time it is by the database, as each renewal of a lease tells.
  public let clock: DatabaseTime
  private let shards = Lock<[Int64: Shard]>([:])
  private let handles = Lock(Handles())
  /// Whether the tables are known to be of a version that this program reads.
  private let isSchemaKnown = Lock(false)

  /// The files behind a pool of connections; `worker` is what the database calls this process, and others are told.
  public init(
    _ pool: DatabasePool, worker: String, time: WorkerTime
  ) {
    (self.pool, self.worker, self.time) = (pool, worker, time)
    clock = DatabaseTime(time)
  }

  /// What all paths of these files begin with, and what the path of each shard's folder consists of but for its number.
  public var root: String { pool.address.name }

  /// The data folder of a shard.
  public func folder(ofShard shard: Int64) -> String { "\(root)/\(shard)" }

  private struct Shard: Sendable {
    let writer: ShardWriter
    let chain: ShardChain
    var folder: ShardFolder { ShardFolder(writer: writer) }
  }

  /// A file that is open.
  private final class Handle: Sendable {
    enum Content: Sendable {
      case segment(UInt64)
      case file(Int64)
    }

    struct State: Sendable {
      /// What is in the database.
      var size: Int
      /// What was written and is not in the database yet.
      var unsent: [UInt8] = []
      /// How much of what is in the database was written once more so far; nil when that is not done.
      var repeated: Int?
      /// What was read last, and where it began.
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
    // Beyond what the system numbers: in one table with its files these are told apart.
    private static let first: Int32 = 1 << 30
    private var last = first

    /// A number that no open file has: a service may open more files in its life than there are.
    mutating func add(_ handle: Handle) -> Int32 {
      repeat { last = last == .max ? Self.first : last + 1 } while open[last] != nil
      open[last] = handle
      return last
    }
  }

  /// A path taken apart.
  private struct Place: Sendable {
    let path: String
    let shard: Shard
    /// The name within the shard's folder, empty for that itself.
    let name: String

    /// The segment of the chain that has the name, if any.
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

  /// Opens a file; a chain for writing only under the lease.
  public func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile {
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
      guard place.shard.writer.standing != .out else { throw .leaseMissing(path: place.path) }
      try chain.settle(place.path)
    }
    guard let size = try chain.size(of: segment, place.path) ?? (mayBegin ? 0 : nil) else {
      throw FileError(operation: "open", path: place.path, code: ENOENT)
    }
    // A chain is never written anew: what stands there must come again.
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

  /// Forgets an open file; what of a chain was not synced is lost.
  public func close(_ file: OpenFile) {
    handles.withLock { _ = $0.open.removeValue(forKey: file.descriptor) }
  }

  /// Takes bytes in at a file's end; all of them.
  public func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int {
    let handle = try handle(file)
    let (size, repeated) = handle.state.withLock { ($0.size, $0.repeated) }
    if let repeated, repeated < size {
      return try compare(bytes.prefix(size - repeated), with: file, at: repeated)
    }
    let unsent = handle.state.withLock { state in
      state.unsent += bytes
      return state.unsent.count
    }
    // Of a file what was written stays when the process ends, as on a machine's disk; of a chain whole batches only.
    switch handle.content {
    case .segment: if unsent >= Self.unsentBytes { _ = try send(handle) }
    case .file: _ = try send(handle)
    }
    return bytes.count
  }

  /// About so much of a chain is kept here at most.
  private static let unsentBytes = 4 << 20

  /// Takes what stands in a chain already; throws when it is something else.
  private func compare(
    _ bytes: Slice<UnsafeRawBufferPointer>, with file: OpenFile, at offset: Int
  ) throws(FileError) -> Int {
    guard try self.bytes(of: file, in: offset..<offset + bytes.count).elementsEqual(bytes) else {
      throw FileError(operation: "write over a chain", path: file.path, code: EEXIST)
    }
    try handle(file).state.withLock { $0.repeated = offset + bytes.count }
    return bytes.count
  }

  /// Brings what was written to a chain to the database, in one transaction; throws when that does not end with a seal.
  public func sync(_ file: OpenFile) throws(FileError) {
    guard try send(handle(file)) == 0 else {
      throw FileError(operation: "sync lines without a seal", path: file.path, code: EINVAL)
    }
  }

  /// Brings what was written to the database, of a chain whole batches; returns how many bytes are left.
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

  /// Reads what is committed.
  public func read(
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
      throw FileError(operation: "read what was replaced meanwhile", path: file.path, code: ENOENT)
    }
    handle.state.withLock { $0.known = (offset, bytes) }
    return Self.copy((offset, bytes), at: offset, into: buffer) ?? 0
  }

  /// So much is asked for at least: whoever reads a little mostly reads on.
  private static let readBytes = 64 << 10

  /// Copies what is known from `offset` on; nil when that is nothing.
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

  /// The length, with what was written to this handle.
  public func size(of file: OpenFile) throws(FileError) -> Int {
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
          operation: "read what was replaced meanwhile", path: place.path, code: ENOENT)
      }
      return size + unsent
    }
  }

  /// Cuts a file off; a chain never.
  public func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    let handle = try handle(file)
    handle.state.withLock { $0.unsent = [] }
    switch handle.content {
    case .segment:
      // What is committed was sealed and stays: whoever takes it for lost has to begin anew.
      if try self.size(of: file) > size {
        throw FileError(operation: "cut off what is committed", path: file.path, code: ESTALE)
      }
    case .file(let number):
      let place = handle.place
      try place.shard.folder.truncate(number, to: size, place.name, place.path)
      handle.state.withLock { $0.size = min($0.size, size) }
    }
    // What is there now counts, not what this handle knew: a write may have come in whose answer was lost.
    let rest = try self.size(of: file)
    handle.state.withLock { state in
      state.size = rest
      state.known = (0, [])
    }
  }

  /// Nothing to be done: names are committed with what they name.
  public func syncFolder(_ path: String) throws(FileError) {}

  /// Gives a file, or each file of a folder, another name.
  public func rename(_ path: String, to newPath: String) throws(FileError) {
    let (old, new) = (try place(path), try place(newPath))
    guard new.segment == nil else {
      throw FileError(operation: "rename into a chain", path: newPath, code: EXDEV)
    }
    try old.shard.folder.rename(old.name, to: new.name, newPath)
  }

  /// Takes a file away; no part of a chain.
  public func remove(_ path: String) throws(FileError) {
    let place = try place(path)
    guard place.segment == nil else {
      throw FileError(
        operation: "remove a part of a chain", path: path, code: FileError.permanent)
    }
    try place.shard.folder.remove(place.name, path)
  }

  /// Nothing to be done: folders are names only.
  public func removeFolder(_ path: String) throws(FileError) {}

  /// Nothing to be done, and nothing was.
  public func makeFolder(_ path: String) throws(FileError) -> Bool { false }

  /// The names in a folder; none where there is nothing.
  public func names(in path: String) throws(FileError) -> [String] {
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

  /// None: every name is UTF-8.
  public func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String] {
    []
  }

  /// Never the same twice: nothing in a database tells who may have changed a row by hand.
  public func stamp(of file: OpenFile) throws(FileError) -> FileStamp {
    FileStamp(
      inode: .random(in: .min ... .max), bytes: try size(of: file), changedNanoseconds: 0)
  }

  /// Takes the lease on the shard in whose folder the path lies; see ``Files/FileSystem/holdLock(of:)``.
  public func holdLock(of path: String) throws(FileError) -> (any HeldLock)? {
    let shard = try place(path).shard
    let lock = try ShardLock(shard.writer, path: path, time: time)
    shard.chain.beginAnew()
    return lock
  }
}
