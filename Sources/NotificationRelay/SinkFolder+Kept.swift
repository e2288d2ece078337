import Described
import Digests
import StrictJSON

extension SinkFolder {
  /// The content of `progress.json`.
  struct Kept {
    static let currentForm = 1
    var form = Form(number: currentForm)
    /// The ledger's id; nil if missing, as in the oldest versions.
    var ledger: String?
    var progress: RelayProgress
  }
}

extension SinkFolder.Kept {
  /// The document, whose last member, `sum`, is the SHA-256 of everything before it.
  var text: [UInt8] { Self.closed(json.dropLast()) }

  /// Returns a document without its sum; throws unless it is as it was written.
  static func opened(_ text: [UInt8]) throws(JSONError) -> [UInt8] {
    let members = text.dropLast(sumLength)
    guard text.count > sumLength, closed(members) == text else {
      throw JSONError(offset: members.count, what: "its checksum does not match")
    }
    return members + [UInt8(ascii: "}")]
  }

  /// Returns an object, whose `}` is missing, with its sum.
  static func closed(_ members: ArraySlice<UInt8>) -> [UInt8] {
    members + Array(",\"sum\":\"\(SHA256.digest(of: Array(members)))\"}\n".utf8)
  }
  private static let sumLength = closed([]).count
}

extension SinkFolder.Kept: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    form = try Form(&coder, value?.pointer(to: \.form))
    ledger = try coder.optional("ledger", value?.pointee.ledger)
    progress = try RelayProgress(&coder, value?.pointer(to: \.progress))
  }
}

extension SinkFolder.Kept {
  /// Identifies how to read the rest.
  struct Form: DescribedObject {
    let number: Int

    init(number: Int) { self.number = number }

    init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
      number = try coder.field("progress", value?.pointee.number)
    }
  }
}
