/// Splits a line of allowed_signers into its fields, and options into names and values.
struct SignerLineScanner {
  private let bytes: [UInt8]
  private var offset = 0
  private let line: Int

  private static let blanks = Array(" \t".utf8)
  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")

  init(_ bytes: [UInt8], line: Int) {
    self.bytes = bytes
    self.line = line
  }

  /// Makes a problem of this line.
  func problem(_ cause: String, _ remedy: String) -> SignerLineProblem {
    SignerLineProblem(line: line, cause: cause, remedy: remedy)
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func read(while isPart: (UInt8) -> Bool) -> [UInt8] {
    let part = bytes[offset...].prefix(while: isPart)
    offset = part.endIndex
    return Array(part)
  }

  /// Skips the blanks before a field.
  mutating func skipBlanks() { _ = read { Self.blanks.contains($0) } }

  /// Reads a field up to the next blank, empty at the end.
  mutating func readWord() -> [UInt8] {
    skipBlanks()
    return read { !Self.blanks.contains($0) }
  }

  /// Reads the principals, which may be quoted.
  mutating func readPrincipals() throws(SignerLineProblem) -> [UInt8] {
    guard next == Self.quote else {
      let word = readWord()
      guard !word.contains(Self.quote) else {
        throw problem("a quote appears inside the principals", "quote the whole list or none of it")
      }
      return word
    }
    offset += 1
    let text = read { $0 != Self.quote }
    guard next == Self.quote else {
      throw problem("the closing quote of the principals is missing", "add the closing quote")
    }
    offset += 1
    guard next.map({ Self.blanks.contains($0) }) ?? true else {
      throw problem("a blank is missing after the quoted principals", "add a blank")
    }
    return text
  }

  /// Reads a field up to the next blank outside of quotes.
  mutating func readOptions() throws(SignerLineProblem) -> [UInt8] {
    let start = offset
    while let byte = next, !Self.blanks.contains(byte) {
      if byte == Self.quote { _ = try readQuoted() } else { offset += 1 }
    }
    return Array(bytes[start..<offset])
  }

  /// Reads an option and lower-cases its name. Like ssh-keygen, skips extra commas before it.
  mutating func readOption() throws(SignerLineProblem) -> (name: String, value: [UInt8]?) {
    _ = read { $0 == Self.comma }
    let ends = Array(",=\"".utf8)
    let letters = read { !ends.contains($0) }
    let name = String(decoding: letters, as: UTF8.self).lowercased()
    guard !name.isEmpty else {
      throw problem("an option is missing", "remove the comma at the end")
    }
    guard next == UInt8(ascii: "=") else { return (name, nil) }
    offset += 1
    guard next == Self.quote else {
      throw problem(
        "the value of \(name.shown) is not quoted", "write \(name)=\"…\"")
    }
    return (name, try readQuoted())
  }

  /// Skips the comma before a further option; returns whether there is one.
  mutating func skipComma() throws(SignerLineProblem) -> Bool {
    guard let byte = next else { return false }
    guard byte == Self.comma else {
      throw problem("a comma is missing after an option", "separate options with a comma")
    }
    offset += 1
    return true
  }

  /// Reads a text in quotes, in which `\"` stands for a quote.
  private mutating func readQuoted() throws(SignerLineProblem) -> [UInt8] {
    offset += 1
    var text: [UInt8] = []
    while let byte = next {
      offset += 1
      if byte == Self.quote { return text }
      if byte == UInt8(ascii: "\\"), next == Self.quote {
        text.append(Self.quote)
        offset += 1
      } else {
        text.append(byte)
      }
    }
    throw problem("the closing quote of an option is missing", "add the closing quote")
  }
}
