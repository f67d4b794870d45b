import { stringifyExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { hearsOf } from '@tidings/segments/live-conditions';
import { inlineSegments } from '@tidings/segments/segment-nesting';
import { SHARDS } from '@tidings/user-changes/changes';
import { createHash } from 'node:crypto';

const statement = statementsIn(import.meta.dirname);
const READ_LIVE = definePrepared(statement('read-live-segments'));

/** A segment whose members are known at each moment, as one shard of the people has it. */
export type LiveSegment = {
  readonly applicationId: string;
  readonly slug: string;
  readonly shard: number;
  /** Members of another build are of another condition. */
  readonly buildId: string;
  readonly fingerprint: string;
  /** The customUserId up to which the build has looked at the people of the shard. */
  readonly builtUpTo: string | null;
  readonly isBuilt: boolean;
};

/** What a segment asks: another one has other members. */
export function fingerprintOf(context: ConditionContext, slug: string): string {
  const condition = inlineSegments({ segment: slug }, context);
  const { slugs } = hearsOf(condition, context);
  return createHash('sha256')
    .update(stringifyExactJson([condition, slugs]))
    .digest('hex');
}

/**
 * Replaces the live segments of an application. A new one is built, and one that asks something else
 * by now is built anew. The caller passes all that its automations name, and lets no other call for
 * this application run at the same time. @callers automations
 */
export async function setLiveSegments(
  sql: Sql,
  context: ConditionContext,
  slugs: readonly string[],
): Promise<void> {
  await sql.query(statement('set-live-segments'), [
    context.applicationId,
    slugs,
    slugs.map((slug) => fingerprintOf(context, slug)),
    SHARDS,
  ]);
}

/** The live segments of applications. */
export async function readLiveSegments(
  sql: Sql,
  { applicationIds, shard }: { readonly applicationIds: readonly string[]; readonly shard: number },
): Promise<LiveSegment[]> {
  if (applicationIds.length === 0) return [];
  const { rows } = await sql.query<{
    application_id: string;
    slug: string;
    build_id: string;
    fingerprint: string;
    built_up_to: string | null;
    is_built: boolean;
  }>(READ_LIVE, [applicationIds, shard]);
  return rows.map((row) => ({
    applicationId: row.application_id,
    slug: row.slug,
    shard,
    buildId: row.build_id,
    fingerprint: row.fingerprint,
    builtUpTo: row.built_up_to,
    isBuilt: row.is_built,
  }));
}

/** Shards where a build goes on, or time has come for someone to be asked again. */
export async function readShardsToAsk(sql: Sql): Promise<number[]> {
  const { rows } = await sql.query<{ shard: number }>(statement('read-shards-to-ask'), [SHARDS]);
  return rows.map(({ shard }) => shard);
}
