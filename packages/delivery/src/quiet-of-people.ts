import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import type { Channel } from '@tidings/contracts/channels/channels';
import { DEFAULT_TIME_ZONE } from '@tidings/contracts/policies';
import { isTimeZone } from '@tidings/contracts/time-zones';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { quietUntilMs } from './quiet-hours.ts';

const statement = statementsIn(import.meta.dirname);
const READ_ZONES = definePrepared(statement('read-zones-of-people'));

/**
 * When the quiet hours of some channels end for some people, in milliseconds, by user: null where it
 * is not quiet now. The hours are those that hold a delivery of marketing, in the zone of the person.
 */
export async function readQuietUntil(
  sql: Sql,
  { channels, now }: { readonly channels: readonly Channel[]; readonly now: number },
  userIds: readonly string[],
): Promise<Map<string, readonly (number | null)[]>> {
  const { rows } = await sql.query<{
    id: string;
    time_zone: string | null;
    settings: unknown;
  }>(READ_ZONES, [userIds]);
  return new Map(
    rows.map(({ id, time_zone: own, settings }) => {
      const { quietHours, timeZone } = settings as ApplicationSettings;
      const zone =
        [own, timeZone].find((name) => name != null && isTimeZone(name)) ?? DEFAULT_TIME_ZONE;
      const until = channels.map((channel) => {
        const hours = quietHours?.[channel] ?? quietHours?.default;
        return hours === undefined ? null : quietUntilMs(now, hours, zone);
      });
      return [id, until];
    }),
  );
}
