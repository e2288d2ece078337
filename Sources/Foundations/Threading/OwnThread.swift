internal import Glibc
internal import LinuxShims

/// Runs `body` on a new thread that ends with it, for calls that may block indefinitely.
///
/// Debuggers show `name`.
package func ownThread(named name: String, _ body: @escaping @Sendable () -> Void) {
  let work = Unmanaged.passRetained(ThreadWork(name: name, body: body))
  var thread = pthread_t()
  let code = pthread_create(&thread, nil, runThreadWork, work.toOpaque())
  // Without a thread the work would be lost; the system is out of memory.
  precondition(code == 0, "cannot start the thread \(name): error \(code)")
  pthread_detach(thread)
}

private final class ThreadWork {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

// A global function, because C cannot call a closure isolated to an actor.
private func runThreadWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let work = Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue()
  linux_name_thread(work.name)
  work.body()
  return nil
}
