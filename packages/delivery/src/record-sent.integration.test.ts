import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import { createSecretBox } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import {
  configureChannel,
  createOwnDatabase,
  createSendingCampaign,
  createTestApplication,
  randomFrom,
  seedsOfRun,
} from '@tidings/testing';
import { createWebhookEndpoint } from '@tidings/webhook-queue/endpoints';
import { changeDeliveryStates, type StateChange } from './change-states.ts';
import { counterShard } from './counting.ts';
import { isPlainlySent, recordSent, type SentChange } from './record-sent.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const CHANGE_STATES = statementsIn(import.meta.dirname)('change-delivery-states');
const RECIPIENTS = 12;
const CHANNELS: readonly Channel[] = ['EMAIL', 'SMS', 'WEB_HOOK'];
const STATES: readonly DeliveryState[] = [
  'pending',
  'claimed',
  'sending',
  'retry_wait',
  'unknown',
  'failed',
  'sent',
  'delivered',
  'expired',
];
const campaignIds: string[] = [];

beforeAll(async () => {
  const box = createSecretBox('k'.repeat(32));
  for (const channel of CHANNELS) {
    const { applicationId } = await createTestApplication(db);
    await configureChannel(db, applicationId, channel);
    await createWebhookEndpoint(db, box, {
      applicationId,
      url: 'https://hooks.example/',
      description: '',
      kinds: [],
      channels: [],
    });
    // Two of each application, so that one statement counts for several campaigns.
    for (const source of ['api', 'dashboard'] as const) {
      const campaign = await createSendingCampaign(db, {
        applicationId,
        channel,
        source,
        count: RECIPIENTS,
      });
      campaignIds.push(campaign.campaignId);
    }
  }
});

type Random = () => number;
const pick = <T>(random: Random, all: readonly T[]): T => {
  const one = all[Math.floor(random() * all.length)];
  if (one === undefined) throw new Error('nothing to pick');
  return one;
};

/** Each delivery in a random state, with or without what an earlier attempt left. */
async function scatter(sql: Sql, random: Random): Promise<{ id: string; fence: number }[]> {
  const { rows } = await sql.query<{ id: string }>(
    'select id from deliveries where campaign_id = any($1) order by id',
    [campaignIds],
  );
  const states = rows.map(({ id }) => ({
    id,
    state: random() < 0.6 ? 'sending' : pick(random, STATES),
    reason: pick(random, [null, 'rate_limited', 'outcome_unknown', 'provider_rejected']),
    fence: 1 + Math.floor(random() * 3),
    attempts: Math.floor(random() * 4),
    doubts: Math.floor(random() * 2),
    owner: pick(random, [null, 'worker']),
    provider_id: pick(random, [null, `earlier-${id}`]),
    provider_code: pick(random, [null, '451']),
    provider_message: pick(random, [null, '451 try later']),
    sent_at: pick(random, [null, '2026-01-02T03:04:05Z']),
    device_id: pick(random, [null, 'device']),
  }));
  await sql.query(
    `update deliveries d
     set state = x.state, reason = x.reason, fence = x.fence, attempts = x.attempts, doubts = x.doubts,
       owner = x.owner, lease_until = now() + interval '1 min', updated_at = now() - interval '1 s',
       provider_id = x.provider_id, provider_code = x.provider_code, provider_message = x.provider_message,
       sent_at = x.sent_at, device_id = x.device_id
     from jsonb_to_recordset($1) as x(id uuid, state text, reason text, fence int, attempts int, doubts int, owner text,
       provider_id text, provider_code text, provider_message text, sent_at timestamptz, device_id text)
     where d.id = x.id`,
    [JSON.stringify(states)],
  );
  return states;
}

/** Some of the deliveries as sent, some of these by an earlier or a later claim. */
function outcomesOf(deliveries: readonly { id: string; fence: number }[], random: Random) {
  return deliveries
    .filter(() => random() < 0.7)
    .map(({ id, fence }): StateChange => ({
      deliveryId: id,
      fence: random() < 0.8 ? fence : fence + pick(random, [-1, 1]),
      state: 'sent',
      outcome: 'sent',
      ...(random() < 0.5 && { providerId: pick(random, ['one', 'two', `id-${id}`]) }),
      ...(random() < 0.5 && { providerCode: '250' }),
      ...(random() < 0.5 && {
        providerMessage: pick(random, ['250 "queued", {as} \\ 1', '']),
        isNeutral: true,
      }),
      ...(random() < 0.5 && { durationMs: Math.floor(random() * 5_000) }),
    }));
}

const COMPARED: Readonly<Record<string, string>> = {
  campaign_events: ` - 'seq' - 'response' || jsonb_build_object('detail', coalesce(t.detail, t.response))`,
  webhook_deliveries: ` - 'id' - 'event_id'`,
};

/**
 * All rows of all tables, but for the numbers that a sequence gives and what is made of them. The
 * message in the log is in one of two columns.
 */
async function readTables(sql: Sql): Promise<Record<string, readonly string[]>> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`,
  );
  const content: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const changed = COMPARED[name] ?? '';
    const { rows } = await sql.query<{ row: string }>(
      `select (to_jsonb(t)${changed})::text as row from "${name}" t order by 1`,
    );
    content[name] = rows.map(({ row }) => row);
  }
  return content;
}

/** The result of `work` and the rows after it, then undone. */
async function tryOut(sql: Sql, work: () => Promise<readonly string[]>) {
  await sql.query('savepoint before');
  const ids = (await work()).toSorted();
  const tables = await readTables(sql);
  await sql.query('rollback to savepoint before');
  return { ids, tables };
}

describe('outcomes that are plainly sent', () => {
  test.each(seedsOfRun(Array.from({ length: 25 }, (_, index) => index + 1)))(
    'leave the same rows in all tables as by the statement for all outcomes, seed %i',
    async (seed) => {
      const random = randomFrom(seed);
      await db.transaction(async (sql) => {
        const changes = outcomesOf(await scatter(sql, random), random);
        const from = pick(random, [['sending', 'unknown'], ['sending'], STATES] as const);
        const before = await readTables(sql);

        const plain = await tryOut(sql, () =>
          recordSent(
            sql,
            from,
            changes.filter((change): change is SentChange => isPlainlySent(change)),
          ),
        );
        const full = await tryOut(sql, async () => {
          const { rows } = await sql.query<{ id: string }>(CHANGE_STATES, [
            JSON.stringify(changes),
            from,
            counterShard,
          ]);
          return rows.map(({ id }) => id);
        });

        expect(changes.every(isPlainlySent)).toBe(true);
        expect(plain.ids.length).toBeGreaterThan(0);
        expect(plain).toEqual(full);
        for (const table of [
          'deliveries',
          'campaign_events',
          'campaign_counters',
          'webhook_deliveries',
          'provider_ids',
        ])
          expect(plain.tables[table]).not.toEqual(before[table]);
      });
    },
  );

  test('have their message in the index of details only if it may name the recipient', async () => {
    await db.transaction(async (sql) => {
      const [named, neutral] = await scatter(sql, () => 0);
      if (named === undefined || neutral === undefined) throw new Error('too few deliveries');
      const outcome = { state: 'sent', outcome: 'sent' } as const;

      await changeDeliveryStates(
        sql,
        ['sending'],
        [
          { ...outcome, deliveryId: named.id, fence: named.fence, providerMessage: '250 to ada' },
          {
            ...outcome,
            deliveryId: neutral.id,
            fence: neutral.fence,
            providerMessage: '250 queued',
            isNeutral: true,
          },
        ],
      );

      const { rows } = await sql.query(
        `select delivery_id, detail, response from campaign_events where type = 'delivery.sent' order by detail`,
      );
      expect(rows).toEqual([
        { delivery_id: named.id, detail: '250 to ada', response: null },
        { delivery_id: neutral.id, detail: null, response: '250 queued' },
      ]);
    });
  });
});
