import { isUuid } from '@tidings/platform';

/** A position in a list ordered by arrival, newest first. */
export type ArrivalPosition = {
  /**
   * Microseconds since the epoch, the full precision of Postgres: no row is skipped or repeated.
   */
  readonly micros: number;
  readonly requestId: string;
  /** Index of the message in its request; -1 for an entry about the whole request. */
  readonly index: number;
};

/** Encodes a position as a cursor, which is opaque to callers. */
function toCursor({ micros, requestId, index }: ArrivalPosition): string {
  return `${micros}_${requestId}_${index}`;
}

/** Null for a text that is not a valid cursor. */
export function parseArrivalCursor(text: string): ArrivalPosition | null {
  const [, micros = '', requestId = '', index = ''] =
    /^(\d{1,16})_([^_]{36})_(-1|\d{1,4})$/.exec(text) ?? [];
  return isUuid(requestId) && Number.isSafeInteger(Number(micros))
    ? { micros: Number(micros), requestId, index: Number(index) }
    : null;
}

/** The instant as Postgres parses it, with microseconds. */
function toPostgresInstant(micros: number): string {
  const seconds = Math.floor(micros / 1_000_000);
  const fraction = String(micros % 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}

/** The three parameters of the position to continue from; nulls at the start of the list. */
export function positionParameters(
  cursor: string | undefined,
): readonly (string | number | null)[] {
  const position = cursor === undefined ? null : parseArrivalCursor(cursor);
  return position === null
    ? [null, null, null]
    : [toPostgresInstant(position.micros), position.requestId, position.index];
}

/** Sort order of the lists: negative when `a` arrived after `b`. */
function compareArrivals(a: ArrivalPosition, b: ArrivalPosition): number {
  if (a.micros !== b.micros) return b.micros - a.micros;
  if (a.requestId !== b.requestId) return a.requestId < b.requestId ? 1 : -1;
  return b.index - a.index;
}

/**
 * The result of one scan. It is complete down to `frontier`, or to the end of the list if that is
 * null.
 */
export type ScannedRange<T> = {
  readonly found: readonly (ArrivalPosition & { readonly item: T })[];
  readonly frontier: ArrivalPosition | null;
};

/** Limits what was found to `limit` items. `scannedTo`: where the scan stopped early, or null. */
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
  /**
   * Set when the scan stopped before the page was full: everything that arrived after this instant
   * was scanned.
   */
  readonly lookedBackTo?: number;
};

/** Combines several scanned ranges into one page, as far as all of them are complete. */
export function toArrivalPage<T>(
  ranges: readonly ScannedRange<T>[],
  limit: number,
): ArrivalPage<T> {
  const [newestFrontier] = ranges
    .flatMap(({ frontier }) => frontier ?? [])
    .toSorted(compareArrivals);
  const complete = ranges
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
