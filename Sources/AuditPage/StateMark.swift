/// How a check ended, shown by shape and word, not only by colour.
enum StateMark: String {
  /// It ran and found nothing.
  case passed
  /// It found something.
  case found
  /// It could not run.
  case leftOut = "left-out"

  /// The drawings that ``html`` refers to; include them once per page.
  static let definitions: HTML = """
    <svg class="definitions" aria-hidden="true" width="0" height="0">
    <symbol id="mark-passed" viewBox="0 0 16 16"><path d="M3 8.5l3.2 3.2L13 4.6"/></symbol>
    <symbol id="mark-found" viewBox="0 0 16 16"><path d="M4 4l8 8M12 4l-8 8"/></symbol>
    <symbol id="mark-left-out" viewBox="0 0 16 16"><path d="M3.5 8h9"/></symbol>
    </svg>
    """

  /// The mark; it needs words beside it.
  var html: HTML {
    """
    <svg class="mark \(rawValue)" viewBox="0 0 16 16" aria-hidden="true">\
    <use href="#mark-\(rawValue)"/></svg>
    """
  }
}
