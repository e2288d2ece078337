package import Failures
package import Foundations
internal import Glibc

/// The embedded sink: appends one event per line to a file, in ledger order, and syncs it.
package struct FileSink: Sink {
  private let path: String
  private let fileSystem: any FileSystem
  private let thread = BlockingThread(named: "rewards.file-sink")
  /// Whether the file's name is known to be on disk.
  private let isNameKept = Lock(false)

  /// Creates a sink that appends to `path`, whose folder must exist by the first delivery.
  package init(path: String, fileSystem: any FileSystem) {
    self.path = path
    self.fileSystem = fileSystem
  }

  /// Throws ``FileError`` if the file exists but does not hold events: another program's file is never written to.
  package func requireOwn() throws {
    do {
      let file = try fileSystem.open(path, for: .read)
      defer { fileSystem.close(file) }
      try requireOwn(file)
    } catch let error as FileError where error.isMissing {
      return
    }
  }

  private func requireOwn(_ file: OpenFile) throws {
    let start = try fileSystem.bytes(of: file, in: 0..<Self.beginning.count)
    // A power loss has left the file without its bytes: nothing is known about it.
    if start.first == 0 || Self.beginning.starts(with: start) { return }
    throw FileError.oddity("append events to a file that holds something else", path: path)
  }

  /// Checks that the file, or its folder, can be written to.
  package func checkUp() throws(Failure) -> String {
    let target = access(path, F_OK) == 0 ? path : FolderPath.parent(of: path)
    guard access(target, W_OK) == 0 else {
      throw Failure(
        .cannotCreate, ReadError(path: target, code: errno).description,
        remedy: "create the folder, and let the service's user write to it")
    }
    return path
  }

  /// One lane, many events per shipment.
  package var options: SinkOptions {
    var options = SinkOptions()
    options.isOneLane = true
    options.shipmentsAtOnce = 1
    options.eventsPerShipment = 2_048
    return options
  }

  /// Appends all of the events or, in effect, none. The next append cuts off what a failure leaves of them, and complete lines
  /// are sent again with the same ids.
  package func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome] {
    do {
      try await thread.run {
        var lines: [UInt8] = []
        for event in events { lines += Array(event.json.utf8) + [0x0A] }
        try append(lines)
      }
      return events.map { _ in .delivered(status: nil) }
    } catch {
      return [.unavailable(reason: "\(error)")]
    }
  }

  private func append(_ bytes: [UInt8]) throws {
    let file = try fileSystem.open(path, for: .publish)
    defer { fileSystem.close(file) }
    try requireOwn(file)
    // The file may have been removed: then this one and its name are new.
    let isNew = try fileSystem.size(of: file) == 0
    if !isNameKept.withLock({ $0 }) { try cutUnwritten(file) }
    try fileSystem.cutTornLine(file)
    try fileSystem.writeAll(bytes, to: file)
    try fileSystem.sync(file)
    if isNew || !isNameKept.withLock({ $0 }) { try syncName() }
  }

  /// Syncs the file's name to disk: without it, a power loss destroys all delivered events.
  private func syncName() throws {
    do throws(FileError) {
      try fileSystem.syncFolder(FolderPath.parent(of: path))
    } catch {
      // An account that may write to the folder but not read it can do no more.
      guard error.code == EACCES else { throw error }
    }
    isNameKept.withLock { $0 = true }
  }

  /// Cuts off what a power loss left without its bytes: pages of zeros, and everything after them.
  ///
  /// None of it was synced, so its events are sent again. Only the latest delivery can be affected.
  private func cutUnwritten(_ file: OpenFile) throws {
    let size = try fileSystem.size(of: file)
    let start = max(0, size - Self.shipmentBytes)
    let tail = try fileSystem.bytes(of: file, in: start..<size)
    guard let zero = tail.firstIndex(of: 0) else { return }
    let end = tail[..<zero].lastIndex(of: 0x0A).map { start + $0 + 1 } ?? start
    try fileSystem.truncate(file, to: end)
  }

  /// The beginning of each event.
  private static let beginning = Array("{\"specversion\":".utf8)
  /// More than the events of one shipment need.
  private static let shipmentBytes = 8 << 20
}
