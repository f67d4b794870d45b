import { isUuid } from '@tidings/platform';

/** A place in a list that is ordered by arrival, newest first. */
export type ArrivalPosition = {
  /** Microseconds since the epoch: all that Postgres keeps of an instant, so that no row is skipped or seen twice. */
  readonly micros: number;
  readonly requestId: string;
  /** Of the message in its request; -1 of what is said of the whole request. */
  readonly index: number;
};

/** SQL of the microseconds of an instant; exact, as a double. */
export const microsOf = (column: string): string =>
  `(extract(epoch from ${column}) * 1000000)::float8`;

/** The cursor of a place; opaque to callers. */
export function toCursor({ micros, requestId, index }: ArrivalPosition): string {
  return `${micros}_${requestId}_${index}`;
}

/** Null for a text that is no cursor of ours. */
export function parseArrivalCursor(text: string): ArrivalPosition | null {
  const [, micros = '', requestId = '', index = ''] =
    /^(\d{1,16})_([^_]{36})_(-1|\d{1,4})$/.exec(text) ?? [];
  return isUuid(requestId) && Number.isSafeInteger(Number(micros))
    ? { micros: Number(micros), requestId, index: Number(index) }
    : null;
}

/** The instant as Postgres reads it, to the microsecond. */
export function toPostgresInstant(micros: number): string {
  const seconds = Math.floor(micros / 1_000_000);
  const fraction = String(micros % 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}

/** Parameters of the place to go on from, and nulls at the start of the list. */
export function positionParameters(
  cursor: string | undefined,
): readonly (string | number | null)[] {
  const place = cursor === undefined ? null : parseArrivalCursor(cursor);
  return place === null
    ? [null, null, null]
    : [toPostgresInstant(place.micros), place.requestId, place.index];
}

/** Negative when `a` arrived after `b`: the order of the lists. */
export function compareArrivals(a: ArrivalPosition, b: ArrivalPosition): number {
  if (a.micros !== b.micros) return b.micros - a.micros;
  if (a.requestId !== b.requestId) return a.requestId < b.requestId ? 1 : -1;
  return b.index - a.index;
}

/** What one look found: complete down to `frontier`, or to the end of the list when that is null. */
export type ScannedRange<T> = {
  readonly found: readonly (ArrivalPosition & { readonly item: T })[];
  readonly frontier: ArrivalPosition | null;
};

/** A stretch of at most `limit` of what was found; `scannedTo`: where the look ended early. */
export function toScannedRange<T>(
  found: ScannedRange<T>['found'],
  limit: number,
  scannedTo: ArrivalPosition | null,
): ScannedRange<T> {
  const last = found[limit - 1];
  return found.length > limit && last !== undefined
    ? { found: found.slice(0, limit), frontier: last }
    : { found, frontier: scannedTo };
}

export type ArrivalPage<T> = {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  /** Where the look for one page ended before the page was full: all that arrived after this instant is looked through. */
  readonly lookedBackTo?: number;
};

/** One page of several stretches: as far as all of them are complete. */
export function toArrivalPage<T>(
  stretches: readonly ScannedRange<T>[],
  limit: number,
): ArrivalPage<T> {
  const [newestFrontier] = stretches
    .flatMap(({ frontier }) => frontier ?? [])
    .toSorted(compareArrivals);
  const complete = stretches
    .flatMap(({ found }) => found)
    .filter((row) => newestFrontier === undefined || compareArrivals(row, newestFrontier) <= 0)
    .toSorted(compareArrivals);
  const { found, frontier } = toScannedRange(complete, limit, newestFrontier ?? null);
  const isCutShort = frontier !== null && found.length < limit;
  return {
    items: found.map(({ item }) => item),
    nextCursor: frontier && toCursor(frontier),
    ...(isCutShort && { lookedBackTo: Math.floor(frontier.micros / 1_000) }),
  };
}
