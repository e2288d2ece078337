/// An HTTP client: libcurl's multi interface on a thread of its own.
///
/// Requests wait in a queue here, since libcurl slows down when it holds a thousand transfers; up to
/// `concurrentTransfers` run at once on connections that are kept. TLS certificates are checked, no proxy is used, no
/// redirect is followed, nothing is decompressed. Safe to call from any task. Close it to end its thread at once; it
/// closes by itself when nobody holds it.
public final class HTTPClient: HTTPSending {
  private let inbox: TransferInbox
  private let addresses: AddressRule

  /// A client with its thread running. `addresses` holds for every connection it opens; it keeps no others.
  public init(concurrentTransfers: Int = 64, addresses: AddressRule = .any) {
    self.addresses = addresses
    inbox = TransferInbox()
    TransferLoop.start(inbox: inbox, concurrentTransfers: max(1, concurrentTransfers))
  }

  deinit { close() }

  /// Sends `request` once and waits for the complete answer; cancelling the task gives the transfer up.
  public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    if let flaw = request.flaw { throw flaw }
    let transfer = Transfer(request, addresses: addresses)
    let result: Result<HTTPResponse, HTTPFailure> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        transfer.continuation = continuation
        if !inbox.submit(transfer) { continuation.resume(returning: .failure(.closed)) }
      }
    } onCancel: {
      inbox.cancel(transfer)
    }
    return try result.get()
  }

  /// Fails everything under way and everything sent later with ``HTTPFailure/closed``, and ends the thread.
  public func close() { inbox.close() }
}
