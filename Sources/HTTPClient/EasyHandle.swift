internal import CCurl
internal import CurlShims
internal import Glibc

/// A libcurl easy handle, used for one transfer after another. Belongs to the loop's thread.
///
/// Options that never change are set once.
final class EasyHandle {
  /// The rate below which a transfer counts as stalled.
  private static let stallBytesPerSecond = 16

  let pointer: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?

  /// Creates a handle with the options common to all transfers; nil if memory is exhausted.
  init?() {
    guard let fresh = curl_easy_init() else { return nil }
    pointer = fresh
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    set(CURLOPT_ERRORBUFFER, to: errorText)
    set(CURLOPT_NOSIGNAL, to: 1)
    set(CURLOPT_PROXY, to: "")
    set(CURLOPT_PROTOCOLS_STR, to: "http,https")
    set(CURLOPT_FOLLOWLOCATION, to: 0)
    set(CURLOPT_PATH_AS_IS, to: 1)
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, to: 1)
    set(CURLOPT_SSL_VERIFYPEER, to: 1)
    set(CURLOPT_SSL_VERIFYHOST, to: 2)
    set(CURLOPT_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_LOW_SPEED_LIMIT, to: Self.stallBytesPerSecond)
    curl_shim_set_sink(pointer, CURLOPT_WRITEFUNCTION, receiveBodyBytes)
    curl_shim_set_sink(pointer, CURLOPT_HEADERFUNCTION, receiveHeaderLine)
  }

  deinit {
    curl_easy_cleanup(pointer)
    curl_slist_free_all(headerList)
    errorText.deallocate()
  }

  /// Prepares the handle for `transfer`, which must live until libcurl has finished with it.
  func prepare(for transfer: Transfer) {
    let request = transfer.request
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    set(CURLOPT_PRIVATE, to: context)
    set(CURLOPT_WRITEDATA, to: context)
    set(CURLOPT_HEADERDATA, to: context)
    set(CURLOPT_URL, to: request.url)
    set(CURLOPT_TIMEOUT_MS, to: Self.milliseconds(request.timeoutSeconds))
    set(CURLOPT_CONNECTTIMEOUT_MS, to: Self.milliseconds(request.connectTimeoutSeconds))
    set(CURLOPT_LOW_SPEED_TIME, to: request.stallSeconds)
    let freshness = request.usesFreshConnection ? 1 : 0
    set(CURLOPT_FRESH_CONNECT, to: freshness)
    set(CURLOPT_FORBID_REUSE, to: freshness)
    if let path = request.unixSocketPath {
      set(CURLOPT_UNIX_SOCKET_PATH, to: path)
    } else {
      curl_shim_set_pointer(pointer, CURLOPT_UNIX_SOCKET_PATH, nil)
    }
    if transfer.addresses == .any {
      curl_shim_set_opener(pointer, nil, nil)
    } else {
      curl_shim_set_opener(pointer, openSocket, context)
    }
    setMethod(request.method)
    setHeaders(request.headers)
    errorText[0] = 0
  }

  /// Returns libcurl's message for the error, or a general one if there is none.
  func explanation(of code: CURLcode) -> String {
    errorText[0] == 0
      ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
  }

  private func setMethod(_ method: HTTPRequest.Method) {
    switch method {
    case .get: set(CURLOPT_HTTPGET, to: 1)
    case .post(let body):
      set(CURLOPT_POST, to: 1)
      // The size comes first: libcurl copies that many bytes.
      curl_shim_set_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      body.withUnsafeBytes { bytes in
        _ = curl_shim_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress)
      }
      if body.isEmpty { set(CURLOPT_COPYPOSTFIELDS, to: "") }
    }
  }

  private func setHeaders(_ fields: [HTTPHeader]) {
    curl_slist_free_all(headerList)
    // Without this, a post over 1 MiB would wait a second for an interim answer.
    headerList = curl_slist_append(nil, "Expect:")
    for field in fields {
      headerList = curl_slist_append(headerList, "\(field.name): \(field.value)")
    }
    curl_shim_set_pointer(pointer, CURLOPT_HTTPHEADER, headerList)
  }

  private func set(_ option: CURLoption, to value: Int) {
    curl_shim_set_long(pointer, option, value)
  }

  private func set(_ option: CURLoption, to value: String) {
    _ = value.withCString { curl_shim_set_pointer(pointer, option, $0) }
  }

  private func set(_ option: CURLoption, to value: UnsafeMutableRawPointer) {
    curl_shim_set_pointer(pointer, option, value)
  }

  private static func milliseconds(_ seconds: Double) -> Int {
    Int(min(max(seconds * 1_000, 1), 86_400_000))
  }
}

/// Opens a socket to an address that the transfer may connect to. Called for every connection, after the name look-up.
private func openSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address else { return CURL_SOCKET_BAD }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  var count: Int32 = 0
  let start = curl_shim_address(address, &count)
  let bytes = Array(UnsafeBufferPointer(start: start, count: Int(count)))
  guard transfer.mayConnect(to: bytes) else { return CURL_SOCKET_BAD }
  let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
  return socket(address.pointee.family, type, address.pointee.protocol)
}

private func receiveBodyBytes(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context, let bytes else { return 0 }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  return transfer.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    ? size * count : -1
}

private func receiveHeaderLine(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context, let bytes else { return 0 }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  return transfer.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
    ? size * count : -1
}
