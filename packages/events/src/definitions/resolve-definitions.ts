import type { EventKind, KeyType, ReceiptReason } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { readRemainingBudget } from './budgets.ts';
import { makeDefinitions, type DefinitionName } from './new-definitions.ts';

const statement = statementsIn(import.meta.dirname);

/** How an event names itself: by the slug of a definition, or by a name that makes one. */
export type EventNaming = {
  readonly applicationId: string;
  readonly kind: EventKind;
  readonly keyType: KeyType;
} & ({ readonly slug: string } | { readonly customName: string });

/** What an event's naming stands for. */
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
 * The slug each event's name stands for, or why it stands for none, in the order given. A custom name that is new
 * becomes a definition, once, however many first events arrive at the same time. @callers events-consumer
 */
export async function resolveDefinitions(
  sql: Sql,
  namings: readonly EventNaming[],
): Promise<ResolvedNaming[]> {
  const keys = namings.map(keyOf);
  const distinct = new Map(namings.map((naming, index) => [keys[index] ?? '', naming]));
  const found = await findDefinitions(sql, [...distinct.values()]);
  // A name that both types of key send at once is of the Server key: a Client key takes no place of its budget.
  const byServers = new Set(
    namings.flatMap(({ keyType }, index) => (keyType === 'server' ? [keys[index] ?? ''] : [])),
  );
  const missing = [...distinct].flatMap(([key, naming]): DefinitionName[] => {
    if (!('customName' in naming) || found.has(key)) return [];
    const { applicationId, kind, customName } = naming;
    return [
      { applicationId, kind, name: customName, keyType: byServers.has(key) ? 'server' : 'client' },
    ];
  });
  for (const [key, definition] of await makeMissing(sql, missing)) found.set(key, definition);
  return namings.map((naming, index) => answerOf(naming, found.get(keys[index] ?? '')));
}

function answerOf(naming: EventNaming, definition: Found | undefined): ResolvedNaming {
  if (definition === undefined)
    return { reason: 'slug' in naming ? 'unknown_slug' : 'definition_limit' };
  if (definition.kind !== naming.kind) return { reason: 'slug_kind_mismatch' };
  return definition.discarded ? { reason: 'definition_discarded' } : { slug: definition.slug };
}

/** Found by `named_slug` or `name`; the rest is of the definition that it is merged into, where it is. */
type DefinitionRow = Found & {
  readonly application_id: string;
  readonly name: string;
  readonly named_slug: string;
  readonly is_by_slug: boolean;
};

/** Two look-ups, one per unique key: a join on either of them would compare every definition with every naming. */
async function findDefinitions(
  sql: Sql,
  namings: readonly EventNaming[],
): Promise<Map<string, Found>> {
  if (namings.length === 0) return new Map();
  const { rows } = await sql.query<DefinitionRow>(statement('find-definitions'), [
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

/** A budget without room gets no more: its new names cost a look, and no lock that others would wait for. */
async function makeMissing(
  sql: Sql,
  missing: readonly DefinitionName[],
): Promise<Map<string, Found>> {
  if (missing.length === 0) return new Map();
  const room = await readRemainingBudget(sql, [
    ...new Set(missing.map(({ applicationId }) => applicationId)),
  ]);
  const hasRoom = ({ applicationId, keyType }: DefinitionName): boolean =>
    (room.get(applicationId)?.[keyType] ?? 0) > 0;
  // The last place may have gone to one of these very names, after the first look and before the count.
  const full = missing
    .filter((name) => !hasRoom(name))
    .map(({ name, ...rest }) => ({ ...rest, customName: name }));
  const found = await findDefinitions(sql, full);
  const open = missing.filter(hasRoom);
  const made = open.length === 0 ? [] : await makeDefinitions(sql, 'auto', open);
  return new Map([
    ...found,
    ...made.map(
      (definition) =>
        [nameKey(definition.applicationId, definition.kind, definition.name), definition] as const,
    ),
  ]);
}
