import type { AttributePath } from '@tidings/contracts/segments/leaves/parts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { resolveEvent, type ConditionContext } from './condition-context.ts';
import type { Draw } from './draws.ts';

const statement = statementsIn(import.meta.dirname);

/** Newest events of a definition that are read. */
const EVENTS_READ = 1_000;
const VALUES_MAX = 20;
/** Of a value as JSON; longer ones are not chosen from a list. */
const VALUE_CHARS_MAX = 100;
/** Names with a type. */
const ITEMS_MAX = 100;

/** Fields whose values repeat from person to person. */
const SUGGESTED_FIELDS = ['country', 'city', 'region', 'locality', 'gender'] as const;

export type SuggestedType = 'string' | 'number' | 'boolean' | 'array';

/** What values there are, the most frequent first; `count` of the users or events that were asked. */
export type Suggestion = {
  readonly type: SuggestedType;
  readonly count: number;
  readonly values: readonly { readonly value: unknown; readonly count: number }[];
};

export type Suggestions = {
  /** Users or events; 0 if none of them has anything. */
  readonly asked: number;
  readonly fields: readonly (Suggestion & { readonly field: string })[];
  readonly attributes: readonly (Suggestion & { readonly attribute: AttributePath })[];
};

type Row = Suggestion & {
  readonly asked: number;
  readonly is_field: boolean;
  readonly path: readonly string[];
};

/** Names, types and values that drawn users have. For `Questions.askDrawn`. */
export async function suggestOfProfiles(
  sql: Sql,
  applicationId: string,
  { customUserIds }: Draw,
): Promise<Suggestions> {
  const { rows } = await sql.query<Row>(statement('suggest-of-profiles'), [
    applicationId,
    customUserIds,
    SUGGESTED_FIELDS,
    VALUES_MAX,
    VALUE_CHARS_MAX,
    ITEMS_MAX,
  ]);
  return toSuggestions(rows);
}

/**
 * Names, types and values of the attributes of the newest events of a definition; null if there is
 * none with this slug. For `askUsers`.
 */
export async function suggestOfEvents(
  sql: Sql,
  context: Pick<ConditionContext, 'applicationId' | 'definitions'>,
  slug: string,
): Promise<Suggestions | null> {
  const event = resolveEvent(context, slug);
  if (event === null) return null;
  const { rows } = await sql.query<Row>(statement('suggest-of-events'), [
    context.applicationId,
    event.slugs,
    EVENTS_READ,
    VALUES_MAX,
    VALUE_CHARS_MAX,
    ITEMS_MAX,
  ]);
  return toSuggestions(rows);
}

function toSuggestions(rows: readonly Row[]): Suggestions {
  const [fields, attributes] = [true, false].map((isField) =>
    rows.filter((row) => row.is_field === isField),
  );
  const shared = ({ type, count, values }: Row): Suggestion => ({ type, count, values });
  return {
    asked: rows[0]?.asked ?? 0,
    fields: (fields ?? []).map((row) => ({ field: row.path[0] ?? '', ...shared(row) })),
    attributes: (attributes ?? []).map((row) => ({
      attribute: row.path.length === 1 ? (row.path[0] ?? '') : row.path,
      ...shared(row),
    })),
  };
}
