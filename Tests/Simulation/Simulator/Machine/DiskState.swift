import Foundations

/// What a simulated disk holds, and what of it would be there after a loss of power.
///
/// Bytes are kept when their file was synced, names when their folder was. Whatever was not may be there or not, or, of bytes, in
/// part, or as the zeros of sectors that never came. Names come to the disk in the order in which they were made.
struct DiskState {
  typealias FileNumber = Int

  struct File {
    var bytes: [UInt8] = []
    /// So many bytes at the front are on the disk, as long as nothing of them was cut off since.
    var syncedCount = 0
    /// What is on the disk where the present bytes do not begin with it.
    var synced: [UInt8]?
    /// When it was changed last, for its stamp.
    var changes: Int64 = 0
  }

  private struct NameChange {
    enum What {
      case link(String, FileNumber)
      case unlink(String)
      case rename(from: String, to: String, FileNumber)
      case makeFolder(String)
      case removeFolder(String)
    }

    let what: What
    /// Syncing any of these folders brings the change to the disk.
    let folders: (String, String)

    init(_ what: What) {
      self.what = what
      switch what {
      case .link(let path, _), .unlink(let path), .makeFolder(let path), .removeFolder(let path):
        let folder = DiskState.parent(of: path)
        folders = (folder, folder)
      case .rename(let from, let to, _):
        folders = (DiskState.parent(of: from), DiskState.parent(of: to))
      }
    }
  }

  private(set) var files: [FileNumber: File] = [:]
  private(set) var names: [String: FileNumber] = [:]
  private(set) var folders: Set<String> = ["/"]
  /// What each folder holds, by the last part of its path.
  private var entries: [String: Set<String>] = [:]
  private var syncedNames: [String: FileNumber] = [:]
  private var syncedFolders: Set<String> = ["/"]
  private var unsynced: [NameChange] = []
  private var lastFile = 0
  private var lastChange: Int64 = 0

  /// What lies above a path.
  static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
      return "/"
    }
    return String(path[..<slash])
  }

  /// The last part of a path.
  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }

  /// The names in a folder, in order; nil when there is none of this name.
  func names(in folder: String) -> [String]? {
    folders.contains(folder) ? entries[folder, default: []].sorted() : nil
  }

  private mutating func enter(_ path: String) {
    entries[Self.parent(of: path), default: []].insert(Self.name(of: path))
  }

  private mutating func leave(_ path: String) {
    entries[Self.parent(of: path)]?.remove(Self.name(of: path))
  }

  // Files.

  subscript(_ file: FileNumber) -> File {
    get { files[file] ?? File() }
    set { files[file] = newValue }
  }

  mutating func append(_ bytes: some Sequence<UInt8>, to file: FileNumber) {
    files[file]?.bytes.append(contentsOf: bytes)
    touch(file)
  }

  mutating func truncate(_ file: FileNumber, to size: Int) {
    guard var content = files.removeValue(forKey: file) else { return }
    if size < content.syncedCount {
      content.synced = content.synced ?? Array(content.bytes.prefix(content.syncedCount))
      content.syncedCount = 0
    }
    content.bytes.removeLast(max(0, content.bytes.count - size))
    files[file] = content
    touch(file)
  }

  mutating func sync(_ file: FileNumber) {
    let count = files[file]?.bytes.count ?? 0
    files[file]?.syncedCount = count
    files[file]?.synced = nil
  }

  private mutating func touch(_ file: FileNumber) {
    lastChange += 1
    files[file]?.changes = lastChange
  }

  // Names.

  /// Makes a file under a name that is free.
  mutating func make(_ path: String) -> FileNumber {
    lastFile += 1
    files[lastFile] = File()
    touch(lastFile)
    names[path] = lastFile
    enter(path)
    unsynced.append(NameChange(.link(path, lastFile)))
    return lastFile
  }

  mutating func rename(_ path: String, to newPath: String) -> Bool {
    guard let file = names.removeValue(forKey: path) else { return renameFolder(path, to: newPath) }
    names[newPath] = file
    leave(path)
    enter(newPath)
    touch(file)
    unsynced.append(NameChange(.rename(from: path, to: newPath, file)))
    return true
  }

  /// A folder moves with all that is in it: each name for itself, which is more than a disk would tear apart.
  private mutating func renameFolder(_ path: String, to newPath: String) -> Bool {
    guard folders.contains(path) else { return false }
    makeFolder(newPath)
    for name in names.keys.filter({ $0.hasPrefix("\(path)/") }).sorted() {
      _ = rename(name, to: newPath + name.dropFirst(path.count))
    }
    removeFolder(path)
    return true
  }

  mutating func remove(_ path: String) -> Bool {
    guard names.removeValue(forKey: path) != nil else { return false }
    leave(path)
    unsynced.append(NameChange(.unlink(path)))
    return true
  }

  @discardableResult
  mutating func makeFolder(_ path: String) -> Bool {
    guard folders.insert(path).inserted else { return false }
    enter(path)
    unsynced.append(NameChange(.makeFolder(path)))
    return true
  }

  mutating func removeFolder(_ path: String) {
    folders.remove(path)
    leave(path)
    unsynced.append(NameChange(.removeFolder(path)))
  }

  mutating func syncFolder(_ path: String) {
    var rest: [NameChange] = []
    for change in unsynced {
      if change.folders.0 == path || change.folders.1 == path {
        apply(change)
      } else {
        rest.append(change)
      }
    }
    unsynced = rest
  }

  private mutating func apply(_ change: NameChange) {
    switch change.what {
    case .link(let path, let file): syncedNames[path] = file
    case .unlink(let path): syncedNames[path] = nil
    case .rename(let from, let to, let file):
      if syncedNames[from] == file { syncedNames[from] = nil }
      syncedNames[to] = file
    case .makeFolder(let path): syncedFolders.insert(path)
    case .removeFolder(let path): syncedFolders.remove(path)
    }
  }

  // Loss of power.

  /// Leaves what a disk holds after the power was lost, as the numbers decide.
  mutating func losePower(_ random: inout SplitMix64) {
    // Everything that was under way, nothing of it, or the first changes of names.
    let kept =
      switch random.next() % 3 {
      case 0: unsynced.count
      case 1: 0
      default: Int(random.number(in: 0...Int64(unsynced.count)))
      }
    for change in unsynced.prefix(kept) { apply(change) }
    unsynced = []
    names = syncedNames.filter { syncedFolders.contains(Self.parent(of: $0.key)) }
    syncedNames = names
    folders = syncedFolders
    entries = [:]
    for path in [Array(names.keys), folders.filter { $0 != "/" }].joined() { enter(path) }
    let held = Set(names.values)
    for file in files.keys.sorted() {
      if held.contains(file) { tear(file, &random) } else { files[file] = nil }
    }
  }

  private mutating func tear(_ file: FileNumber, _ random: inout SplitMix64) {
    guard var content = files[file] else { return }
    if let synced = content.synced, random.chance(0.5) {
      content.bytes = synced
    } else if content.synced == nil, content.bytes.count > content.syncedCount {
      Self.tear(&content.bytes, from: content.syncedCount, &random)
    }
    content.synced = nil
    content.syncedCount = content.bytes.count
    files[file] = content
  }

  private static let sectorBytes = 512

  /// What becomes of bytes that were written and not synced.
  private static func tear(
    _ bytes: inout [UInt8], from synced: Int, _ random: inout SplitMix64
  ) {
    switch random.next() % 4 {
    case 0: break
    case 1: bytes.removeLast(bytes.count - synced)
    case 2:
      let kept = random.number(in: Int64(synced)...Int64(bytes.count))
      bytes.removeLast(bytes.count - Int(kept))
    default:
      // The length came to the disk, and some sectors did not.
      var sector = synced / sectorBytes
      while sector * sectorBytes < bytes.count {
        if random.chance(0.5) {
          let end = min(bytes.count, (sector + 1) * sectorBytes)
          for index in max(synced, sector * sectorBytes)..<end { bytes[index] = 0 }
        }
        sector += 1
      }
    }
  }
}
