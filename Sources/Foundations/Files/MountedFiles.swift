/// A file system that serves paths beginning with `root` from `files`, and all others from `base`.
package struct MountedFiles: FileSystem {
  let base: any FileSystem
  let root: String
  let files: any FileSystem

  package init(base: any FileSystem, root: String, files: any FileSystem) {
    (self.base, self.root, self.files) = (base, root, files)
  }

  private func files(at path: String) -> any FileSystem { path.hasPrefix(root) ? files : base }

  package func open(_ path: String, for purpose: FilePurpose) throws(FileError) -> OpenFile {
    try files(at: path).open(path, for: purpose)
  }

  package func close(_ file: OpenFile) { files(at: file.path).close(file) }

  package func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(FileError) -> Int {
    try files(at: file.path).write(bytes, to: file)
  }

  package func read(
    _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(FileError) -> Int {
    try files(at: file.path).read(file, into: buffer, at: offset)
  }

  package func size(of file: OpenFile) throws(FileError) -> Int {
    try files(at: file.path).size(of: file)
  }

  package func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    try files(at: file.path).truncate(file, to: size)
  }

  package func sync(_ file: OpenFile) throws(FileError) { try files(at: file.path).sync(file) }

  package func syncFolder(_ path: String) throws(FileError) { try files(at: path).syncFolder(path) }

  package func rename(_ path: String, to newPath: String) throws(FileError) {
    try files(at: path).rename(path, to: newPath)
  }

  package func remove(_ path: String) throws(FileError) { try files(at: path).remove(path) }

  package func removeFolder(_ path: String) throws(FileError) {
    try files(at: path).removeFolder(path)
  }

  package func makeFolder(_ path: String) throws(FileError) -> Bool {
    try files(at: path).makeFolder(path)
  }

  package func names(in path: String) throws(FileError) -> [String] {
    try files(at: path).names(in: path)
  }

  package func moveUnnameable(from path: String, to target: String) throws(FileError) -> [String] {
    try files(at: path).moveUnnameable(from: path, to: target)
  }

  package func stamp(of file: OpenFile) throws(FileError) -> FileStamp {
    try files(at: file.path).stamp(of: file)
  }

  package func isInPlace(_ file: OpenFile) -> Bool { files(at: file.path).isInPlace(file) }

  package func holdLock(of path: String) throws(FileError) -> (any HeldLock)? {
    try files(at: path).holdLock(of: path)
  }

  package func isOwned(_ path: String) -> Bool { files(at: path).isOwned(path) }

  package func readInput(
    _ path: String, limitBytes: Int, isSecret: Bool
  ) throws(ReadError) -> [UInt8] {
    try files(at: path).readInput(path, limitBytes: limitBytes, isSecret: isSecret)
  }

  package func replaceInput(
    _ path: String, _ old: [UInt8], by bytes: [UInt8]
  ) throws(ReadError) {
    try files(at: path).replaceInput(path, old, by: bytes)
  }
}
