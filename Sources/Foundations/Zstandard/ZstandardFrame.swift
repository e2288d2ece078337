internal import CZstd

/// A frame of the Zstandard format (RFC 8878), entirely in memory, made by libzstd.
package enum ZstandardFrame {
  /// Compresses `bytes` into one frame with their length and a checksum; `level` from 1 (fast) to 19 (small).
  package static func pack(
    _ bytes: UnsafeRawBufferPointer, level: Int32 = 6
  ) throws(ZstandardError) -> [UInt8] {
    guard let context = ZSTD_createCCtx() else { throw ZstandardError("out of memory") }
    defer { ZSTD_freeCCtx(context) }
    _ = try checked(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level))
    _ = try checked(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1))
    var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
    let count = frame.withUnsafeMutableBytes { frame in
      ZSTD_compress2(context, frame.baseAddress, frame.count, bytes.baseAddress, bytes.count)
    }
    frame.removeLast(frame.count - (try checked(count)))
    return frame
  }

  /// Returns the `count` bytes in `frame`; throws if it has another number of them or a wrong checksum.
  package static func unpack(
    _ frame: UnsafeRawBufferPointer, count: Int
  ) throws(ZstandardError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = bytes.withUnsafeMutableBytes { bytes in
      ZSTD_decompress(bytes.baseAddress, bytes.count, frame.baseAddress, frame.count)
    }
    guard try checked(got) == count else {
      throw ZstandardError("the frame holds \(got) bytes instead of \(count)")
    }
    return bytes
  }

  private static func checked(_ result: Int) throws(ZstandardError) -> Int {
    guard ZSTD_isError(result) == 0 else {
      throw ZstandardError(String(cString: ZSTD_getErrorName(result)))
    }
    return result
  }
}

/// Why a frame cannot be created or read.
package struct ZstandardError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The library's message.
  package let cause: String

  init(_ cause: String) { self.cause = cause }

  /// The cause.
  package var description: String { cause }
}
