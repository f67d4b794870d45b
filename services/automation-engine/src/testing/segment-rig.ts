import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Database } from '@tidings/postgres/database';
import { writeSegment } from '@tidings/segments/segments';
import { letOthersEnd } from './let-others-end.ts';
import { automationRig, cart } from './rig.ts';

const PRO: Condition = { attribute: 'plan', is: 'pro' };
export const entering = { segment: 'vip', when: 'enters' } as const;

/** People with plans, and a segment of those with one of them. */
export async function segmentRig(db: Database, condition: Condition = PRO) {
  const rig = await automationRig(db);
  await rig.define('cartd');
  const { applicationId } = rig;
  const writeVip = async (to: Condition, slug = 'vip') => {
    const written = await writeSegment(db, {
      applicationId,
      slug,
      name: slug,
      condition: to,
      by: 'test',
    });
    if (typeof written === 'string') throw new Error(written);
    return written;
  };
  await writeVip(condition);
  const has = (plan: string, of = 'ada') => rig.register(of, { customAttributes: { plan } });
  const isBuilding = async (): Promise<boolean> => {
    const { rows } = await db.sql.query(
      'select from live_segment_builds where application_id = $1 and not is_built limit 1',
      [applicationId],
    );
    return rows.length > 0;
  };
  const settle = async () => {
    do await rig.step();
    while ((await isBuilding()) && (await letOthersEnd()));
    await rig.step();
  };
  return {
    ...rig,
    writeVip,
    /** A person has this plan from now on. */
    has,
    settle,
    /** The automation is active, and the members of its segments are known. */
    async live(nodes: AutomationDefinition['nodes'], overrides: Partial<AutomationDefinition>) {
      const automation = await rig.activate(cart(nodes, { trigger: entering, ...overrides }));
      await settle();
      return automation;
    },
    async members() {
      const { rows } = await db.sql.query<{ custom_user_id: string }>(
        `select u.custom_user_id from segment_members m join users u on u.id = m.user_id
         where m.application_id = $1 and m.is_member order by 1`,
        [applicationId],
      );
      return rows.map((row) => row.custom_user_id);
    },
    /** Its rechecks come that much earlier. */
    async recheckAt(customUserId = 'ada') {
      const { rows } = await db.sql.query<{ ms: number | null }>(
        `select extract(epoch from m.recheck_at)::float8 * 1000 as ms
         from segment_members m join users u on u.id = m.user_id
         where m.application_id = $1 and u.custom_user_id = $2`,
        [applicationId, customUserId],
      );
      return rows[0]?.ms ?? null;
    },
  };
}
