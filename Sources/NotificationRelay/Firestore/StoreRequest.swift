internal import StrictJSON

/// The bodies of requests to Firestore's REST interface: https://firebase.google.com/docs/firestore/reference/rest
enum StoreRequest {
  /// Reads documents by name.
  static func batchGet(_ names: [String], fields: [String]) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("documents", names)
    json.key("mask")
    json.beginObject()
    json.member("fieldPaths", fields)
    json.endObject()
    json.endObject()
    return json.bytes
  }

  /// Finds the documents, at most two, in which `field` is `text`; without a text, any two documents.
  static func find(
    _ text: String?, by field: String, in collection: String, fields: [String]
  ) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.key("structuredQuery")
    json.beginObject()
    json.key("select")
    json.beginObject()
    json.key("fields")
    json.beginArray()
    for name in fields { json.path("fieldPath", name) }
    json.endArray()
    json.endObject()
    json.key("from")
    json.beginArray()
    json.path("collectionId", collection)
    json.endArray()
    if let text {
      json.key("where")
      json.beginObject()
      json.key("fieldFilter")
      json.beginObject()
      json.key("field")
      json.path("fieldPath", field)
      json.member("op", "EQUAL")
      json.key("value")
      json.store(.string(text))
      json.endObject()
      json.endObject()
    }
    json.member("limit", 2)
    json.endObject()
    json.endObject()
    return json.bytes
  }

  /// Writes changes in one commit, each on the condition that nobody has changed its document since it was read.
  static func commit(_ changes: [StoreChange], _ fields: StoreFields) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.key("writes")
    json.beginArray()
    for change in changes { json.write(change, fields) }
    json.endArray()
    json.endObject()
    return json.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func path(_ name: String, _ value: String) {
    beginObject()
    member(name, value)
    endObject()
  }

  fileprivate mutating func write(_ change: StoreChange, _ fields: StoreFields) {
    var values: [String: StoreValue] = [:]
    for (field, value) in change.values { values[fields[field] ?? ""] = value }
    values[fields.record] = change.record.value
    beginObject()
    key("update")
    beginObject()
    member("name", change.document.name)
    store(fields: values)
    endObject()
    key("updateMask")
    beginObject()
    member("fieldPaths", values.keys.sorted())
    endObject()
    key("updateTransforms")
    beginArray()
    for (field, amount) in change.increments.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      transform(fields[field])
      key("increment")
      store(.integer(amount))
      endObject()
    }
    items("appendMissingElements", change.addedItems, fields)
    items("removeAllFromArray", change.removedItems, fields)
    endArray()
    key("currentDocument")
    path("updateTime", change.document.updateTime)
    endObject()
  }

  private mutating func items(_ transform: String, _ items: [String], _ fields: StoreFields) {
    if items.isEmpty { return }
    self.transform(fields[.items])
    key(transform)
    store(items.map { .string($0) })
    endObject()
  }

  private mutating func transform(_ path: String?) {
    beginObject()
    member("fieldPath", path ?? "")
  }
}
