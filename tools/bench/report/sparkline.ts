const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Values as a line of bars from zero to the maximum; values beyond the width are averaged. */
export function sparkline(values: readonly number[], width: number): string {
  const columns = Math.min(width, values.length);
  const means = Array.from({ length: columns }, (_, column) => {
    const group = values.slice(
      Math.floor((column * values.length) / columns),
      Math.floor(((column + 1) * values.length) / columns),
    );
    return group.reduce((sum, value) => sum + value, 0) / group.length;
  });
  const most = Math.max(...means);
  return means
    .map((mean) => BARS[most <= 0 ? 0 : Math.round((Math.max(0, mean) / most) * (BARS.length - 1))])
    .join('');
}
