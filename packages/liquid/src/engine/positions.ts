/** Line and column of a character of a text, both from 1. */
export type PositionOf = (index: number) => { readonly line: number; readonly column: number };

/**
 * Positions in a text. Lines are looked for once: liquidjs reads the text from its beginning for
 * each position, which for thousands of outputs takes seconds.
 */
export function positionsIn(text: string): PositionOf {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (index) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= index) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: index - (starts[low] ?? 0) + 1 };
  };
}
