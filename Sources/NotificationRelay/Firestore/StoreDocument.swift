internal import StrictJSON

/// A user's document as it was read.
struct StoreDocument: Equatable, Sendable {
  /// The full name, `projects/P/databases/D/documents/COLLECTION/ID`.
  var name: String
  /// When the document was created, as Firestore writes it.
  var createTime: String
  /// When it was last changed, as Firestore writes it: a write on this condition fails if anybody has changed it since.
  var updateTime: String
  /// The fields that were asked for.
  var fields: [String: StoreValue]

  /// Reads a document in Firestore's JSON; nil if it is none.
  init?(_ node: JSONNode) {
    guard let name = node["name"]?.string, let updateTime = node["updateTime"]?.string else {
      return nil
    }
    self.name = name
    self.updateTime = updateTime
    createTime = node["createTime"]?.string ?? ""
    fields = StoreValue.fields(node["fields"])
  }

  /// Creates a document.
  init(name: String, createTime: String, updateTime: String, fields: [String: StoreValue]) {
    self.name = name
    self.createTime = createTime
    self.updateTime = updateTime
    self.fields = fields
  }

  /// The last part of the name.
  var id: String { String(name.split(separator: "/").last ?? "") }
}
