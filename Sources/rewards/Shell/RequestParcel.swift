import Configuration
import Described
import Failures
import Operations
import StrictJSON

/// A request on its way to the process that holds the ledger, with how its report is to be shown.
///
/// One line of JSON, and behind it the bytes of the request's file.
struct RequestParcel {
  private static let currentForm = 1

  private let form: Int
  /// What the request is called.
  let name: String
  private let request: JSONText
  let format: OutputFormat
  /// The one of a database's ledgers that is meant; nil where there is one.
  let shard: Int?
  /// Whether the report begins with the shard.
  let tellsShard: Bool
  private var input: [UInt8] = []

  /// The parcel of a request that is asked for in `context`.
  init(_ request: some Request, in context: CommandContext) {
    form = Self.currentForm
    name = Swift.type(of: request).name
    self.request = JSONText(text: String(decoding: request.json, as: UTF8.self))
    format = context.options.format
    shard = context.share?.number
    tellsShard = context.tellsShard
    input = request.input
  }

  var bytes: [UInt8] { json + [UInt8(ascii: "\n")] + input }

  /// The parcel that `bytes` spell; throws ``ExitCode/tryAgain`` for one of another version, after which nothing is done.
  init(_ bytes: [UInt8]) throws(Failure) {
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    guard let parcel = try? Self(json: Array(bytes[..<end])), parcel.form == Self.currentForm
    else { throw Self.otherVersion("it is no request of this version") }
    self = parcel
    input = Array(bytes[end...].dropFirst())
  }

  /// The request; throws ``ExitCode/tryAgain`` for one that says what this version does not understand: that may be a limit.
  func opened<Wanted: Request>(as type: Wanted.Type) throws(Failure) -> Wanted {
    let text = Array(request.text.utf8)
    let known = Set(Wanted.described.names.map { "\($0)" })
    let given = (try? JSONNode.parse(text))?.members ?? []
    if let stranger = given.first(where: { !known.contains($0.key) }) {
      throw Self.otherVersion("it does not know \"\(stranger.key)\"")
    }
    guard var request = try? Wanted(json: text) else {
      throw Self.otherVersion("it cannot read the request")
    }
    request.input = input
    return request
  }

  /// Why a service does not carry a request out that another version has sent.
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
    tellsShard = try coder.field("tellsShard", value?.pointee.tellsShard)
  }
}
