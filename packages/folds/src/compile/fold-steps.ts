import { copyOut } from '@tidings/postgres/copy-out';
import type { Sql } from '@tidings/postgres/database';
import { createFold, type Fold } from '../fold.ts';
import type { Memory } from '../memory.ts';
import { createGroups, type Groups } from '../groups.ts';
import { createPersonIds, type PersonIds } from '../person-ids.ts';
import { createSliceEvents } from '../slice-events.ts';
import { readSlices, type Slice } from '../slices.ts';
import { readMergedUsers } from './read-persons.ts';
import type { Settings } from './settings.ts';
import { compileStepEvents, type CompiledStep } from './step-events.ts';

/** Steps whose first one lies in `[from, to)`, at one moment. In milliseconds. */
export type AskedSteps = {
  readonly applicationId: string;
  readonly steps: readonly CompiledStep[];
  /** Of the values that the steps name, and that others may name. */
  readonly settings: Settings;
  readonly windowMs: number;
  readonly from: number;
  readonly to: number;
  readonly now: number;
  /** SQL of a value of events `e`, a jsonb: those of first events are the groups of persons. */
  readonly group?: string | null;
};

/** Persons who did the first step, and how far each came. */
export type FoldedSteps = {
  readonly persons: PersonIds;
  readonly fold: Fold;
  readonly groups: Groups;
};

const AFTER = `(select current_setting('tidings.after')::bigint)::bigint`;
const BEFORE = `(select current_setting('tidings.before')::bigint)::bigint`;

/**
 * Reads the events of some steps in slices of time and folds them. In one transaction that sees one
 * moment. Memory grows with the persons who entered, not with their events.
 * @throws TooManyPersons
 */
export async function foldSteps(
  sql: Sql,
  { applicationId, steps, settings, windowMs, from, to, now, group = null }: AskedSteps,
  memory: Memory,
): Promise<FoldedSteps> {
  const application = settings.add(applicationId, 'uuid');
  await settings.apply(sql);
  const persons = createPersonIds(memory);
  const groups = createGroups();
  const hasGroups = group !== null;
  const fold = createFold(
    { steps: steps.length, windowMs, groups: hasGroups ? groups : null },
    memory,
  );
  const merged = await readMergedUsers(sql, application, memory);

  // What lies ahead of the moment does not count yet.
  const entriesEnd = Math.min(to, now + 1);
  const end = Math.min(to + windowMs, now + 1);
  const slugs = steps.flatMap((step) => step.slugs);
  for (const hasEntries of [true, false]) {
    const range = hasEntries
      ? { after: from, before: entriesEnd }
      : { after: Math.max(from, entriesEnd), before: end };
    if (range.after >= range.before) continue;
    const events = compileStepEvents(steps, {
      application,
      settings,
      after: AFTER,
      before: BEFORE,
      hasEntries,
      group,
    });
    if (events === null) continue;
    await settings.apply(sql);
    for (const slice of await readSlices(sql, { applicationId, slugs, ...range }))
      await foldSlice(events, slice);
  }
  return { persons, fold, groups };

  async function foldSlice(events: string, { after, before }: Slice): Promise<void> {
    await sql.query(
      `select set_config('tidings.after', $1, true), set_config('tidings.before', $2, true)`,
      [String(after), String(before)],
    );
    const slice = createSliceEvents(after, before - after, hasGroups);
    await copyOut(sql, events, {
      fields: hasGroups ? 4 : 3,
      onRow: ({ bytes, offsets, lengths }) => {
        const mask = bytes.readInt32BE(offsets[2]);
        const id = merged.resolve(bytes, offsets[1] as number);
        const person =
          (mask & 1) === 1 ? persons.add(id.bytes, id.offset) : persons.find(id.bytes, id.offset);
        // Who has not entered before, or in this slice, is no part of the funnel yet.
        if (person < 0) return;
        slice.add(Number(bytes.readBigInt64BE(offsets[0])), person, mask);
        if (!hasGroups) return;
        const length = lengths[3] as number;
        const at = offsets[3] as number;
        slice.setGroup(
          groups.numberOf(length < 0 ? null : bytes.toString('utf8', at, at + length)),
        );
      },
    });
    slice.drain(fold.applyEvents);
  }
}
