/// An open file: the descriptor, and the path for messages.
public struct OpenFile: Hashable, Sendable {
  /// The system's number of the open file.
  public let descriptor: Int32
  /// The path under which it was opened.
  public let path: String

  /// An open file.
  public init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }
}

/// What a file is opened for.
public enum FilePurpose: Sendable {
  /// To read what is there.
  case read
  /// To append; made when it does not exist.
  case append
  /// To write from the beginning; what was there is gone.
  case replace
}
