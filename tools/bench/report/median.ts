/** The median; the mean of the two middle values for an even count. */
export function median(values: readonly number[]): number {
  const ordered = [...values].sort((a, b) => a - b);
  const middle = Math.floor(ordered.length / 2);
  const upper = ordered[middle] ?? NaN;
  return ordered.length % 2 === 1 ? upper : ((ordered[middle - 1] ?? NaN) + upper) / 2;
}
