import Foundation
import LedgerDatabase

/// A private PostgreSQL server, started from the root of the project.
final class DatabaseServer {
  private static let script = "Tests/Postgres/server.sh"

  /// The address of its database.
  let address: String
  let pool: DatabasePool
  private let folder: TemporaryFolder
  private let process: PeerProcess

  /// Starts a server with users divided among `shards`; nil if no server is installed.
  init?(shards: Int) throws {
    guard FileManager.default.isExecutableFile(atPath: Self.script), PeerProcess.exists("psql")
    else { return nil }
    folder = try TemporaryFolder()
    // The server's account needs access to its socket.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    process = try PeerProcess(Self.script, [folder.path])
    _ = try process.readLine()
    address = "postgres://rewards@\(folder.path.replacing("/", with: "%2F"))/postgres"
    pool = DatabasePool(try DatabaseAddress(address))
    _ = try DatabaseSchema(pool).migrate(shards: Int64(shards))
  }

  /// The server's folder on disk.
  var path: String { folder.path }

  /// Stops the server.
  func stop() { process.wait() }

  /// Returns how long the work takes, and how much of the server's processor time.
  func measuring(_ work: () throws -> Void) throws -> (wall: Double, server: Double) {
    let before = processorSeconds
    let watch = Stopwatch()
    try work()
    return (watch.elapsed.wall, processorSeconds - before)
  }

  /// The processor time of the postmaster and all its children, including those that have ended: proc(5), in ticks of 10 ms.
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
      // Only the postmaster's own fields include the time of children that have ended.
      let times = process == postmaster ? fields[11...14] : fields[11...12]
      ticks += times.reduce(0) { $0 + (Int($1) ?? 0) }
    }
    return Double(ticks) / 100
  }
}
