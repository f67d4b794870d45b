/** Bounds of one text, and of rendering it. They hold for every text, also of an administrator. */
export const TEXT_LIMITS = {
  /** Characters of one `{{ … }}` or `{% … %}`: bounds the work between two checks. */
  tokenCharsMax: 1_000,
  /** Also of all texts of a message. */
  tokensMax: 5_000,
  /** Blocks within blocks. */
  depthMax: 20,
  /**
   * Nodes, filters, operators, and 10,000 comparisons of characters. Counted, so that equal data
   * always has the same outcome.
   */
  stepsMax: 10_000,
  /** Characters that filters, ranges and lists of one rendering may make. */
  memoryMax: 1024 * 1024,
  /** Characters of a text that is looked for in another: one search cannot be ended. */
  searchCharsMax: 1_000,
  outputCharsMax: 1024 * 1024,
  /**
   * A second bound, for work that steps do not measure: CPU of the thread. Elapsed time would fail
   * messages when the machine is busy.
   */
  renderCpuMsMax: 200,
  /** A third, from outside of the thread, for work that does not come to the first two. */
  renderMsMax: 1_000,
  /** Memory of a rendering thread, with the messages that it keeps parsed. */
  threadMemoryMb: 256,
  threadYoungMemoryMb: 8,
} as const;
