import type { Sql } from '@tidings/postgres/database';
import { createFold, type Fold } from '../fold.ts';
import { createMemory } from '../memory.ts';
import { readInstant } from '../read-instant.ts';
import { branchesOf, isSuch, maskOf, type CompiledStep } from './step-events.ts';

/** Steps of given persons whose first one lies in `[from, to)`, at one moment. In milliseconds. */
export type GivenSteps = {
  readonly steps: readonly CompiledStep[];
  readonly parameters: { readonly values: unknown[]; add(value: unknown, type: string): string };
  /** SQL: of users `u`, those who are asked about. */
  readonly isAsked: string;
  readonly windowMs: number;
  readonly from: number;
  readonly to: number;
  readonly now: number;
};

/** Of few persons. */
const MEMORY_MIB = 64;
const EVENT_BYTES = 12;

/**
 * Folds the events of given persons: of each of their ids and definitions an index has them in their
 * order. A person comes as one row, with 12 bytes for each event.
 * @returns ids of the persons by their numbers
 */
export async function foldGivenSteps(
  sql: Sql,
  { steps, parameters, isAsked, windowMs, from, to, now }: GivenSteps,
): Promise<{ readonly ids: readonly string[]; readonly fold: Fold }> {
  const { add, values } = parameters;
  const after = add(from, 'bigint');
  // What lies ahead of the moment does not count yet.
  const before = add(Math.min(to + windowMs, now + 1), 'bigint');
  const events = branchesOf(steps, true).map(
    (branch) =>
      `select e.time, ${maskOf(branch)} as steps
       from (select p.id from users p where p.id = u.id or p.merged_into = u.id) o
         cross join lateral (
           select e.time, e.attributes from events e
           where e.user_id = o.id and e.slug = ${add(branch.slug, 'text')}
             and e.time >= ${after} and e.time < ${before} and ${isSuch(branch)}
           offset 0
         ) e`,
  );
  const fold = createFold({ steps: steps.length, windowMs }, createMemory(MEMORY_MIB));
  if (events.length === 0) return { ids: [], fold };
  const { rows } = await sql.query<{ id: string; events: Buffer | null }>(
    `select u.id, (
       select string_agg(int8send(e.time) || int4send(e.steps), ''::bytea order by e.time)
       from (${events.join(' union all ')}) e
     ) as events
     from users u
     where ${isAsked}`,
    values,
  );
  const entriesEnd = Math.min(to, now + 1);
  for (const [person, row] of rows.entries())
    if (row.events !== null) applyEvents(fold, { person, events: row.events, entriesEnd });
  return { ids: rows.map(({ id }) => id), fold };
}

/** @param events of one person in their order */
function applyEvents(
  fold: Fold,
  {
    person,
    events,
    entriesEnd,
  }: { readonly person: number; readonly events: Buffer; readonly entriesEnd: number },
): void {
  let instant = Number.NaN;
  let masks: number[] = [];
  for (let at = 0; at < events.length; at += EVENT_BYTES) {
    const time = readInstant(events, at);
    const mask = events.readInt32BE(at + 8);
    // Bit 0 is the first step.
    const steps = time < entriesEnd ? mask : mask & ~1;
    if (steps === 0) continue;
    if (time !== instant && masks.length > 0) {
      fold.apply(person, instant, masks);
      masks = [];
    }
    instant = time;
    masks.push(steps);
  }
  if (masks.length > 0) fold.apply(person, instant, masks);
}
