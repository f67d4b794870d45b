import type { EventKind } from '@tidings/contracts/ingest/ingest';
import type { KeyType } from '@tidings/contracts/ingest/records';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { randomInt } from 'node:crypto';
import { readRemainingBudget, spendClientTokens, type RemainingBudget } from './budgets.ts';

const statement = statementsIn(import.meta.dirname);

/** A name with the type of the key that sent it: a new name counts in the budget of that type. */
export type DefinitionName = {
  readonly applicationId: string;
  readonly kind: EventKind;
  readonly name: string;
  readonly keyType: KeyType;
};

/** The definition of a name, created now or meanwhile by another transaction. */
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
 * Creates definitions for names that had none when the caller looked, in the given order. Names
 * beyond the budget are left out. Each slug is unique for ever; a deleted definition is restored
 * under its slug.
 *
 * If anything is created, the applications stay locked until the transaction ends: names, slugs and
 * budgets are decided one transaction at a time. A transaction that waited and finds everything
 * created releases the lock at once.
 * @callers events
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
  // Rolling back to before the lock releases it.
  if (fresh.length === 0) await sql.query('rollback to savepoint before_definitions');
  await sql.query('release savepoint before_definitions');
  return made;
}

/**
 * The definitions of one application. `existing`: all of its definitions, including deleted ones.
 */
function chooseSlugs(
  names: readonly DefinitionName[],
  existing: readonly Row[],
  budget: RemainingBudget | undefined,
): MadeDefinition[] {
  const bySlug = new Map(existing.map((row) => [row.slug, row]));
  const slugs = new Set(bySlug.keys());
  const byName = new Map(existing.map((row) => [`${row.kind}:${row.name}`, row]));
  const left = { server: 0, client: 0, ...budget };
  return names.flatMap((name): MadeDefinition[] => {
    const named = byName.get(`${name.kind}:${name.name}`);
    // Follow a merged definition to its target.
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
