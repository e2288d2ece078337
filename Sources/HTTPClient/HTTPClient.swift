/// An HTTP client: libcurl's multi interface on its own thread. Safe to call from any task.
///
/// Requests queue here, since libcurl slows down with a thousand transfers; up to `concurrentTransfers` run at once on
/// connections that are kept open. TLS certificates are verified, no proxy is used, no redirect is followed, and nothing is
/// decompressed. Closing it ends its thread at once; releasing the last reference closes it too.
package final class HTTPClient: HTTPSending {
  private let inbox: TransferInbox
  private let addresses: AddressRule

  /// Creates a client and starts its thread. `addresses` applies to every connection it opens; it keeps no others.
  package init(concurrentTransfers: Int = 64, addresses: AddressRule = .any) {
    self.addresses = addresses
    inbox = TransferInbox()
    TransferLoop.start(inbox: inbox, concurrentTransfers: max(1, concurrentTransfers))
  }

  deinit { close() }

  /// Sends `request` once and waits for the complete answer; cancelling the task abandons the transfer.
  package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
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

  /// Fails all current and later requests with ``HTTPFailure/closed``, and ends the thread.
  package func close() { inbox.close() }
}
