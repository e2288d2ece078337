internal import Glibc

/// A directory of TZif files, laid out like an installed tz database.
struct ZoneDirectory {
  /// The depth of `America/Argentina/Buenos_Aires`, plus one to spare.
  private static let deepest = 4

  let path: String

  /// Returns the sorted relative paths of all TZif files with valid zone names.
  func names() -> [String] {
    var names: [String] = []
    collect(below: "", depth: 1, into: &names)
    return names.sorted()
  }

  private func collect(below parent: String, depth: Int, into names: inout [String]) {
    for entry in entries(of: "\(path)/\(parent)") {
      let name = parent + entry
      guard (try? ZoneName.check(name)) != nil else { continue }
      if isDirectory("\(path)/\(name)") {
        if depth < Self.deepest { collect(below: "\(name)/", depth: depth + 1, into: &names) }
      } else if SmallFile.read("\(path)/\(name)", limitBytes: 4)?.elementsEqual("TZif".utf8) == true
      {
        names.append(name)
      }
    }
  }

  private func entries(of path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var entries: [String] = []
    while let entry = readdir(stream) {
      entries.append(
        withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee))
          {
            String(cString: $0)
          }
        })
    }
    return entries
  }

  private func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
