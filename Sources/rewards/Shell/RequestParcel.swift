import Configuration
import Described
import Failures
import Operations
import StrictJSON

/// A request on its way to the process that holds the ledger, with how to show its report.
///
/// One line of JSON, followed by the bytes of the request's file.
struct RequestParcel {
  private static let currentForm = 1

  private let form: Int
  /// The name of the request.
  let name: String
  private let request: JSONText
  let format: OutputFormat
  /// Which of a database's ledgers it is for; nil if there is only one.
  let shard: Int?
  /// Whether the report begins with the shard.
  let showsShard: Bool
  private var input: [UInt8] = []

  /// Creates the parcel of a request made in `context`.
  init(_ request: some Request, in context: CommandContext) {
    form = Self.currentForm
    name = Swift.type(of: request).name
    self.request = JSONText(text: String(decoding: request.json, as: UTF8.self))
    format = context.options.format
    shard = context.shardID?.number
    showsShard = context.showsShard
    input = request.input
  }

  var bytes: [UInt8] { json + [UInt8(ascii: "\n")] + input }

  /// Parses a parcel; throws ``ExitCode/tryAgain`` for one of another version, after which nothing is done.
  init(_ bytes: [UInt8]) throws(Failure) {
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    let head = Array(bytes[..<end])
    guard let parcel = try? Self(json: head), parcel.form == Self.currentForm
    else { throw Self.otherVersion("it is no request of this version") }
    try Self.requireKnown(head, Self.self)
    self = parcel
    input = Array(bytes[end...].dropFirst())
  }

  /// Returns the request; throws ``ExitCode/tryAgain`` if it says something that this version does not understand, which may be a limit.
  func opened<Wanted: Request>(as type: Wanted.Type) throws(Failure) -> Wanted {
    let text = Array(request.text.utf8)
    try Self.requireKnown(text, Wanted.self)
    guard var request = try? Wanted(json: text) else {
      throw Self.otherVersion("it cannot read the request")
    }
    request.input = input
    return request
  }

  private static func requireKnown<Object: DescribedObject>(
    _ text: [UInt8], _ type: Object.Type
  ) throws(Failure) {
    let shape = JSONShape.object(Object.described.fields)
    if let node = try? JSONNode.parse(text), let name = shape.unknownMember(in: node) {
      throw otherVersion("it does not know \"\(name)\"")
    }
  }

  /// Returns the failure for a request from another version, which a service does not carry out.
  static func otherVersion(_ why: String) -> Failure {
    Failure(
      .tryAgain, "the service that holds the ledger is of another version: \(why)",
      remedy: "Nothing was done. Use the version of the service, or restart it with this one.")
  }
}

extension RequestParcel: DescribedObject {
  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    form = try coder.field("form", value?.pointee.form)
    name = try coder.field("request", value?.pointee.name)
    request = try coder.field("body", value?.pointee.request)
    format = try coder.field("format", value?.pointee.format)
    shard = try coder.optional("shard", value?.pointee.shard)
    // The name in messages is older.
    showsShard = try coder.field("tellsShard", value?.pointee.showsShard)
  }
}
