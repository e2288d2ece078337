import Foundation
import LedgerDatabase
import PostgreSQL

/// A PostgreSQL server of its own, started from the root of the project.
final class DatabaseServer {
  private static let script = "Tests/Postgres/server.sh"

  /// How a connection is made to its database.
  let address: String
  let pool: DatabasePool
  private let folder: TemporaryFolder
  private let process: PeerProcess

  /// A server whose users are divided among so many shards; nil where there is none to start.
  init?(shards: Int) throws {
    guard FileManager.default.isExecutableFile(atPath: Self.script), PeerProcess.exists("psql")
    else { return nil }
    folder = try TemporaryFolder()
    // The server's account must reach its socket.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    process = try PeerProcess(Self.script, [folder.path])
    _ = try process.readLine()
    address = "postgres://rewards@\(folder.path.replacing("/", with: "%2F"))/postgres"
    pool = DatabasePool(try DatabaseAddress(address))
    _ = try DatabaseSchema(pool).migrate(shards: Int64(shards))
  }

  /// A folder on the disk that the server writes to.
  var path: String { folder.path }

  /// Ends the server.
  func stop() { process.wait() }

  /// How long work takes, and how much of the server's processor time.
  func measuring(_ work: () throws -> Void) throws -> (wall: Double, server: Double) {
    let before = processorSeconds
    let watch = Stopwatch()
    try work()
    return (watch.elapsed.wall, processorSeconds - before)
  }

  /// Of the postmaster and of all whom it started, also those that have ended: proc(5), in ticks of 10 ms.
  private var processorSeconds: Double {
    let pidFile = try? String(
      contentsOfFile: "\(folder.path)/server/postmaster.pid", encoding: .utf8)
    guard let postmaster = pidFile?.split(separator: "\n").first.map(String.init) else { return 0 }
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    var ticks = 0
    for process in processes where process.allSatisfy(\.isNumber) {
      guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let name = status.lastIndex(of: ")")
      else { continue }
      let fields = status[status.index(after: name)...].split(separator: " ")
      guard fields.count > 14, process == postmaster || fields[1] == postmaster else { continue }
      // The time of those that have ended stands in the postmaster's own fields, as in those of no other.
      let times = process == postmaster ? fields[11...14] : fields[11...12]
      ticks += times.reduce(0) { $0 + (Int($1) ?? 0) }
    }
    return Double(ticks) / 100
  }
}
