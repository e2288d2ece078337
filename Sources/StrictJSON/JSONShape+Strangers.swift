extension JSONShape {
  /// Returns the name of a member of `node` that this shape does not have; nil if it has them all.
  public func unknownMember(in node: JSONNode) -> String? {
    switch self {
    case .object(let fields):
      for member in node.members ?? [] {
        guard let field = fields.first(where: { $0.name == member.key }) else { return member.key }
        if let name = field.shape.unknownMember(in: member.value) { return name }
      }
    case .list(let element, _):
      for value in node.elements ?? [] {
        if let name = element.unknownMember(in: value) { return name }
      }
    case .either(let shapes):
      let unknown = shapes.map { $0.unknownMember(in: node) }
      return unknown.contains(nil) ? nil : unknown.first ?? nil
    case .any, .null, .bool, .text, .word, .integer, .number, .map: break
    }
    return nil
  }
}
