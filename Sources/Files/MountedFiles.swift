/// The machine's files, and beside them others whose paths begin with `root`.
struct MountedFiles: FileSystem {
  let base: any FileSystem
  let root: String
  let files: any FileSystem

  private func files(at path: String) -> any FileSystem { path.hasPrefix(root) ? files : base }

  func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile {
    try files(at: path).open(path, for: purpose)
  }

  func close(_ file: OpenFile) { files(at: file.path).close(file) }

  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int {
    try files(at: file.path).write(bytes, to: file)
  }

  func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    try files(at: file.path).read(file, into: buffer, at: offset)
  }

  func size(of file: OpenFile) throws(FileError) -> Int { try files(at: file.path).size(of: file) }

  func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    try files(at: file.path).truncate(file, to: size)
  }

  func sync(_ file: OpenFile) throws(FileError) { try files(at: file.path).sync(file) }

  func syncFolder(_ path: String) throws(FileError) { try files(at: path).syncFolder(path) }

  func rename(_ path: String, to newPath: String) throws(FileError) {
    try files(at: path).rename(path, to: newPath)
  }

  func remove(_ path: String) throws(FileError) { try files(at: path).remove(path) }

  func removeFolder(_ path: String) throws(FileError) { try files(at: path).removeFolder(path) }

  func makeFolder(_ path: String) throws(FileError) -> Bool {
    try files(at: path).makeFolder(path)
  }

  func names(in path: String) throws(FileError) -> [String] { try files(at: path).names(in: path) }

  func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String] {
    try files(at: path).moveUnnameable(from: path, to: target)
  }

  func stamp(of file: OpenFile) throws(FileError) -> FileStamp {
    try files(at: file.path).stamp(of: file)
  }

  func holdLock(of path: String) throws(FileError) -> (any HeldLock)? {
    try files(at: path).holdLock(of: path)
  }
}
