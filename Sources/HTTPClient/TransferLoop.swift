internal import CCurl
internal import CurlShims
internal import Glibc

/// The thread that drives libcurl: takes orders, advances transfers and resumes callers.
final class TransferLoop {
  /// Whether the library is ready. `SSLKEYLOGFILE` is unset first: libcurl would write the keys of all connections to that file.
  private static let isLibraryReady =
    unsetenv("SSLKEYLOGFILE") == 0 && curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  /// How long the loop sleeps in libcurl when idle; orders wake it.
  private static let sleepMilliseconds: Int32 = 60_000
  private static let pauseMicroseconds: UInt32 = 100_000

  private let inbox: TransferInbox
  private let multi: OpaqueMulti
  private let concurrentTransfers: Int
  private var waiting = TransferQueue()
  private var running: [ObjectIdentifier: Transfer] = [:]
  private var idle: [EasyHandle] = []

  private init(inbox: TransferInbox, multi: OpaqueMulti, concurrentTransfers: Int) {
    self.inbox = inbox
    self.multi = multi
    self.concurrentTransfers = concurrentTransfers
    curl_shim_set_multi_long(multi.pointer, CURLMOPT_MAXCONNECTS, concurrentTransfers)
  }

  /// Starts the thread; closes the inbox if no thread can be created.
  static func start(inbox: TransferInbox, concurrentTransfers: Int) {
    guard isLibraryReady, let multi = curl_multi_init() else { return inbox.close() }
    let loop = TransferLoop(
      inbox: inbox, multi: OpaqueMulti(pointer: multi), concurrentTransfers: concurrentTransfers)
    let context = Unmanaged.passRetained(loop)
    var thread = pthread_t()
    guard pthread_create(&thread, nil, runTransferLoop, context.toOpaque()) == 0 else {
      context.release()
      return inbox.close()
    }
    pthread_detach(thread)
  }

  /// Runs until the client is closed.
  fileprivate func run() {
    while true {
      let orders = inbox.drain()
      for transfer in orders.submitted { accept(transfer) }
      for transfer in orders.cancelled { cancel(transfer) }
      if orders.isClosed { return end() }
      startWaiting()
      var count: Int32 = 0
      giveUp(unless: curl_multi_perform(multi.pointer, &count))
      let hasRoom = finishDone()
      if hasRoom && !waiting.isEmpty { continue }
      if inbox.prepareToSleep(in: multi) {
        giveUp(unless: curl_multi_poll(multi.pointer, nil, 0, Self.sleepMilliseconds, nil))
      }
    }
  }

  /// Fails all transfers if libcurl cannot continue, for example without memory: no caller should wait forever.
  private func giveUp(unless code: CURLMcode) {
    if code == CURLM_OK { return }
    for transfer in running.values {
      if case .running(let easy) = transfer.state { release(transfer, from: easy) }
      transfer.finish(status: 0, failure: Self.failure(of: code))
    }
    // An immediate failure may repeat immediately.
    usleep(Self.pauseMicroseconds)
  }

  private static func failure(of code: CURLMcode) -> HTTPFailure {
    .unreachable(String(cString: curl_multi_strerror(code)))
  }

  private func accept(_ transfer: Transfer) {
    if transfer.isCancelled {
      transfer.finish(status: 0, failure: .cancelled)
    } else {
      transfer.state = .waiting
      waiting.append(transfer)
    }
  }

  private func cancel(_ transfer: Transfer) {
    transfer.isCancelled = true
    switch transfer.state {
    case .running(let easy):
      release(transfer, from: easy)
      transfer.finish(status: 0, failure: .cancelled)
    case .waiting:
      waiting.remove(transfer)
      transfer.finish(status: 0, failure: .cancelled)
    // A new one is finished by `accept`.
    case .new, .finished: break
    }
  }

  private func startWaiting() {
    while running.count < concurrentTransfers, let transfer = waiting.popFirst() {
      guard let easy = idle.popLast() ?? EasyHandle() else {
        transfer.finish(status: 0, failure: .unreachable("out of memory"))
        continue
      }
      easy.prepare(for: transfer)
      let code = curl_multi_add_handle(multi.pointer, easy.pointer)
      guard code == CURLM_OK else {
        transfer.finish(status: 0, failure: Self.failure(of: code))
        continue
      }
      transfer.state = .running(easy)
      running[ObjectIdentifier(transfer)] = transfer
    }
  }

  /// Resumes the callers of all finished transfers; returns true if there was one.
  private func finishDone() -> Bool {
    var didFinish = false
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi.pointer, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
        let context = curl_shim_private(handle)
      else { continue }
      let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
      guard case .running(let easy) = transfer.state else { continue }
      let code = curl_shim_result(message)
      let status = curl_shim_status(handle)
      let isWhole = code == CURLE_OK || transfer.hasEnough
      let failure = isWhole ? nil : Self.failure(of: transfer, code: code, on: easy)
      release(transfer, from: easy)
      transfer.finish(status: status, failure: failure)
      didFinish = true
    }
    return didFinish
  }

  private func release(_ transfer: Transfer, from easy: EasyHandle) {
    curl_multi_remove_handle(multi.pointer, easy.pointer)
    running[ObjectIdentifier(transfer)] = nil
    idle.append(easy)
  }

  private func end() {
    for (_, transfer) in running {
      if case .running(let easy) = transfer.state {
        curl_multi_remove_handle(multi.pointer, easy.pointer)
      }
      transfer.finish(status: 0, failure: .closed)
    }
    running = [:]
    while let transfer = waiting.popFirst() { transfer.finish(status: 0, failure: .closed) }
    idle = []
    curl_multi_cleanup(multi.pointer)
  }

  private static func failure(
    of transfer: Transfer, code: CURLcode, on easy: EasyHandle
  ) -> HTTPFailure {
    transfer.ownFailure ?? HTTPFailure(code: code, explanation: easy.explanation(of: code))
  }
}

extension HTTPFailure {
  /// Creates the failure for a libcurl error code.
  init(code: CURLcode, explanation: @autoclosure () -> String) {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: self = .timedOut
    // Login denied: the URL contains a user.
    case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED: self = .invalidURL
    // libcurl's code for a header line over 100 KiB: CURLE_OUT_OF_MEMORY up to 8.5, then CURLE_TOO_LARGE, which older headers
    // lack.
    case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100): self = .tooManyHeaders
    // The request's scheme was already checked: this is an answer without a status line.
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
      self = .notHTTP(String(cString: curl_easy_strerror(code)))
    // Includes CURLE_HTTP2 and CURLE_HTTP2_STREAM: restarting servers end a connection with GOAWAY and RST_STREAM.
    default: self = .unreachable(explanation())
    }
  }
}

private func runTransferLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  // A peer that closes while we write must cost a transfer, not the process.
  var pipe = sigset_t()
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &pipe, nil)
  Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().run()
  return nil
}

/// Transfers in order of arrival; taking the first costs the same however many are waiting.
struct TransferQueue {
  private var transfers: [Transfer] = []
  private var head = 0

  var isEmpty: Bool { head == transfers.count }

  mutating func append(_ transfer: Transfer) { transfers.append(transfer) }

  mutating func popFirst() -> Transfer? {
    guard head < transfers.count else { return nil }
    let first = transfers[head]
    head += 1
    if head * 2 > transfers.count, head > 64 || head == transfers.count {
      transfers.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Removes `transfer`, wherever it is.
  mutating func remove(_ transfer: Transfer) {
    guard let index = transfers[head...].firstIndex(where: { $0 === transfer }) else { return }
    transfers.remove(at: index)
  }
}
