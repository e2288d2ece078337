public import CivilTime
public import Files
public import Scheduling
import StrictJSON
import Threading

/// The inbox on disk: other programs put files of JSON lines into `incoming/` under a final name.
///
/// A file whose lines are all in the ledger goes to `done/`; lines that were not accepted stand in `rejected/` with the
/// reason. Names that begin with a dot or end in `.tmp` are files still being written, and are left alone.
public struct InboxFolder: Sendable {
  /// A file of the inbox, read and parsed.
  public struct Delivery: Sendable {
    /// The file's name within `incoming/`.
    public let name: String
    /// The good lines.
    public let lines: [InboxLine]
    /// The bad ones.
    public let rejected: [RejectedLine]
    /// The lines as they came, for the rejected file: line N at index N-1.
    let text: [[UInt8]]
  }

  /// A file beyond this is not read: it must be handed in in pieces.
  public static let fileLimitBytes = 256 << 20

  /// Why a file was not read.
  public struct TooLarge: Error, Sendable, CustomStringConvertible {
    /// The cause and the remedy.
    public var description: String {
      "it is larger than \(InboxFolder.fileLimitBytes >> 20) MiB; divide it"
    }
  }

  private let directory: DataDirectory
  private let parser: InboxParser
  private let fileSystem: any FileSystem
  private let thread = BlockingThread(named: "rewards.inbox")

  /// The inbox of a data directory; instants without an offset are read in `naiveZone`.
  public init(
    _ directory: DataDirectory, naiveZone: Zone, fileSystem: any FileSystem = PosixFileSystem()
  ) {
    self.directory = directory
    parser = InboxParser(naiveZone: naiveZone)
    self.fileSystem = fileSystem
  }

  /// The names of the files that wait, oldest name first.
  public func waiting() async throws -> [String] {
    try await thread.run {
      try fileSystem.names(in: directory.incoming)
        .filter { !$0.hasPrefix(".") && !$0.hasSuffix(".tmp") }.sorted()
    }
  }

  /// Reads one waiting file.
  public func read(_ name: String) async throws -> Delivery {
    try await thread.run {
      let path = "\(directory.incoming)/\(name)"
      let size = try fileSystem.reading(path) { try fileSystem.size(of: $0) }
      if size > Self.fileLimitBytes { throw TooLarge() }
      return parse(name, try fileSystem.readWhole(path))
    }
  }

  /// Reads text that did not come as a file.
  public func parse(_ name: String, _ text: [UInt8]) -> Delivery {
    var lines: [InboxLine] = []
    var rejected: [RejectedLine] = []
    let pieces = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map(Array.init)
    for (index, piece) in pieces.enumerated() {
      if piece.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
      piece.withUnsafeBufferPointer { buffer in
        do throws(InboxParser.Problem) {
          lines.append(InboxLine(number: index + 1, entry: try parser.parse(buffer)))
        } catch {
          rejected.append(RejectedLine(number: index + 1, reason: error.reason))
        }
      }
    }
    return Delivery(name: name, lines: lines, rejected: rejected, text: pieces)
  }

  /// Puts a file away once its good lines are in the ledger: writes its rejected lines, then moves it to `done/`.
  ///
  /// Interrupted between the two, it is read again: its lines add nothing, its rejected file is written again.
  public func putAway(_ delivery: Delivery, rejected: [RejectedLine]) async throws {
    try await thread.run {
      try writeRejected(rejected, of: delivery)
      try fileSystem.rename(
        "\(directory.incoming)/\(delivery.name)", to: "\(directory.done)/\(delivery.name)")
      try fileSystem.syncFolder(directory.done)
      try fileSystem.syncFolder(directory.incoming)
    }
  }

  /// Writes the rejected lines of text that did not come as a file.
  public func keepRejected(_ rejected: [RejectedLine], of delivery: Delivery) async throws {
    try await thread.run { try writeRejected(rejected, of: delivery) }
  }

  /// Puts text into `incoming/` for whoever reads the inbox, durably, under `name`.
  public func handOver(_ text: [UInt8], as name: String) async throws {
    try await thread.run {
      try fileSystem.createDurably(
        "\(directory.incoming)/\(name)", in: directory.incoming, [text])
    }
  }

  private func writeRejected(_ rejected: [RejectedLine], of delivery: Delivery) throws {
    guard !rejected.isEmpty else { return }
    var writer = JSONWriter()
    for line in rejected.sorted(by: { $0.number < $1.number }) {
      writer.beginObject()
      writer.member("line", line.number)
      writer.member("reason", line.reason)
      let text =
        delivery.text.indices.contains(line.number - 1) ? delivery.text[line.number - 1] : []
      writer.member(
        "text", String(decoding: text.prefix(InboxParser.lineLimitBytes), as: UTF8.self))
      writer.endObject()
      writer.endLine()
    }
    try fileSystem.createDurably(
      "\(directory.rejected)/\(delivery.name)", in: directory.rejected, [writer.bytes])
  }
}
