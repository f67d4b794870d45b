import type { EventKind, KeyType } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { randomInt } from 'node:crypto';
import { readRemainingBudget, spendClientTokens, type RemainingBudget } from './budgets.ts';

const statement = statementsIn(import.meta.dirname);

/** A name with the type of the key that sent it: new names count in the budget of that type. */
export type DefinitionName = {
  readonly applicationId: string;
  readonly kind: EventKind;
  readonly name: string;
  readonly keyType: KeyType;
};

/** The definition of a name: made now, or meanwhile by somebody else. */
export type MadeDefinition = DefinitionName & {
  readonly slug: string;
  readonly discarded: boolean;
  readonly isNew: boolean;
};

type Row = {
  readonly application_id: string;
  readonly kind: EventKind;
  readonly name: string;
  readonly slug: string;
  readonly discarded: boolean;
  readonly merged_into: string | null;
  readonly is_deleted: boolean;
};

const SLUG_CHARS = 5;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Definitions for names that had none when the caller looked, each with a slug that was never given to another name, in
 * the order given as long as their budget has room; a name without room is left out. A deleted definition comes back
 * under its slug. Where anything is made the applications are locked until the transaction ends, so that names, slugs
 * and budgets are decided by one at a time; a transaction that waited and finds all made releases the lock at once. @callers events
 */
export async function makeDefinitions(
  sql: Sql,
  origin: 'auto' | 'predefined',
  names: readonly DefinitionName[],
): Promise<MadeDefinition[]> {
  const applicationIds = [...new Set(names.map(({ applicationId }) => applicationId))];
  await sql.query('savepoint before_definitions');
  await sql.query(statement('lock-applications'), [applicationIds]);
  const { rows } = await sql.query<Row>(statement('read-application-definitions'), [
    applicationIds,
  ]);
  const budget = await readRemainingBudget(sql, applicationIds);
  const made = [...Map.groupBy(names, ({ applicationId }) => applicationId)].flatMap(
    ([applicationId, own]) =>
      chooseSlugs(
        own,
        rows.filter((row) => row.application_id === applicationId),
        budget.get(applicationId),
      ),
  );
  const fresh = made.filter(({ isNew }) => isNew);
  await insertDefinitions(sql, origin, fresh);
  // Going back to before the lock is what gives it up.
  if (fresh.length === 0) await sql.query('rollback to savepoint before_definitions');
  await sql.query('release savepoint before_definitions');
  return made;
}

/** One application's: `standing` are all it has, deleted ones included. */
function chooseSlugs(
  names: readonly DefinitionName[],
  existing: readonly Row[],
  room: RemainingBudget | undefined,
): MadeDefinition[] {
  const bySlug = new Map(existing.map((row) => [row.slug, row]));
  const slugs = new Set(bySlug.keys());
  const byName = new Map(existing.map((row) => [`${row.kind}:${row.name}`, row]));
  const left = { server: 0, client: 0, ...room };
  return names.flatMap((name): MadeDefinition[] => {
    const named = byName.get(`${name.kind}:${name.name}`);
    // A merged definition is another name of the one it points at.
    const found = bySlug.get(named?.merged_into ?? '') ?? named;
    if (found !== undefined && !found.is_deleted)
      return [{ ...name, slug: found.slug, discarded: found.discarded, isNew: false }];
    if (left[name.keyType] <= 0) return [];
    left[name.keyType] -= 1;
    const slug = found?.slug ?? newSlug(slugs);
    slugs.add(slug);
    return [{ ...name, slug, discarded: false, isNew: true }];
  });
}

function newSlug(taken: ReadonlySet<string>): string {
  for (;;) {
    const slug = Array.from({ length: SLUG_CHARS }, () => LETTERS[randomInt(LETTERS.length)]).join(
      '',
    );
    if (!taken.has(slug)) return slug;
  }
}

async function insertDefinitions(
  sql: Sql,
  origin: string,
  made: readonly MadeDefinition[],
): Promise<void> {
  if (made.length === 0) return;
  await sql.query(statement('insert-definitions'), [
    made.map(({ applicationId }) => applicationId),
    made.map(({ slug }) => slug),
    made.map(({ kind }) => kind),
    made.map(({ name }) => name),
    made.map(({ keyType }) => keyType === 'client'),
    origin,
  ]);
  const byClients = Map.groupBy(
    made.filter(({ keyType }) => keyType === 'client'),
    ({ applicationId }) => applicationId,
  );
  await spendClientTokens(
    sql,
    new Map([...byClients].map(([applicationId, own]) => [applicationId, own.length])),
  );
}
