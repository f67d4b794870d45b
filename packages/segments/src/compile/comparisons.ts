import type { Comparison, NumberRange } from '@tidings/contracts/segments/leaves/parts';
import { instantBounds, later, type StatementParts } from './statement-parts.ts';

/** The form of a date in JSON text, without the year 0, which Postgres does not know. */
const DATE_FORM =
  '^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z$';

/** Texts below and above all dates. */
const [BEFORE_DATES, AFTER_DATES] = ['', '~'];
const FIRST_DATE_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_DATE_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** SQL of a jsonb value, and of its text, which is read faster. Each is null without a value. */
export type JsonValue = { readonly json: string; readonly text: string };

/**
 * SQL: whether a jsonb value satisfies a comparison; false for a value of another type, or none.
 * @param dates whether instants are texts or milliseconds
 */
export function compileComparison(
  parts: StatementParts,
  { json: value, text }: JsonValue,
  { dates, ...comparison }: Comparison & { readonly dates: 'text' | 'milliseconds' },
): string {
  const { add } = parts.parameters;
  const json = (operand: unknown): string => add(JSON.stringify(operand), 'jsonb');
  const isText = `jsonb_typeof(${value}) = 'string'`;
  const equals = (operand: unknown): string =>
    typeof operand === 'string'
      ? `coalesce(${text} = ${add(operand, 'text')} and ${isText}, false)`
      : `coalesce(${value} = ${json(operand)}, false)`;
  const isOneOf = (operands: readonly unknown[]): string => {
    if (operands.every((operand) => typeof operand === 'string'))
      return `coalesce(${text} = any(${add(operands, 'text[]')}) and ${isText}, false)`;
    const list = add(
      operands.map((operand) => JSON.stringify(operand)),
      'jsonb[]',
    );
    return `coalesce(${value} = any(${list}), false)`;
  };

  if (comparison.is !== undefined) return equals(comparison.is);
  if (comparison.isNot !== undefined) return `not ${equals(comparison.isNot)}`;
  if (comparison.in !== undefined) return isOneOf(comparison.in);
  if (comparison.notIn !== undefined) return `not ${isOneOf(comparison.notIn)}`;
  if (comparison.exists !== undefined)
    return `${comparison.exists ? '' : 'not '}coalesce(jsonb_typeof(${value}) <> 'null', false)`;
  if (comparison.contains !== undefined)
    return `coalesce(${isText} and strpos(${text}, ${add(comparison.contains, 'text')}) > 0, false)`;
  if (comparison.startsWith !== undefined)
    return `coalesce(${isText} and starts_with(${text}, ${add(comparison.startsWith, 'text')}), false)`;
  const bounds = instantBounds(comparison, parts.now);
  if (bounds.length === 0)
    return ofNumbers(value, compileRange(parts, `(${value})::numeric`, comparison));
  if (dates === 'milliseconds')
    return ofNumbers(
      value,
      bounds.map(({ operator, at }) => `(${value})::numeric ${operator} ${add(at, 'numeric')}`),
    );
  // Texts of this form are in the order of their instants.
  const compared = bounds.map(
    ({ operator, at }) => `${text} collate "C" ${operator} ${add(toDateText(at), 'text')}`,
  );
  return `case when ${isText} and ${text} ~ ${add(DATE_FORM, 'text')}
    then pg_input_is_valid(${text}, 'timestamptz') and ${compared.join(' and ')} else false end`;
}

/**
 * SQL: the instants at which time alone changes what a value is compared with; none of a comparison
 * with fixed instants. Null for a value that is no instant.
 */
export function compileInstants(
  parts: StatementParts,
  { json: value, text }: JsonValue,
  { dates, ...comparison }: Comparison & { readonly dates: 'text' | 'milliseconds' },
): string[] {
  const relative = instantBounds(comparison, parts.now).filter(({ isRelative }) => isRelative);
  if (relative.length === 0) return [];
  const { add } = parts.parameters;
  const instant =
    dates === 'milliseconds'
      ? `case when jsonb_typeof(${value}) = 'number' then (${value})::numeric end`
      : `case when jsonb_typeof(${value}) = 'string' and ${text} ~ ${add(DATE_FORM, 'text')}
          then case when pg_input_is_valid(${text}, 'timestamptz')
            then extract(epoch from (${text})::timestamptz) * 1000 end end`;
  return relative.map(({ operator, at }) => {
    const meets = `(${instant}) - ${add(at - parts.now, 'numeric')}`;
    // From this millisecond on `before` is true, and `after` false.
    return later(parts, operator === '<' ? `floor(${meets}) + 1` : `ceil(${meets})`);
  });
}

/** SQL: conditions on a number. */
export function compileRange(
  { parameters }: Pick<StatementParts, 'parameters'>,
  number: string,
  range: NumberRange,
): string[] {
  return (
    [
      ['gt', '>'],
      ['gte', '>='],
      ['lt', '<'],
      ['lte', '<='],
    ] as const
  ).flatMap(([bound, operator]) => {
    const limit = range[bound];
    return limit === undefined ? [] : [`${number} ${operator} ${parameters.add(limit, 'numeric')}`];
  });
}

/** A cast fails for a value that is no number, so it stands behind `case`. */
const ofNumbers = (value: string, conditions: readonly string[]): string =>
  `case when jsonb_typeof(${value}) = 'number' then ${conditions.join(' and ')} else false end`;

function toDateText(at: number): string {
  if (at < FIRST_DATE_MS) return BEFORE_DATES;
  return at > LAST_DATE_MS ? AFTER_DATES : new Date(at).toISOString();
}
