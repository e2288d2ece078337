/// Writes TZif files for tests: right ones and, field by field, wrong ones.
package struct TZifBuilder {
  package var version: UInt8
  package var transitions: [(at: Int64, type: UInt8)]
  package var offsets: [Int32]
  package var leapCount: UInt32
  /// Between two newlines; nil for a file that ends before them.
  package var footer: String?

  /// A file, by default one of version 2 that says UTC for all time.
  package init(
    version: UInt8 = UInt8(ascii: "2"), transitions: [(at: Int64, type: UInt8)] = [],
    offsets: [Int32] = [0], leapCount: UInt32 = 0, footer: String? = ""
  ) {
    self.version = version
    self.transitions = transitions
    self.offsets = offsets
    self.leapCount = leapCount
    self.footer = footer
  }

  /// The file: for version 1 the 32-bit block alone, else an empty one, the 64-bit block and the footer.
  package var bytes: [UInt8] {
    if version == 0 { return block(timeSize: 4) }
    let empty = TZifBuilder(version: version).block(timeSize: 4)
    return empty + block(timeSize: 8) + (footer.map { Array("\n\($0)\n".utf8) } ?? [])
  }

  private func block(timeSize: Int) -> [UInt8] {
    var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, leapCount, UInt32(transitions.count), UInt32(offsets.count), 4] {
      bytes += Self.bigEndian(count)
    }
    for transition in transitions {
      bytes += timeSize == 4 ? Self.bigEndian(Int32(transition.at)) : Self.bigEndian(transition.at)
    }
    bytes += transitions.map(\.type)
    for offset in offsets { bytes += Self.bigEndian(offset) + [0, 0] }
    bytes += Array("LMT\0".utf8)
    return bytes + [UInt8](repeating: 0, count: Int(leapCount) * (timeSize + 4))
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
