import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import type { EventKind } from '@tidings/contracts/ingest/ingest';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { EventReference } from '@tidings/contracts/segments/leaves/parts';
import type { Sql } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);
const READ_DEFINITIONS = definePreparedByKeys(statement('read-condition-definitions'));

/** An event definition, as a condition may name it. */
export type NamedDefinition = {
  readonly slug: string;
  readonly kind: EventKind;
  readonly name: string;
  readonly discarded: boolean;
  readonly mergedInto: string | null;
};

/** For how many days the installation keeps messages. */
export type MessageRetention = { readonly deliveryRetentionDays: number | null };

/** What conditions of an application may name, at one moment. */
export type ConditionContext = {
  readonly applicationId: string;
  readonly definitions: readonly NamedDefinition[];
  /** Conditions of its segments by slug. */
  readonly segments: ReadonlyMap<string, Condition>;
  /** Its funnels by slug. */
  readonly funnels: ReadonlyMap<string, FunnelDefinition>;
  /** For how many days it keeps events; null: the setting of the installation. */
  readonly eventRetentionDays: number | null;
  /** For how many days the installation keeps messages; null: not asked for. */
  readonly deliveryRetentionDays: number | null;
};

/** A definition with the slugs of all definitions merged into it. */
export type ResolvedEvent = { readonly definition: NamedDefinition; readonly slugs: string[] };

/** Reads the definitions of an application. Segments are added by their owner. */
export async function readDefinitions(sql: Sql, applicationId: string): Promise<NamedDefinition[]> {
  const { rows } = await sql.query<{
    slug: string;
    kind: EventKind;
    name: string;
    discarded: boolean;
    merged_into: string | null;
  }>(READ_DEFINITIONS, [applicationId]);
  return rows.map(({ merged_into: mergedInto, ...row }) => ({ ...row, mergedInto }));
}

/**
 * The definition that a condition names. A merged one means its target and all that is merged into
 * that. Null when there is none.
 */
export function resolveEvent(
  { definitions }: Pick<ConditionContext, 'definitions'>,
  reference: EventReference,
): ResolvedEvent | null {
  const named = definitions.find((each) =>
    typeof reference === 'string'
      ? each.slug === reference
      : each.kind === reference.kind && each.name === reference.name,
  );
  const target = definitions.find(({ slug }) => slug === named?.mergedInto) ?? named;
  if (target === undefined) return null;
  const merged = definitions.filter(({ mergedInto }) => mergedInto === target.slug);
  return { definition: target, slugs: [target, ...merged].map(({ slug }) => slug) };
}
