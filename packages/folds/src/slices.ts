import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const QUARTER_MS = 900_000;
const SLICE_EVENTS_MAX = 100_000;
/** A slice is sorted by numbers that hold the time within it and the place of an event. */
const SLICE_MS_MAX = 90 * 86_400_000;

/** Events in `[after, before)`, in milliseconds. */
export type Slice = { readonly after: number; readonly before: number };
export type Quarter = { readonly at: number; readonly events: number };

/** Cuts a range into slices of at most `SLICE_EVENTS_MAX` events, as far as they are counted. */
export async function readSlices(
  sql: Sql,
  {
    applicationId,
    slugs,
    ...range
  }: Slice & { readonly applicationId: string; readonly slugs: readonly string[] },
): Promise<Slice[]> {
  const { rows } = await sql.query<Quarter>(statement('read-event-quarters'), [
    applicationId,
    slugs,
    Math.max(range.after - QUARTER_MS, 0),
    Math.max(range.before, 0),
  ]);
  return cutSlices(rows, range);
}

/** @param quarters in order of time */
export function cutSlices(
  quarters: readonly Quarter[],
  { after, before }: Slice,
  eventsMax = SLICE_EVENTS_MAX,
): Slice[] {
  const ends: number[] = [];
  let begin = after;
  let events = 0;
  for (const quarter of quarters) {
    const start = Math.max(quarter.at, begin);
    const end = Math.min(quarter.at + QUARTER_MS, before);
    if (end <= start) continue;
    if (events > 0 && events + quarter.events > eventsMax) {
      ends.push(start);
      [begin, events] = [start, 0];
    }
    events += quarter.events;
    // One quarter with more is cut by time.
    const pieces = Math.ceil(quarter.events / eventsMax);
    for (let piece = 1; piece < pieces; piece += 1)
      ends.push(start + Math.ceil(((end - start) * piece) / pieces));
    if (pieces > 1) {
      ends.push(end);
      [begin, events] = [end, 0];
    }
  }
  const slices: Slice[] = [];
  let from = after;
  for (const end of [...ends, before]) {
    for (; end - from > SLICE_MS_MAX; from += SLICE_MS_MAX)
      slices.push({ after: from, before: from + SLICE_MS_MAX });
    if (end > from) slices.push({ after: from, before: end });
    from = Math.max(from, end);
  }
  return slices;
}
