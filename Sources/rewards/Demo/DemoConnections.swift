import Foundations
import HTTP
import Sandbox

/// The connections of a demo on its one thread: real ones, over which requests leave together and answers arrive together.
///
/// A request leaves when nothing else of the process is ready, with all that wait then. When the last of them is answered, all go on in
/// the order in which they were asked: which answer was first on the wire changes nothing. No simulated time passes meanwhile.
struct DemoConnections: HTTPSending {
  let http: HTTPClient
  let clock: VirtualClock
  let thread: DemoThread

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    clock.beginWork()
    defer { clock.endWork() }
    let number = await thread.departure()
    let result: Result<HTTPResponse, HTTPFailure>
    do throws(HTTPFailure) { result = .success(try await http.send(request)) } catch {
      result = .failure(error)
    }
    await thread.arrival(of: number)
    return try result.get()
  }

  func close() { http.close() }
}
