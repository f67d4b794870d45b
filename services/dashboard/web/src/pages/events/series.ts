/** A series as an answer gives it: a list of points, under one of a few names. */
type Answer = Readonly<Record<string, unknown>>;
export type Point = { readonly at: number; readonly count: number };

const first = (point: Answer, names: readonly string[]): number | null => {
  const found = names.map((name) => point[name]).find((value) => typeof value === 'number');
  return typeof found === 'number' ? found : null;
};

/** The points of a series, oldest first; what is none is left out. */
export function readSeries(answer: unknown): readonly Point[] {
  const holder = (answer ?? {}) as Answer;
  const list = [answer, holder['points'], holder['items'], holder['series']].find(Array.isArray) ?? [];
  return (list as readonly Answer[])
    .flatMap((point) => {
      const at = first(point, ['at', 'time', 'from', 'day', 'hour']);
      const count = first(point, ['count', 'events', 'value', 'amount']);
      return at === null || count === null ? [] : [{ at, count }];
    })
    .toSorted((a, b) => a.at - b.at);
}
