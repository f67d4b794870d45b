import { afterAll, expect, test } from '@jest/globals';
import { askChanged, askDue } from '@tidings/automations/segment-moves';
import { segmentShares } from '@tidings/automations/shares';
import { createOwnDatabase } from '@tidings/testing';
import { readConditionContext, writeSegment } from '@tidings/segments/segments';
import { letOthersEnd } from './testing/let-others-end.ts';
import { automationRig, cart } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

/** Of all people here: the shard is locked in the engine, and not looked at by a question. */
const SHARD = 5;

/** An application with live segments, and a change that makes a person a member of each. */
async function appWith(...slugs: readonly string[]) {
  const rig = await automationRig(db);
  const { applicationId } = rig;
  for (const slug of slugs) {
    const named = { applicationId, slug, name: slug, by: 'test' };
    const written = await writeSegment(db, {
      ...named,
      condition: { attribute: 'plan', is: 'pro' },
    });
    if (typeof written === 'string' || 'errors' in written) throw new Error('no segment');
    const definition = cart([{ id: 'hour', delay: '1h' }], {
      trigger: { segment: slug, when: 'enters' },
    });
    await rig.activate(definition, slug);
  }
  const isBuilding = async (): Promise<boolean> => {
    const { rows } = await db.sql.query(
      'select from live_segment_builds where application_id = $1 and not is_built limit 1',
      [applicationId],
    );
    return rows.length > 0;
  };
  do await rig.step();
  while ((await isBuilding()) && (await letOthersEnd()));
  return {
    applicationId,
    async change() {
      await rig.register('ada', { customAttributes: { plan: 'pro' } });
      const { rows } = await db.sql.query<{ id: string }>(
        'select id from users where application_id = $1',
        [applicationId],
      );
      return { applicationId, change: { kind: 'profile', userId: rows[0]?.id ?? '' } } as const;
    },
  };
}

test('what the segments of one application take, those of another do not wait for', async () => {
  const [heavy, light] = [await appWith('a', 'b'), await appWith('light')];
  for (const slug of ['a', 'b'])
    for (let step = 0; step < 20; step += 1)
      segmentShares.note(`${heavy.applicationId} ${slug}`, 1_000);
  const inShard = <T>(work: (stepping: Parameters<typeof askDue>[0]) => Promise<T>): Promise<T> =>
    db.transaction(async (sql) =>
      work({
        sql,
        shard: SHARD,
        now: Date.now(),
        contextOf: (applicationId) => readConditionContext(sql, applicationId),
        onFailure: fail,
        onEntryFailure: fail,
        onSegmentFailure: fail,
        onPutOff: fail,
      }),
    );

  const slugsOf = (moved: readonly { readonly slug: string }[]) => moved.map(({ slug }) => slug);
  const changes = [await heavy.change(), await light.change()];
  const first = await inShard((stepping) => askChanged(stepping, changes));
  const later: unknown[] = [];
  for (let step = 0; step < 3; step += 1) {
    const { asked, hasMore, moved } = await inShard(askDue);
    later.push([slugsOf(moved), asked, hasMore]);
  }

  expect(slugsOf(first)).toEqual(['light']);
  // The others lose nothing by it: they have moved when they were to be asked.
  expect(later).toEqual([
    [['a'], 1, true],
    [['b'], 1, false],
    [[], 0, false],
  ]);
}, 60_000);

function fail(error: unknown): never {
  throw new Error('a step failed', { cause: error });
}
