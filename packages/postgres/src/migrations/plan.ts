import { CHAIN, EARLIER_BASELINE, wayToEndOfChain } from './chain.ts';
import type { Migration } from './files.ts';
import type { Applied } from './list.ts';

/**
 * The steps for a database: record the baseline as applied if the whole chain was, then apply the
 * rest.
 */
export type Plan = {
  readonly toNote: readonly Migration[];
  readonly toApply: readonly Migration[];
};

/**
 * Plans from the list alone, so a database is rejected before any change.
 * @param migrations of this release; the first is the baseline
 * @throws Error if an applied migration has another checksum, if one is missing between others, or
 * if the database stopped inside the chain that the baseline replaces
 */
export function planMigrations(migrations: readonly Migration[], list: readonly Applied[]): Plan {
  const applied = new Map(list.map((entry) => [entry.id, entry]));
  const edited = migrations.find(({ id, hash }) => (applied.get(id)?.hash ?? hash) !== hash);
  if (edited !== undefined)
    throw new Error(
      `Migration ${edited.id}_${edited.name} has another hash than the one that was applied to this database. Nothing was changed.`,
    );
  const [baseline] = migrations;
  const isAtBaseline = baseline !== undefined && applied.has(baseline.id);
  // Migration 0 creates the table itself.
  const isEmpty = list.every(({ id }) => id === 0);
  if (!isAtBaseline && !isEmpty) requireWholeChain(applied);
  const toNote = baseline !== undefined && !isAtBaseline && !isEmpty ? [baseline] : [];
  const newest = Math.max(...list.map(({ id }) => id), ...toNote.map(({ id }) => id));
  const toApply = migrations.filter((each) => !applied.has(each.id) && !toNote.includes(each));
  const skipped = toApply.find(({ id }) => id < newest);
  if (skipped !== undefined)
    throw new Error(
      `Migration ${skipped.id}_${skipped.name} was not applied to this database, but one after it was. Nothing was changed.`,
    );
  return { toNote, toApply };
}

function requireWholeChain(applied: ReadonlyMap<number, Applied>): void {
  const last = CHAIN.length - 1;
  const newest = Math.max(...applied.keys());
  const first = applied.has(EARLIER_BASELINE) && !applied.has(1) ? EARLIER_BASELINE : 0;
  const different = CHAIN.findIndex(
    (hash, id) => applied.has(id) && applied.get(id)?.hash !== hash,
  );
  if (different !== -1)
    throw new Error(
      `Migration ${different} of this database has another hash than that of any version. Nothing was changed.`,
    );
  if (newest < last)
    throw new Error(
      `This database is at migration ${newest}, and this version begins at migration ${last}. Migrate it with the checkout at ${wayToEndOfChain(newest)} first. Nothing was changed.`,
    );
  const missing = CHAIN.findIndex((_, id) => id >= first && !applied.has(id));
  if (missing !== -1 || newest > last)
    throw new Error(
      `The list of migrations of this database is that of no version (migration ${missing === -1 ? newest : missing}). Nothing was changed.`,
    );
}
