import { itemAt } from '@tidings/platform';
import type { EventKind, ReceiptReason } from '@tidings/contracts/ingest/ingest';
import type { KeyType } from '@tidings/contracts/ingest/records';
import type { Sql } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { readRemainingBudget } from './budgets.ts';
import { makeDefinitions, type DefinitionName } from './new-definitions.ts';

const statement = statementsIn(import.meta.dirname);

const FIND_DEFINITIONS = definePreparedByKeys(statement('find-definitions'));

/** How an event names its definition: by slug, or by a custom name that may create one. */
export type EventNaming = {
  readonly applicationId: string;
  readonly kind: EventKind;
  readonly keyType: KeyType;
} & ({ readonly slug: string } | { readonly customName: string });

/** The definition's slug, or why the event has none. */
export type ResolvedNaming = { readonly slug: string } | { readonly reason: ReceiptReason };

type Found = { readonly slug: string; readonly kind: EventKind; readonly discarded: boolean };

const slugKey = (applicationId: string, slug: string): string => `${applicationId}:slug:${slug}`;
const nameKey = (applicationId: string, kind: string, name: string): string =>
  `${applicationId}:${kind}:${name}`;
const keyOf = (naming: EventNaming): string =>
  'slug' in naming
    ? slugKey(naming.applicationId, naming.slug)
    : nameKey(naming.applicationId, naming.kind, naming.customName);

/**
 * Resolves the naming of each event to a slug or a reason, in the given order. A new custom name
 * becomes a definition, once, however many first events arrive concurrently.
 * @callers events-consumer
 */
export async function resolveDefinitions(
  sql: Sql,
  namings: readonly EventNaming[],
): Promise<ResolvedNaming[]> {
  const keys = namings.map(keyOf);
  const distinct = new Map(namings.map((naming, index) => [itemAt(keys, index), naming]));
  const found = await findDefinitions(sql, [...distinct.values()]);
  // A name sent by both types of key counts for the Server key: it uses no budget of Client keys.
  const byServers = new Set(
    namings.flatMap(({ keyType }, index) => (keyType === 'server' ? [itemAt(keys, index)] : [])),
  );
  const missing = [...distinct].flatMap(([key, naming]): DefinitionName[] => {
    if (!('customName' in naming) || found.has(key)) return [];
    const { applicationId, kind, customName } = naming;
    return [
      { applicationId, kind, name: customName, keyType: byServers.has(key) ? 'server' : 'client' },
    ];
  });
  for (const [key, definition] of await makeMissing(sql, missing)) found.set(key, definition);
  return namings.map((naming, index) => answerOf(naming, found.get(itemAt(keys, index))));
}

function answerOf(naming: EventNaming, definition: Found | undefined): ResolvedNaming {
  if (definition === undefined)
    return { reason: 'slug' in naming ? 'unknown_slug' : 'definition_limit' };
  if (definition.kind !== naming.kind) return { reason: 'slug_kind_mismatch' };
  return definition.discarded ? { reason: 'definition_discarded' } : { slug: definition.slug };
}

/** Matched by `named_slug` or `name`. The other columns belong to the target, if it is merged. */
type DefinitionRow = Found & {
  readonly application_id: string;
  readonly name: string;
  readonly named_slug: string;
  readonly is_by_slug: boolean;
};

/**
 * Two index lookups, one per unique key. One join with `or` would compare every definition with
 * every naming.
 */
async function findDefinitions(
  sql: Sql,
  namings: readonly EventNaming[],
): Promise<Map<string, Found>> {
  if (namings.length === 0) return new Map();
  const { rows } = await sql.query<DefinitionRow>(FIND_DEFINITIONS, [
    namings.map(({ applicationId }) => applicationId),
    namings.map(({ kind }) => kind),
    namings.map((naming) => ('slug' in naming ? naming.slug : null)),
    namings.map((naming) => ('customName' in naming ? naming.customName : null)),
  ]);
  return new Map(
    rows.map((row) => [
      row.is_by_slug
        ? slugKey(row.application_id, row.named_slug)
        : nameKey(row.application_id, row.kind, row.name),
      row,
    ]),
  );
}

/**
 * An exhausted budget stays exhausted for now: its new names cost a query, but no lock that others
 * would wait for.
 */
async function makeMissing(
  sql: Sql,
  missing: readonly DefinitionName[],
): Promise<Map<string, Found>> {
  if (missing.length === 0) return new Map();
  const budgets = await readRemainingBudget(sql, [
    ...new Set(missing.map(({ applicationId }) => applicationId)),
  ]);
  const hasBudget = ({ applicationId, keyType }: DefinitionName): boolean =>
    (budgets.get(applicationId)?.[keyType] ?? 0) > 0;
  // One of these names may have used the last slot, between the first lookup and the count.
  const full = missing
    .filter((name) => !hasBudget(name))
    .map(({ name, ...rest }) => ({ ...rest, customName: name }));
  const found = await findDefinitions(sql, full);
  const open = missing.filter(hasBudget);
  const made = open.length === 0 ? [] : await makeDefinitions(sql, 'auto', open);
  return new Map([
    ...found,
    ...made.map(
      (definition) =>
        [nameKey(definition.applicationId, definition.kind, definition.name), definition] as const,
    ),
  ]);
}
