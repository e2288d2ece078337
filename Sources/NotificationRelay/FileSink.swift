public import Files
internal import Glibc
import Threading

/// The embedded sink: one event per line, appended to a file and synced, in the order of the ledger.
public struct FileSink: Sink {
  private let path: String
  private let fileSystem: any FileSystem
  private let thread = BlockingThread(named: "rewards.file-sink")
  /// Whether the file's name is known to be on the disk.
  private let isNameKept = Lock(false)

  /// A sink that appends to `path`; its folder must exist by the time something is delivered.
  public init(path: String, fileSystem: any FileSystem) {
    self.path = path
    self.fileSystem = fileSystem
  }

  /// Throws ``FileError`` where a file is there that holds no events: nothing is written into what belongs to somebody else.
  public func requireOwn() throws {
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
    // Of a file that a loss of power has left without its bytes nothing is known.
    if start.first == 0 || Self.beginning.starts(with: start) { return }
    throw FileError.oddity("append events to a file that holds none", path: path)
  }

  /// One lane, many events at a time.
  public var manners: SinkManners {
    var manners = SinkManners()
    manners.isOneLane = true
    manners.shipmentsAtOnce = 1
    manners.eventsPerShipment = 2_048
    return manners
  }

  /// Appends all of the events, or in effect none: what a failure leaves of them is cut off before the next are appended, and
  /// whole lines come again with the same ids.
  public func deliver(_ events: [CloudEvent]) async -> [DeliveryOutcome] {
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
    // Somebody may have taken the file away: then this one is new, and so is its name.
    let isNew = try fileSystem.size(of: file) == 0
    if !isNameKept.withLock({ $0 }) { try cutUnwritten(file) }
    try fileSystem.cutTornLine(file)
    try fileSystem.writeAll(bytes, to: file)
    try fileSystem.sync(file)
    if isNew || !isNameKept.withLock({ $0 }) { try keepName() }
  }

  /// Brings the file's name to the disk: without it a loss of power takes all events that were delivered.
  private func keepName() throws {
    do throws(FileError) {
      try fileSystem.syncFolder(FolderPath.parent(of: path))
    } catch {
      // Who may write to the folder and not read it cannot do more.
      guard error.code == EACCES else { throw error }
    }
    isNameKept.withLock { $0 = true }
  }

  /// Takes away what a loss of power left without its bytes: pages of zeros, and whatever stands behind them. None of it was
  /// synced, so its events are sent again. Only what was delivered last can be so.
  private func cutUnwritten(_ file: OpenFile) throws {
    let size = try fileSystem.size(of: file)
    let start = max(0, size - Self.shipmentBytes)
    let tail = try fileSystem.bytes(of: file, in: start..<size)
    guard let zero = tail.firstIndex(of: 0) else { return }
    let end = tail[..<zero].lastIndex(of: 0x0A).map { start + $0 + 1 } ?? start
    try fileSystem.truncate(file, to: end)
  }

  /// What each event begins with.
  private static let beginning = Array("{\"specversion\":".utf8)
  /// More bytes than the events of one shipment have.
  private static let shipmentBytes = 8 << 20
}
