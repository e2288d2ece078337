import Foundation
import HTTPServer
import Operations
import Sandbox

/// The simulated API in a process of its own.
enum APIHelper {
  /// Writes the base URL and serves until the input ends.
  static func serve(users: Int) async throws {
    let world = PollingWorld(users: users)
    let api = SimulatedAPI(life: world.life, clock: FixedClock(at: PollingWorld.moment))
    let server = try api.start()
    FileHandle.standardOutput.write(Data("\(SimulatedAPI.baseURL(of: server))\n".utf8))
    while readLine() != nil {}
    await server.stop()
  }
}
