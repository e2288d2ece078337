import Foundations
import Glibc

/// What libFuzzer calls with every input; `$FUZZ_READER` says which reader gets it.
///
/// A reader ends with a value or with its own error; that anything traps, hangs or grows is what is looked for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  Reader.chosen(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}

/// A reader by name.
enum Reader {
  typealias Body = @Sendable ([UInt8]) -> Void

  static let zones = SystemZones(directory: nil)

  static let chosen: Body = {
    let name = getenv("FUZZ_READER").map { String(cString: $0) } ?? ""
    let readers = texts.merging(files) { first, _ in first }
    guard let reader = readers[name] else {
      fatalError("FUZZ_READER names none of \(readers.keys.sorted())")
    }
    return reader
  }()
}
