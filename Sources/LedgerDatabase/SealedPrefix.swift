internal import Ledger

/// Whole batches at the beginning of what is to become part of a chain.
enum SealedPrefix {
  /// How many bytes there are up to the end of the last seal; 0 without one.
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
