/// Blanks the comments and texts of Swift code, so that what is left is code. Code inside interpolations is blanked too.
struct CodeStripper {
  private let bytes: [UInt8]
  private var position = 0
  private var code: [UInt8] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  /// The code, with as many lines as the text.
  mutating func strip() -> String {
    while position < bytes.count {
      if starts(with: "//") {
        while position < bytes.count, bytes[position] != 0x0A { position += 1 }
      } else if starts(with: "/*") {
        blankComment()
      } else if let hashes = textOpening() {
        code.append(UInt8(ascii: "\""))
        blankText(hashes: hashes)
        code.append(UInt8(ascii: "\""))
      } else {
        code.append(bytes[position])
        position += 1
      }
    }
    return String(decoding: code, as: UTF8.self)
  }

  private func starts(with word: String) -> Bool {
    let end = position + word.utf8.count
    return end <= bytes.count && bytes[position..<end].elementsEqual(word.utf8)
  }

  private mutating func skip() {
    if bytes[position] == 0x0A { code.append(0x0A) }
    position += 1
  }

  private mutating func blankComment() {
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        position += 2
      } else if starts(with: "*/") {
        depth -= 1
        position += 2
      } else {
        skip()
      }
    } while depth > 0 && position < bytes.count
  }

  /// How many `#` stand before the quote when a text begins here, else nil.
  private func textOpening() -> Int? {
    var index = position
    while index < bytes.count, bytes[index] == UInt8(ascii: "#") { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
    return index - position
  }

  private mutating func blankText(hashes: Int) {
    position += hashes
    let quotes = starts(with: "\"\"\"") ? 3 : 1
    position += quotes
    let fence = String(repeating: "#", count: hashes)
    let end = String(repeating: "\"", count: quotes) + fence
    while position < bytes.count {
      if starts(with: end) {
        position += end.utf8.count
        return
      }
      if starts(with: "\\\(fence)(") {
        position += fence.utf8.count + 2
        blankInterpolation()
      } else if starts(with: "\\\(fence)") {
        position += fence.utf8.count + 1
        if position < bytes.count { skip() }
      } else {
        skip()
      }
    }
  }

  private mutating func blankInterpolation() {
    var depth = 1
    while position < bytes.count, depth > 0 {
      if let hashes = textOpening() {
        blankText(hashes: hashes)
        continue
      }
      if bytes[position] == UInt8(ascii: "(") { depth += 1 }
      if bytes[position] == UInt8(ascii: ")") { depth -= 1 }
      skip()
    }
  }
}
