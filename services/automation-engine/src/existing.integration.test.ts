import { afterAll, expect, test } from '@jest/globals';
import { nextExisting } from '@tidings/automations/enter-existing';
import { writeSegment } from '@tidings/segments/segments';
import { createOwnDatabase } from '@tidings/testing';
import { automationRig, cart, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const SHARD = 3;
const next = () => db.transaction((sql) => nextExisting({ sql }, SHARD));

/** Automations that take the members of a segment, which is built where `isBuilt`. */
async function newRig({ automations, isBuilt }: { automations: number; isBuilt: boolean }) {
  const rig = await automationRig(db);
  const { applicationId } = rig;
  const condition = { attribute: 'plan', is: 'pro' } as const;
  const vip = { applicationId, slug: 'vip', name: 'VIP', condition, by: 'test' };
  await writeSegment(db, vip);
  const trigger = { segment: 'vip', when: 'enters', existing: true } as const;
  for (let n = 0; n < automations; n += 1)
    await rig.activate(cart([mail('mail')], { trigger }), `cart-${n}`);
  await db.sql.query('update live_segment_builds set is_built = $2 where application_id = $1', [
    applicationId,
    isBuilt,
  ]);
  return {
    applicationId,
    members: (people: number) =>
      db.sql.query(
        `insert into segment_members (
           application_id, slug, shard, build_id, user_id, is_member, since
         )
         select l.application_id, l.slug, $2::int, l.build_id, gen_random_uuid(), true, '-infinity'
         from live_segments l cross join generate_series(1, $3::int) where l.application_id = $1`,
        [applicationId, SHARD, people],
      ),
  };
}

test('the members of one application do not wait for those of another', async () => {
  await newRig({ automations: 12, isBuilt: false });
  const many = await newRig({ automations: 2, isBuilt: true });
  await many.members(2_000);
  const one = await newRig({ automations: 1, isBuilt: true });
  await one.members(3);
  const taken: string[] = [];
  for (let step = 0; step < 6; step += 1)
    for (const applicationId of new Set((await next())?.map((each) => each.applicationId)))
      taken.push(applicationId);

  expect(taken).toContain(one.applicationId);
  expect(taken.filter((each) => each === many.applicationId).length).toBeGreaterThan(2);
});
