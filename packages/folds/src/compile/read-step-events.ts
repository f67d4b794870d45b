import { copyOut } from '@tidings/postgres/copy-out';
import type { Sql } from '@tidings/postgres/database';
import type { Groups } from '../groups.ts';
import type { Memory } from '../memory.ts';
import { createPersonIds, type PersonIds } from '../person-ids.ts';
import { createSliceEvents, type SliceEvents, type VisitInstant } from '../slice-events.ts';
import { readSlices, type Slice } from '../slices.ts';
import { readInstant } from '../read-instant.ts';
import { readMergedUsers, type MergedUsers } from './read-persons.ts';
import type { Settings } from './settings.ts';
import { compileStepEvents, type CompiledStep } from './step-events.ts';

/** Steps whose first one lies in `[from, to)`, at one moment. In milliseconds. */
export type AskedEvents = {
  readonly applicationId: string;
  readonly steps: readonly CompiledStep[];
  /** Of the values that the steps name, and that others may name. */
  readonly settings: Settings;
  readonly from: number;
  readonly to: number;
  /** Later steps are before it. */
  readonly end: number;
  readonly now: number;
  /** A value of first events `e`, as SQL of a jsonb, and the numbers of its values. */
  readonly group?: { readonly value: string; readonly groups: Groups } | null;
};

/** Persons who did the first step. */
export type PersonsOfEvents = { readonly persons: PersonIds; readonly merged: MergedUsers };

const AFTER = `(select current_setting('tidings.after')::bigint)::bigint`;
const BEFORE = `(select current_setting('tidings.before')::bigint)::bigint`;
const ENTRY = 1;

/**
 * Reads the events of some steps in slices of time. In one transaction that sees one moment. Memory
 * grows with the persons who did the first step, not with their events.
 * @param visit events of these persons, in the order of time
 * @throws TooManyPersons
 */
export async function readStepEvents(
  sql: Sql,
  { applicationId, steps, settings, from, to, end, now, group = null }: AskedEvents,
  { memory, visit }: { readonly memory: Memory; readonly visit: VisitInstant },
): Promise<PersonsOfEvents> {
  const application = settings.add(applicationId, 'uuid');
  await settings.apply(sql);
  const persons = createPersonIds(memory);
  const merged = await readMergedUsers(sql, application, memory);

  // Of the slice before, while the next one is read: they are in the order of time.
  let visited = Promise.resolve();
  // What lies ahead of the moment does not count yet.
  const entriesEnd = Math.min(to, now + 1);
  const slugs = steps.flatMap((step) => step.slugs);
  for (const hasEntries of [true, false]) {
    const range = hasEntries
      ? { after: from, before: entriesEnd }
      : { after: Math.max(from, entriesEnd), before: Math.min(end, now + 1) };
    if (range.after >= range.before) continue;
    const events = compileStepEvents(steps, {
      application,
      settings,
      after: AFTER,
      before: BEFORE,
      hasEntries,
      group: group?.value ?? null,
    });
    if (events === null) continue;
    await settings.apply(sql);
    for (const part of await readSlices(sql, { applicationId, slugs, ...range })) {
      const slice = await readSlice(events, part);
      await visited;
      visited = slice.visit(visit);
      // Awaited after the next slice, or at the end.
      visited.catch(() => undefined);
    }
  }
  await visited;
  return { persons, merged };

  async function readSlice(events: string, { after, before }: Slice): Promise<SliceEvents> {
    await sql.query(
      `select set_config('tidings.after', $1, true), set_config('tidings.before', $2, true)`,
      [String(after), String(before)],
    );
    const slice = createSliceEvents(after, before - after, group !== null);
    await copyOut(sql, events, {
      fields: group === null ? 3 : 4,
      onRow: ({ bytes, offsets, lengths }) => {
        const mask = bytes.readInt32BE(offsets[2]);
        const id = merged.resolve(bytes, offsets[1] as number);
        const person =
          (mask & ENTRY) === 0
            ? persons.find(id.bytes, id.offset)
            : persons.add(id.bytes, id.offset);
        // Who has not done the first step before, or in this slice, is no part of the question yet.
        if (person < 0) return;
        slice.add(readInstant(bytes, offsets[0] as number), person, mask);
        if (group === null) return;
        const length = lengths[3] as number;
        const at = offsets[3] as number;
        slice.setGroup(
          group.groups.numberOf(length < 0 ? null : bytes.toString('utf8', at, at + length)),
        );
      },
    });
    return slice;
  }
}
