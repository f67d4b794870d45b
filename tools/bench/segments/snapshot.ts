import { setTimeout as delay } from 'node:timers/promises';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import type { PartReport } from '../report/figures.ts';
import { percentile } from '../report/percentile.ts';
import type { Asked } from './ask.ts';

const ROUNDS = 3;
const POLL_MS = 20;
const WITHIN_MS = 120_000;
const SECONDS_MAX = 5;
const MEMBERS = { field: 'country', exists: true };
const REFERENCE = `
  insert into bench_chunks
  select gen_random_uuid(), n / 200, jsonb_agg(custom_user_id)
  from (select custom_user_id, row_number() over () - 1 as n from users
        where application_id = $1 and registered_at is not null and fields->>'country' is not null) u
  group by 2`;

/**
 * From an accepted campaign to a segment until its recipients are stored, beside one statement that
 * stores the same rows in a bare table. The campaign is canceled then.
 */
export async function measureSnapshot(asked: Asked): Promise<PartReport> {
  console.error('snapshot …');
  const { db, applicationId } = asked;
  await db.sql.query(
    'create table bench_chunks (campaign_id uuid, chunk_no int, recipients jsonb, primary key (campaign_id, chunk_no))',
  );
  const [taken, bare] = [[], []] as [number[], number[]];
  let recipients = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const beganAt = performance.now();
    await db.sql.query(REFERENCE, [applicationId]);
    bare.push(performance.now() - beganAt);
    const campaign = await sendToSegment(asked);
    taken.push(campaign.ms);
    recipients = campaign.recipients;
  }
  const [takenMs, bareMs] = [percentile(taken, 50), percentile(bare, 50)];
  return {
    title: `A campaign to a segment of ${recipients} users: until its recipients are stored`,
    figures: [
      {
        name: 'accepted → recipients stored',
        value: takenMs / 1_000,
        unit: 'seconds',
        goal: { atMost: SECONDS_MAX },
        note: `worst ${(Math.max(...taken) / 1_000).toFixed(1)} s`,
      },
      {
        name: 'beside one INSERT … SELECT into a bare table',
        value: takenMs / bareMs,
        unit: 'ratio',
        note: `${(bareMs / 1_000).toFixed(1)} s`,
      },
    ],
    data: { taken, bare, recipients },
  };
}

async function sendToSegment({ post, read }: Asked): Promise<{ ms: number; recipients: number }> {
  const { body } = await post<{ readonly campaignId: string }>('campaigns', {
    segment: { condition: MEMBERS },
    channel: 'IN_APP',
    message: { title: 'Hello', body: '<p>Hello</p>' },
  });
  const path = `campaigns/${body.campaignId}`;
  for (const beganAt = performance.now(); ; await delay(POLL_MS)) {
    const { audience, recipients } = await read<CampaignRecord>(path);
    const ms = performance.now() - beganAt;
    if (audience?.snapshotAt != null) {
      await post(`${path}/cancel`, {});
      return { ms, recipients: recipients.unique };
    }
    if (ms > WITHIN_MS) throw new Error(`The recipients of ${path} were not stored in time.`);
  }
}
