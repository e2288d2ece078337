public import Described
import StrictJSON

/// What operators tell everybody through the topic of a push service.
public struct Broadcast: Sendable, Equatable {
  /// The title.
  public var title: String
  /// The text.
  public var body: String
  /// The key by which the app finds the text in the reader's language.
  public var locKey: String?

  /// Creates a broadcast.
  public init(title: String, body: String, locKey: String?) {
    self.title = title
    self.body = body
    self.locKey = locKey
  }

  /// Reads the broadcast that an act made; nil for other acts.
  public init?(_ act: OperatorRecord) {
    guard act.act == .broadcast, let text = act.what else { return nil }
    self.init(text: text)
  }

  /// Reads a broadcast written by ``text``; nil if it is none.
  public init?(text: String) {
    guard let broadcast = try? Broadcast(json: Array(text.utf8)) else { return nil }
    self = broadcast
  }

  /// The broadcast as JSON on one line, as the ledger holds it.
  public var text: String { String(decoding: json, as: UTF8.self) }
}

extension Broadcast: DescribedObject {
  /// Reads or writes the fields.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    title = try coder.field("title", value?.pointee.title)
    body = try coder.field("body", value?.pointee.body)
    locKey = try coder.optional("locKey", value?.pointee.locKey)
  }
}
