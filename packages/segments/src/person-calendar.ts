import type { PersonDate } from '@tidings/contracts/automations/calendar';
import { DEFAULT_TIME_ZONE } from '@tidings/contracts/policies';
import { isTimeZone } from '@tidings/contracts/time-zones';
import { isDateMs } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { jsonPath } from './compile/json-path.ts';
import { createParameters } from './compile/parameters.ts';
import type { StatementParts } from './compile/statement-parts.ts';
import type { ConditionContext } from './condition-context.ts';
import { isDateText } from './date-text.ts';
import { personTimeZone } from './leaves/field.ts';

/** What calendars need of a person. */
export type PersonCalendar = {
  /** As for local times of campaigns: theirs, else the application's. */
  readonly timeZone: string;
  readonly applicationZone: string;
  /** Of the dates that were asked for, in their order: milliseconds; null: there is none. */
  readonly dates: readonly (number | null)[];
};

/** The time zones of people, and some dates of each, by one statement. Unknown people are absent. */
export async function readPersonCalendars(
  sql: Sql,
  {
    context,
    now,
    dates,
  }: {
    readonly context: ConditionContext;
    readonly now: number;
    readonly dates: readonly PersonDate[];
  },
  userIds: readonly string[],
): Promise<Map<string, PersonCalendar>> {
  if (userIds.length === 0) return new Map();
  const parameters = createParameters();
  const application = parameters.add(context.applicationId, 'uuid');
  const parts: StatementParts = {
    shape: 'given',
    context,
    parameters,
    now,
    application,
    joins: [],
  };
  const zone = personTimeZone(parts);
  const values = dates.map((date) => valueOf(parts, date));
  const { rows } = await sql.query<{
    id: string;
    time_zone: string;
    application_zone: string | null;
    dates: unknown[];
  }>(
    `select u.id, left(${zone}, 64) as time_zone, a.settings ->> 'timeZone' as application_zone,
       jsonb_build_array(${values.join(', ')}) as dates
     from users u join applications a on a.id = u.application_id ${parts.joins.join(' ')}
     where u.application_id = ${application} and u.id = any(${parameters.add(userIds, 'uuid[]')})`,
    parameters.values,
  );
  return new Map(
    rows.map((row) => {
      const applicationZone = knownZone(row.application_zone) ?? DEFAULT_TIME_ZONE;
      return [
        row.id,
        {
          timeZone: knownZone(row.time_zone) ?? applicationZone,
          applicationZone,
          dates: row.dates.map((value, index) => toDate(value, dates[index])),
        },
      ];
    }),
  );
}

const knownZone = (name: string | null): string | null =>
  name !== null && isTimeZone(name) ? name : null;

function valueOf(parts: StatementParts, date: PersonDate): string {
  if (date.attribute !== undefined)
    return jsonPath(parts, 'u.custom_attributes', date.attribute).json;
  return date.field === 'registeredAt'
    ? 'floor(extract(epoch from u.registered_at) * 1000)::bigint'
    : jsonPath(parts, 'u.fields', date.field).json;
}

/** A field has milliseconds, an attribute a text; what is neither is no date. */
function toDate(value: unknown, date: PersonDate | undefined): number | null {
  if (date?.field !== undefined) return typeof value === 'number' && isDateMs(value) ? value : null;
  return typeof value === 'string' && isDateText(value) ? Date.parse(value) : null;
}
