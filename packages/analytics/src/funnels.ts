import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { isSameJson } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { namedFunnels } from '@tidings/segments/segment-nesting';
import { listSegmentsOf, lockSegments, readConditionContext } from '@tidings/segments/segments';
import { isUsed, readUses, type Uses } from '@tidings/segments/uses';
import { readFunnel } from './read-funnel.ts';

const statement = statementsIn(import.meta.dirname);

export type Funnel = FunnelDefinition & {
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Who made the version: a key, a token or a member. */
  readonly updatedBy: string;
  /** Segments whose conditions name it. */
  readonly usedBy: readonly string[];
};

export type FunnelVersion = FunnelDefinition & {
  readonly version: number;
  readonly name: string;
  readonly createdAt: number;
  readonly createdBy: string;
};

type Which = { readonly applicationId: string; readonly slug: string };

/** All funnels of an application, by slug. */
export async function listFunnels(sql: Sql, applicationId: string): Promise<Funnel[]> {
  const { rows } = await sql.query<{
    slug: string;
    name: string;
    definition: unknown;
    version: number;
    created_at: Date;
    updated_at: Date;
    updated_by: string;
  }>(statement('read-funnels'), [applicationId]);
  const uses = (await listSegmentsOf(sql, applicationId)).map((segment) => ({
    slug: segment.slug,
    named: new Set(namedFunnels(segment.condition)),
  }));
  return rows.map((row) => ({
    slug: row.slug,
    name: row.name,
    ...(row.definition as FunnelDefinition),
    version: row.version,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    updatedBy: row.updated_by,
    usedBy: uses.filter(({ named }) => named.has(row.slug)).map(({ slug }) => slug),
  }));
}

/** A funnel; null when the application has none with this slug. */
export async function findFunnel(sql: Sql, { applicationId, slug }: Which): Promise<Funnel | null> {
  const funnels = await listFunnels(sql, applicationId);
  return funnels.find((funnel) => funnel.slug === slug) ?? null;
}

/** `moved`: the version is not the expected one. `too_many`: the application has the maximum. */
export type WrittenFunnel =
  | { readonly funnel: Funnel; readonly warnings: readonly Warning[] }
  | { readonly errors: readonly FieldError[] }
  | 'moved'
  | 'too_many';

/**
 * Creates a funnel, or gives it a new version. Equal content changes nothing. Funnels of an
 * application change one at a time.
 * @param definition as it came
 * @callers api
 */
export function writeFunnel(
  db: Database,
  {
    applicationId,
    slug,
    name,
    definition: value,
    expectedVersion,
    by,
  }: Which & {
    readonly name: string;
    readonly definition: unknown;
    readonly expectedVersion?: number;
    readonly by: string;
  },
): Promise<WrittenFunnel> {
  return db.transaction(async (sql): Promise<WrittenFunnel> => {
    await sql.query(statement('lock-funnels'), [applicationId]);
    const funnels = await listFunnels(sql, applicationId);
    const current = funnels.find((funnel) => funnel.slug === slug);
    if (expectedVersion !== undefined && expectedVersion !== (current?.version ?? 0))
      return 'moved';
    if (current === undefined && funnels.length >= LIMITS.funnelsMax) return 'too_many';
    const read = readFunnel(value, await readConditionContext(sql, applicationId));
    if (!read.ok) return { errors: read.errors };
    const { funnel: definition, warnings } = read;
    const isOther =
      current === undefined ||
      !isSameJson({ steps: current.steps, window: current.window }, definition);
    if (isOther || current.name !== name)
      await sql.query(statement('write-funnel'), [
        applicationId,
        slug,
        name,
        JSON.stringify(definition),
        by,
      ]);
    const written = await findFunnel(sql, { applicationId, slug });
    if (written === null) throw new Error('a funnel that was written is not found');
    if (current === undefined || !isOther) return { funnel: written, warnings };
    const uses = await readUsesOf(sql, { applicationId, slug });
    return { funnel: written, warnings: [...warnings, ...useWarnings(uses)] };
  });
}

async function readUsesOf(sql: Sql, { applicationId, slug }: Which): Promise<Uses> {
  const segments = await listSegmentsOf(sql, applicationId);
  return readUses(
    sql,
    { applicationId, segments },
    { inCondition: (condition) => namedFunnels(condition).includes(slug) },
  );
}

/** What asks the funnel as it is now, also if it was made for another one. */
function useWarnings(uses: Uses): Warning[] {
  const named = (what: string, slugs: readonly string[]): string[] =>
    slugs.length === 0 ? [] : [`${what}: ${slugs.join(', ')}`];
  const slugsOf = (some: Uses['segments']): string[] => some.map(({ slug }) => slug);
  const texts = [
    ...named('segments', slugsOf(uses.segments)),
    ...named('templates', slugsOf(uses.templates)),
    ...named('automations', slugsOf(uses.automations)),
    ...named('campaigns', uses.campaignIds),
  ];
  return texts.length === 0
    ? []
    : [
        {
          code: 'in_use',
          pointer: '/steps',
          detail: `The change is theirs too. ${texts.join('; ')}.`,
        },
      ];
}

/** What names a funnel now; null when the application has none with this slug. */
export async function readFunnelUses(sql: Sql, which: Which): Promise<Uses | null> {
  return (await findFunnel(sql, which)) === null ? null : readUsesOf(sql, which);
}

/** Newer than any. */
const VERSION_MAX = 2_147_483_647;

/** The versions of a funnel before `before`, newest first; also of an archived one. */
export async function listFunnelVersions(
  sql: Sql,
  { applicationId, slug }: Which,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<FunnelVersion[]> {
  const { rows } = await sql.query<{
    version: number;
    name: string;
    definition: unknown;
    created_at: Date;
    created_by: string;
  }>(statement('list-funnel-versions'), [applicationId, slug, before ?? VERSION_MAX, limit]);
  return rows.map((row) => ({
    version: row.version,
    name: row.name,
    ...(row.definition as FunnelDefinition),
    createdAt: row.created_at.getTime(),
    createdBy: row.created_by,
  }));
}

/**
 * Archives a funnel. Null when there is none; what names it, if something does. Conditions change
 * under the lock of segments.
 * @callers api
 */
export function archiveFunnel(
  db: Database,
  { by, ...which }: Which & { readonly by: string },
): Promise<'archived' | Uses | null> {
  return db.transaction(async (sql) => {
    await lockSegments(sql, which.applicationId);
    const uses = await readFunnelUses(sql, which);
    if (uses === null || isUsed(uses)) return uses;
    await sql.query(statement('archive-funnel'), [which.applicationId, which.slug, by]);
    return 'archived';
  });
}
