import type { EventKind } from '@tidings/contracts/ingest/ingest';
import type { Definition as DefinitionRow } from '@tidings/database/client';
import type { Database } from '@tidings/postgres/database';
import { makeDefinitions } from './new-definitions.ts';

export type Definition = {
  readonly slug: string;
  readonly name: string;
  readonly kind: EventKind;
  readonly origin: 'auto' | 'predefined';
  readonly discarded: boolean;
  /** First sent by a Client key: counts in the budget of Client keys. */
  readonly byClientKey: boolean;
  readonly createdAt: number;
  /** The slug of the definition that this one was merged into. */
  readonly mergedInto?: string;
};

/**
 * Creates a definition before its first event. `conflict` when the name is taken, `too_many` when
 * the budget is used up.
 * @callers api
 */
export async function createDefinition(
  db: Database,
  input: { readonly applicationId: string; readonly name: string; readonly kind: EventKind },
): Promise<Definition | 'conflict' | 'too_many'> {
  const { applicationId } = input;
  const [made] = await db.transaction((sql) =>
    makeDefinitions(sql, 'predefined', [{ ...input, keyType: 'server' }]),
  );
  if (made === undefined) return 'too_many';
  if (!made.isNew) return 'conflict';
  return toDefinition(
    await (
      await db.prisma()
    ).definition.findUniqueOrThrow({
      where: { applicationId_slug: { applicationId, slug: made.slug } },
    }),
  );
}

/** All definitions of an application, sorted by name, without deleted ones. */
export async function listDefinitions(db: Database, applicationId: string): Promise<Definition[]> {
  const rows = await (
    await db.prisma()
  ).definition.findMany({
    where: { applicationId, deletedAt: null },
    orderBy: [{ name: 'asc' }, { kind: 'asc' }],
  });
  return rows.map(toDefinition);
}

/** The definition with this slug; null when there is none or it is deleted. */
export async function readDefinition(
  db: Database,
  applicationId: string,
  slug: string,
): Promise<Definition | null> {
  const row = await (
    await db.prisma()
  ).definition.findUnique({
    where: { applicationId_slug: { applicationId, slug }, deletedAt: null },
  });
  return row && toDefinition(row);
}

function toDefinition(row: DefinitionRow): Definition {
  return {
    slug: row.slug,
    name: row.name,
    kind: row.kind as EventKind,
    origin: row.origin as Definition['origin'],
    discarded: row.discarded,
    byClientKey: row.byClientKey,
    createdAt: row.createdAt.getTime(),
    ...(row.mergedInto !== null && { mergedInto: row.mergedInto }),
  };
}
