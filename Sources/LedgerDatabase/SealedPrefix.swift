internal import Ledger

/// Finds the whole batches at the beginning of bytes to be appended to a chain.
enum SealedPrefix {
  /// Returns the number of bytes up to the end of the last seal; 0 without one.
  static func count(of bytes: [UInt8]) -> Int {
    var finder = SealFinder()
    return bytes.withUnsafeBufferPointer { bytes in
      var end = bytes.lastIndex(of: 0x0A)
      while let lineEnd = end {
        let before = bytes[..<lineEnd].lastIndex(of: 0x0A)
        let line = UnsafeBufferPointer(rebasing: bytes[((before ?? -1) + 1)..<lineEnd])
        if finder.state(claimedBy: line) != nil { return lineEnd + 1 }
        end = before
      }
      return 0
    }
  }
}
