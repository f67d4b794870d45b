import { explainUser } from '@tidings/automation-reports/why';
import { readAutomation } from '@tidings/automations/automations';
import { buildDates } from '@tidings/automations/date-builds';
import type { DateTrigger } from '@tidings/contracts/automations/calendar';
import type { Database } from '@tidings/postgres/database';
import { userMessage } from '@tidings/testing';
import { letOthersEnd } from './let-others-end.ts';
import { automationRig, cart, HOUR_MS, mail } from './rig.ts';

export const DAY_MS = 24 * HOUR_MS;

/** Looks at the dates of some people. */
export const buildSome = (db: Database, limit = 2): Promise<boolean> =>
  buildDates(db, limit, (error) => {
    throw error;
  });
/** Midnight UTC some days from today. */
export const inDays = (days: number): number => Math.floor(Date.now() / DAY_MS + days) * DAY_MS;
export const text = (ms: number): string => new Date(ms).toISOString();
export const ending = (ms: number, more: object = {}) => ({
  customAttributes: { endsOn: text(ms), ...more },
});

/** Open looks wait for no transaction of other databases. */
export const passGuard = (db: Database) =>
  db.sql.query(`update automation_date_builds set began_at = began_at - interval '2 hours'`);

/** An automation by a date of its people. */
export async function dateRig(db: Database, overrides: Partial<DateTrigger> = {}) {
  const rig = await automationRig(db);
  const trigger = { date: { attribute: 'endsOn' }, at: '09:00', ...overrides } as DateTrigger;
  const definition = cart([mail('mail')], { trigger });
  const which = { applicationId: rig.applicationId, slug: 'cart', by: 'test' };
  const isBuilding = async (): Promise<boolean> => {
    const { rows } = await db.sql.query(
      'select from automation_date_builds where application_id = $1 and after is not null',
      [rig.applicationId],
    );
    return rows.length > 0;
  };
  const build = async (): Promise<void> => {
    do while (await buildSome(db)) continue;
    while ((await isBuilding()) && (await letOthersEnd()));
    await rig.step();
  };
  return {
    ...rig,
    definition,
    which,
    build,
    async start(): Promise<void> {
      await rig.activate(definition);
      await build();
    },
    async change(customUserId: string, customAttributes: object): Promise<void> {
      await rig.store({ customUserId, messages: [userMessage({ customAttributes })] });
      await rig.step();
    },
    /** When each is due; null: it has entered them. */
    async dates() {
      const { rows } = await db.sql.query<{ who: string; at: Date | null }>(
        `select u.custom_user_id as who, d.due_at as at
         from automation_dates d join users u on u.id = d.user_id
         where d.application_id = $1 order by 1`,
        [rig.applicationId],
      );
      return Object.fromEntries(rows.map(({ who, at }) => [who, at?.getTime() ?? null]));
    },
    /** Their dates come: as if these people had had earlier ones, which were known. */
    async come(ms: number): Promise<void> {
      await db.sql.query(
        `update users set custom_attributes = custom_attributes || jsonb_build_object('endsOn',
           to_char((custom_attributes ->> 'endsOn')::timestamptz at time zone 'UTC' - $2 * interval '1 ms',
             'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
         where application_id = $1 and custom_attributes ? 'endsOn'`,
        [rig.applicationId, ms],
      );
      await db.sql.query(
        `update automation_dates set due_at = due_at - $2 * interval '1 ms' where application_id = $1`,
        [rig.applicationId, ms],
      );
    },
    async entered() {
      const { rows } = await db.sql.query<{ who: string }>(
        `select u.custom_user_id as who from automation_runs r join users u on u.id = r.user_id
         where r.application_id = $1 order by 1`,
        [rig.applicationId],
      );
      return rows.map(({ who }) => who);
    },
    async why(customUserId = 'ada') {
      const automation = await readAutomation(db.sql, which);
      if (automation === null) throw new Error('no automation');
      const { applicationId } = rig;
      return (await explainUser(db.sql, { applicationId, automation, customUserId }))?.triggers;
    },
  };
}
