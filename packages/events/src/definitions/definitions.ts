import type { EventKind } from '@tidings/contracts';
import type { Definition as DefinitionRow } from '@tidings/database/client';
import type { Database } from '@tidings/postgres/database';
import { makeDefinitions } from './new-definitions.ts';

export type Definition = {
  readonly slug: string;
  readonly name: string;
  readonly kind: EventKind;
  readonly origin: 'auto' | 'predefined';
  readonly discarded: boolean;
  /** A Client key sent its name first: it counts in the budget of Client keys. */
  readonly byClientKey: boolean;
  readonly createdAt: number;
  /** The slug of the definition that this one became another name of. */
  readonly mergedInto?: string;
};

/**
 * Makes a definition ahead of its first event. `conflict` when the name is taken, `too_many` when the application has
 * as many as it may have. @callers api
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

/** All definitions of an application by name; deleted ones are left out. */
export async function listDefinitions(db: Database, applicationId: string): Promise<Definition[]> {
  const rows = await (
    await db.prisma()
  ).definition.findMany({
    where: { applicationId, deletedAt: null },
    orderBy: [{ name: 'asc' }, { kind: 'asc' }],
  });
  return rows.map(toDefinition);
}

/** The definition of this slug; null also when it is deleted. */
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
