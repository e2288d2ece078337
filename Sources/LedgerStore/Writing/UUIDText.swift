/// Makes the text of a random UUID (RFC 9562, version 4).
enum UUIDText {
  /// Lower-case hex digits with dashes, from 16 random bytes; missing bytes count as 0.
  static func make(_ random: [UInt8]) -> String {
    var bytes = Array((random + [UInt8](repeating: 0, count: 16)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }
}
