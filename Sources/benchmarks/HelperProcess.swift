import Foundation
import HTTPServer
import Operations
import Sandbox

/// Helper roles that this program runs in separate processes; not for people.
enum HelperProcess {
  static let serveAPI = "serve-api"
  static let night = "measure-night"
  static let shardNight = "measure-shard-night"
  static let start = "measure-start"
  static let receive = "receive-webhooks"
  static let time = "time-webhooks"

  /// Runs the helper that `arguments` name; returns false if they name none.
  static func run(_ arguments: [String]) async throws -> Bool {
    guard arguments.count == 2 else { return false }
    let argument = arguments[1]
    switch arguments[0] {
    case serveAPI: try await APIHelper.serve(users: size(argument))
    case night: print(try await NightHelper(users: size(argument)).run().line)
    case shardNight: try await NightHelper.serve(argument)
    case start: print(try await StartHelper.run(folder: argument))
    case receive: try await ReceiverHelper.run(count: size(argument))
    case time: try await ReceiverHelper.time()
    default: return false
    }
    return true
  }

  private static func size(_ text: String) throws -> Int {
    guard let size = Int(text) else { throw PeerFailure(what: "\"\(text)\" is no number") }
    return size
  }
}

/// The simulated API in a separate process.
enum APIHelper {
  /// Prints the base URL and serves until the input ends.
  static func serve(users: Int) async throws {
    let world = PollingWorld(users: users)
    let api = SimulatedAPI(life: world.life, clock: FixedClock(at: PollingWorld.moment))
    let server = try api.start()
    FileHandle.standardOutput.write(Data("\(SimulatedAPI.baseURL(of: server))\n".utf8))
    while readLine() != nil {}
    await server.stop()
  }
}
