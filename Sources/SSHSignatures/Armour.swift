internal import Digests

/// The text around a signature's bytes.
enum Armour {
  private static let header = Array("-----BEGIN SSH SIGNATURE-----\n".utf8)
  private static let footer = Array("\n-----END SSH SIGNATURE-----".utf8)
  private static let blanks = Array(" \t\r\n".utf8)

  /// Decodes the bytes inside. Like ssh-keygen, allows nothing before BEGIN and ignores whatever follows END.
  static func strip(_ text: [UInt8]) throws(SignatureRefusal) -> [UInt8] {
    guard text.starts(with: header) else {
      let isWindows = text.starts(with: header.dropLast() + Array("\r\n".utf8))
      throw SignatureRefusal(
        .armour,
        isWindows
          ? "the lines of the signature end in CR LF"
          : "the first line is not -----BEGIN SSH SIGNATURE-----")
    }
    guard let end = text.firstRange(of: footer)?.lowerBound, end >= header.count else {
      throw SignatureRefusal(.armour, "the line -----END SSH SIGNATURE----- is missing")
    }
    let digits = text[header.count..<end].filter { !blanks.contains($0) }
    guard let bytes = Base64.bytes(String(decoding: digits, as: UTF8.self)) else {
      throw SignatureRefusal(.base64, "the text between BEGIN and END is not Base64")
    }
    return bytes
  }
}
