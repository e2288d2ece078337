import CivilTime
import Described
import Digests
import Foundations

/// An object with a field of every kind.
struct Sample: Equatable {
  enum Colour: String, CaseIterable, Word {
    case red
    case green

    static var noun: StaticString { "colour" }
  }

  enum Fruit: UInt8, CaseIterable, NumberedWord {
    case apple = 3
    case pear = 7

    static var noun: StaticString { "fruit" }
    var word: String { self == .apple ? "apple" : "pear" }
  }

  struct Inner: Equatable {
    let from: Instant
    let count: Int32
  }

  let number: Int64
  let natural: UInt64
  let isTrue: Bool
  let text: String
  let instant: Instant
  let day: Day
  let digest: Digest
  let document: String
  let colour: Colour
  let fruit: Fruit
  let list: [Int64]
  let table: [String: Int64]
  let set: Set<String>
  let inner: Inner
  let inners: [Inner]
  let optional: Inner?
  let usual: Int
  let nullable: String?
}

extension Sample: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    number = try coder.field("number", value?.pointee.number)
    natural = try coder.field("natural", value?.pointee.natural)
    isTrue = try coder.field("isTrue", value?.pointee.isTrue)
    text = try coder.field("text", value?.pointee.text)
    instant = try coder.field("instant", value?.pointee.instant)
    day = try coder.field("day", value?.pointee.day)
    digest = try coder.field("digest", value?.pointee.digest)
    document = try coder.field("document", (value?.pointee.document).map(JSONText.init)).text
    colour = try coder.field("colour", value?.pointee.colour)
    fruit = try coder.field("fruit", value?.pointee.fruit)
    list = try coder.field("list", value?.pointee.list)
    table = try coder.field("table", value?.pointee.table)
    set = try coder.field("set", value?.pointee.set)
    inner = try coder.field("inner", value?.pointee.inner)
    inners = try coder.field("inners", value?.pointee.inners)
    optional = try coder.optional("optional", value?.pointee.optional)
    usual = try coder.field("usual", value?.pointee.usual, unless: 5)
    nullable = try coder.nullable("nullable", value?.pointee.nullable)
  }
}

extension Sample.Inner: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    from = try coder.field("from", value?.pointee.from)
    count = try coder.field("count", value?.pointee.count)
  }
}

extension Sample {
  /// One of many.
  static func random(using random: inout SplitMix64) -> Sample {
    func number() -> Int64 {
      [0, -1, .max, .min, Int64.random(in: -300...300, using: &random)]
        .randomElement(using: &random) ?? 0
    }
    func text() -> String {
      ["", "a", "\"\\\n\u{1}", "Zürich 🎁", String(repeating: "x", count: 300)]
        .randomElement(using: &random) ?? ""
    }
    func instant() -> Instant {
      Instant(
        seconds: Int64.random(in: -9_999_999_999...99_999_999_999, using: &random),
        nanoseconds: [0, 1, 250_000_000, 999_999_999].randomElement(using: &random) ?? 0)
    }
    func inner() -> Inner {
      Inner(from: instant(), count: Int32.random(in: .min ... .max, using: &random))
    }
    return Sample(
      number: number(), natural: UInt64(number().magnitude >> 1), isTrue: .random(using: &random),
      text: text(), instant: instant(),
      day: Day(number: Int32.random(in: -700_000...2_900_000, using: &random)),
      digest: SHA256.digest(of: Array(text().utf8)), document: #"{"a":[1,{"b":null}]}"#,
      colour: Colour.allCases.randomElement(using: &random) ?? .red,
      fruit: Fruit.allCases.randomElement(using: &random) ?? .apple,
      list: (0..<Int.random(in: 0...3, using: &random)).map { _ in number() },
      table: Dictionary((0..<3).map { _ in (text(), number()) }) { $1 },
      set: Set((0..<3).map { _ in text() }), inner: inner(),
      inners: (0..<Int.random(in: 0...3, using: &random)).map { _ in inner() },
      optional: Bool.random(using: &random) ? inner() : nil,
      usual: Int.random(in: 4...6, using: &random),
      nullable: Bool.random(using: &random) ? text() : nil)
  }
}
