import Foundations
import HTTPClient
import Sandbox

/// The connections of a demo on its one thread: real ones, over which requests leave together and answers arrive together.
///
/// Waiting requests leave together once nothing else in the process is ready. When the last of them is answered, all continue in the order
/// in which they were made, whichever answer arrived first. No simulated time passes meanwhile.
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
