import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { isSameJson } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import {
  readDefinitions,
  type ConditionContext,
  type MessageRetention,
} from './condition-context.ts';
import { liveFault } from './live-conditions.ts';
import { readCondition } from './read-condition.ts';
import { checkNesting, listSegments } from './segment-nesting.ts';
import {
  isUsed,
  namingOf,
  readAutomationDefinitions,
  readTemplateConditions,
  readUses,
  type Uses,
} from './uses.ts';

const statement = statementsIn(import.meta.dirname);
const READ_CONDITIONS = definePreparedByKeys(statement('read-conditions'));
const READ_FUNNELS = definePreparedByKeys(statement('read-funnel-definitions'));
const READ_RETENTION = definePreparedByKeys(statement('read-event-retention'));

export type Segment = {
  readonly slug: string;
  readonly name: string;
  readonly condition: Condition;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Who made the version: a key, a token or a member. */
  readonly updatedBy: string;
  /** Segments whose conditions name it. */
  readonly usedBy: readonly string[];
  /** Null: its condition was not counted yet. */
  readonly lastCount: SegmentCount | null;
};

/** The last exact count of a version. */
export type SegmentCount = {
  readonly count: number;
  readonly reachable: Readonly<Record<Channel, number>>;
  /** Milliseconds. */
  readonly asOf: number;
};

type ListedSegment = Segment & {
  /** Of the newest `CAMPAIGNS_LOOKED_AT`, those that were for it. */
  readonly campaigns: number;
  /** Templates with a variant for it. */
  readonly templates: number;
};

const CAMPAIGNS_LOOKED_AT = 1_000;

export type SegmentVersion = {
  readonly version: number;
  readonly name: string;
  readonly condition: Condition;
  readonly createdAt: number;
  readonly createdBy: string;
};

type Which = { readonly applicationId: string; readonly slug: string };

/** All segments of an application, by slug. */
export async function listSegmentsOf(sql: Sql, applicationId: string): Promise<Segment[]> {
  const { rows } = await sql.query<{
    slug: string;
    name: string;
    condition: unknown;
    version: number;
    created_at: Date;
    updated_at: Date;
    updated_by: string;
    counted: unknown;
  }>(statement('read-segments'), [applicationId]);
  const uses = rows.map(({ slug, condition }) => ({
    slug,
    named: new Set(listSegments(condition as Condition).map((use) => use.slug)),
  }));
  return rows.map((row) => ({
    slug: row.slug,
    name: row.name,
    condition: row.condition as Condition,
    version: row.version,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    updatedBy: row.updated_by,
    usedBy: uses.filter(({ named }) => named.has(row.slug)).map(({ slug }) => slug),
    lastCount: lastCountOf(row),
  }));
}

/** A count of an earlier condition says nothing of this one. */
function lastCountOf(row: { readonly version: number; readonly counted: unknown }) {
  const counted = row.counted as (SegmentCount & { readonly version: number }) | null;
  if (counted?.version !== row.version) return null;
  const { count, reachable, asOf } = counted;
  return { count, reachable, asOf };
}

/** All segments of an application, by slug, with what uses them. */
export async function listSegmentsWithUses(
  sql: Sql,
  applicationId: string,
): Promise<ListedSegment[]> {
  const segments = await listSegmentsOf(sql, applicationId);
  const { rows } = await sql.query<{ segment: string; campaigns: number }>(
    statement('count-campaigns-of-segments'),
    [applicationId, CAMPAIGNS_LOOKED_AT],
  );
  const campaigns = new Map(rows.map((row) => [row.segment, row.campaigns]));
  const templates = await readTemplateConditions(sql, applicationId);
  return segments.map((segment) => ({
    ...segment,
    campaigns: campaigns.get(segment.slug) ?? 0,
    templates: namingOf(templates, (condition) =>
      listSegments(condition).some((use) => use.slug === segment.slug),
    ).length,
  }));
}

/**
 * Keeps the count of a version, unless the segment has another one since.
 * @callers api
 */
export async function keepCount(
  sql: Sql,
  { applicationId, slug, version }: Which & { readonly version: number },
  count: SegmentCount,
): Promise<void> {
  await sql.query(statement('keep-segment-count'), [
    applicationId,
    slug,
    version,
    JSON.stringify(count),
  ]);
}

/**
 * What conditions of an application may name now.
 * Where conditions are checked it needs the retention, for what their authors should know.
 */
export async function readConditionContext(
  sql: Sql,
  applicationId: string,
  { deliveryRetentionDays = null }: Partial<MessageRetention> = {},
): Promise<ConditionContext> {
  const definitions = await readDefinitions(sql, applicationId);
  const { rows: segments } = await sql.query<{ slug: string; condition: unknown }>(
    READ_CONDITIONS,
    [applicationId],
  );
  const { rows: funnels } = await sql.query<{ slug: string; definition: unknown }>(READ_FUNNELS, [
    applicationId,
  ]);
  const { rows } = await sql.query<{ days: number | null }>(READ_RETENTION, [applicationId]);
  return {
    applicationId,
    definitions,
    segments: new Map(segments.map(({ slug, condition }) => [slug, condition as Condition])),
    funnels: new Map(funnels.map(({ slug, definition }) => [slug, definition as FunnelDefinition])),
    eventRetentionDays: rows[0]?.days ?? null,
    deliveryRetentionDays,
  };
}

/** Until the end of the transaction the segments of an application do not change. */
export async function lockSegments(sql: Sql, applicationId: string): Promise<void> {
  await sql.query(statement('lock-segments'), [applicationId]);
}

/** `moved`: the version is not the expected one. `too_many`: the application has the maximum. */
export type WrittenSegment =
  | { readonly segment: Segment; readonly warnings: readonly Warning[] }
  | { readonly errors: readonly FieldError[] }
  | 'moved'
  | 'too_many';

/**
 * Creates a segment, or gives it a new version. Equal content changes nothing. Segments of an
 * application change one at a time, so that none is left with a cycle.
 * @param condition as it came; faults name their place below `/condition`
 * @callers api
 */
export function writeSegment(
  db: Database,
  {
    applicationId,
    slug,
    name,
    condition: value,
    expectedVersion,
    by,
    ...retention
  }: Which &
    Partial<MessageRetention> & {
      readonly name: string;
      readonly condition: unknown;
      readonly expectedVersion?: number;
      readonly by: string;
    },
): Promise<WrittenSegment> {
  return db.transaction(async (sql): Promise<WrittenSegment> => {
    await lockSegments(sql, applicationId);
    const segments = await listSegmentsOf(sql, applicationId);
    const current = segments.find((segment) => segment.slug === slug);
    if (expectedVersion !== undefined && expectedVersion !== (current?.version ?? 0))
      return 'moved';
    if (current === undefined && segments.length >= LIMITS.segmentsMax) return 'too_many';
    const read = checkNew(value, slug, await readConditionContext(sql, applicationId, retention));
    if (!read.ok) return { errors: read.errors };
    const { condition, warnings } = read;
    const definitions = await readAutomationDefinitions(sql, applicationId);
    const fault = liveFault(definitions, segments, { slug, condition });
    if (fault !== null) return { errors: [fault] };
    if (current === undefined || current.name !== name || !isSameJson(current.condition, condition))
      await sql.query(statement('write-segment'), [
        applicationId,
        slug,
        name,
        JSON.stringify(condition),
        by,
      ]);
    const written = await readSegment(sql, { applicationId, slug });
    if (written === null) throw new Error('a segment that was written is not found');
    return { segment: written, warnings };
  });
}

/** The condition, and the segments that name it, with it in its place. */
function checkNew(value: unknown, slug: string, context: ConditionContext) {
  const pointer = '/condition';
  const segments = new Map(context.segments);
  // A way that leads to the segment itself is a cycle.
  segments.set(slug, { segment: slug });
  const read = readCondition(value, { ...context, segments }, pointer);
  if (!read.ok) return read;
  segments.set(slug, read.condition);
  const errors = [...segments].flatMap(([other, condition]) =>
    checkNesting(condition, { segments }, pointer).map(({ code, expected }): FieldError => ({
      pointer,
      code,
      expected: `${expected ?? ''}, also in the segment ${other}`,
    })),
  );
  const [first] = errors;
  return first === undefined ? read : ({ ok: false, errors: [first] } as const);
}

/** A segment; null when the application has none with this slug. */
export async function readSegment(
  sql: Sql,
  { applicationId, slug }: Which,
): Promise<Segment | null> {
  const segments = await listSegmentsOf(sql, applicationId);
  return segments.find((segment) => segment.slug === slug) ?? null;
}

/** Newer than any. */
const VERSION_MAX = 2_147_483_647;

/** The versions of a segment before `before`, newest first; also of an archived one. */
export async function listSegmentVersions(
  sql: Sql,
  { applicationId, slug }: Which,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<SegmentVersion[]> {
  const { rows } = await sql.query<{
    version: number;
    name: string;
    condition: unknown;
    created_at: Date;
    created_by: string;
  }>(statement('list-segment-versions'), [applicationId, slug, before ?? VERSION_MAX, limit]);
  return rows.map((row) => ({
    version: row.version,
    name: row.name,
    condition: row.condition as Condition,
    createdAt: row.created_at.getTime(),
    createdBy: row.created_by,
  }));
}

/** What names a segment now; null when the application has none with this slug. */
export async function readSegmentUses(
  sql: Sql,
  { applicationId, slug }: Which,
): Promise<Uses | null> {
  const all = await listSegmentsOf(sql, applicationId);
  return all.some((each) => each.slug === slug)
    ? readUses(
        sql,
        { applicationId, segments: all },
        {
          inCondition: (condition) => listSegments(condition).some((use) => use.slug === slug),
          inAudience: ({ segment, exclude }) => [segment, exclude?.segment].includes(slug),
        },
      )
    : null;
}

/**
 * Archives a segment. Null when there is none; what names it, if something does.
 * @callers api
 */
export function archiveSegment(
  db: Database,
  { applicationId, slug, by }: Which & { readonly by: string },
): Promise<'archived' | Uses | null> {
  return db.transaction(async (sql) => {
    await lockSegments(sql, applicationId);
    const uses = await readSegmentUses(sql, { applicationId, slug });
    if (uses === null) return null;
    if (isUsed(uses)) return uses;
    await sql.query(statement('archive-segment'), [applicationId, slug, by]);
    return 'archived';
  });
}
