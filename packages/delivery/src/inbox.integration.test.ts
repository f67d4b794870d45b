import { afterAll, describe, expect, test } from '@jest/globals';
import type { NewCampaign } from './accept.ts';
import { confirmLeases, leaseMessages, releaseLeases } from './inbox.ts';
import { deliverToInbox } from './deliver-to-inbox.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { identifyDevice, logOutDevice } from '@tidings/people/devices/device-users';
import { systemClock, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { forceIndexJoins } from '@tidings/postgres/force-index-joins';
import { createOwnDatabase, createSendingCampaign, eventually } from '@tidings/testing';
import { deleteRecipient } from './delete-recipient.ts';
import { inboxHelpers, LEASE, oneOf } from './testing/inbox-campaigns.ts';

// Plans and waits for locks are those of the whole database.
const db = await createOwnDatabase({ poolMax: 20 });
afterAll(() => db.close());
const {
  claim,
  createApplication,
  offered,
  offeredAgain,
  accepted,
  device,
  ask,
  fetchAs,
  countsOf,
  inboxOf,
  shown,
} = inboxHelpers(db);

describe('fetching', () => {
  test('gives each message to the first device that asks, and again without a confirmation', async () => {
    const campaign = await offered({ recipients: ['ada'] });
    const [phone, browser] = [
      await device(campaign.applicationId, 'ada'),
      await device(campaign.applicationId, 'ada'),
    ];

    const first = await fetchAs(phone, { leaseMs: 0 });
    const again = await fetchAs(browser);

    expect(
      first.map(({ campaignId, channel, expiresAt }) => [campaignId, channel, expiresAt]),
    ).toEqual([[campaign.campaignId, 'IN_APP', campaign.expiresAt]]);
    expect(again.map(({ deliveryId }) => deliveryId)).toEqual(
      first.map(({ deliveryId }) => deliveryId),
    );
    expect(await fetchAs(phone)).toEqual([]);
  });

  test('by many at once gives it to one', async () => {
    const campaign = await offered({ recipients: ['ada', 'bob'] });
    const devices = await Promise.all(
      Array.from({ length: 8 }, () => device(campaign.applicationId, 'ada')),
    );

    const alone = await Promise.all(devices.map((one) => fetchAs(one)));
    expect(alone.flat()).toHaveLength(1);

    await releaseAll(campaign);
    const together = await Promise.all(
      [0, 1, 2].map(() =>
        leaseMessages(
          db,
          devices.map((one) => ask(one)),
          LEASE,
        ),
      ),
    );
    expect(together.flat().flatMap(({ messages }) => messages)).toHaveLength(1);
  });

  test('a confirmed message is not leased again to any device', async () => {
    const campaign = await offered({ recipients: ['ada'] });
    const phone = await device(campaign.applicationId, 'ada');
    const { deliveryId } = oneOf(await fetchAs(phone, { leaseMs: 0 }));

    expect(await confirmLeases(db, phone, [deliveryId])).toEqual(new Set([deliveryId]));
    expect(await confirmLeases(db, { ...phone, userId: systemIds.uuid() }, [deliveryId])).toEqual(
      new Set(),
    );

    expect(await fetchAs(phone)).toEqual([]);
    await shown(deliveryId);
    expect([await inboxOf(campaign), await countsOf(campaign)]).toEqual([
      0,
      expect.objectContaining({ waiting: 0, displayed: 1, successful: 1 }),
    ]);
    expect(
      (await readCampaign(db, campaign.applicationId, campaign.campaignId))?.timing,
    ).toMatchObject({ firstSentAt: expect.any(Number) });
  });

  test('reads what waits for oneself, however much waits for others', async () => {
    const applicationId = await createApplication();
    await offered({ applicationId, recipients: ['ada'] });
    for (let number = 0; number < 4; number += 1) await offeredAgain(applicationId, 'ada');
    await db.sql.query(
      `insert into inbox (delivery_id, application_id, user_id, channel, campaign_id, expires_at)
       select uuidv7(), application_id, uuidv7(), channel, campaign_id, expires_at from (select * from inbox where application_id = $1 limit 1) i, generate_series(1, 5000)`,
      [applicationId],
    );
    await db.sql.query('analyze inbox');
    const ada = await device(applicationId, 'ada');
    const plans: Plan[] = [];
    const query = async (text: string, values: unknown[]) => {
      const { rows } = await db.sql.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      plans.push(...rows.flatMap((row) => row['QUERY PLAN'][0].Plan));
      return { rows: [] };
    };

    await leaseMessages(
      { sql: { query } as unknown as Database['sql'] },
      [ask(ada, { messagesMax: 2 })],
      LEASE,
    );

    const nodes = plans.flatMap(nodesOf);
    const inbox = nodes.filter(
      (node) => node['Relation Name'] === 'inbox' && node['Node Type'].includes('Scan'),
    );
    expect(
      inbox.map((node) => [node['Index Name'], node['Actual Rows'] * node['Actual Loops']]),
    ).toContainEqual(['inbox_by_user', 2]);
    // In the order of the index: nothing that waits is read only to be sorted.
    expect(
      inbox.every(
        (node) =>
          (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] <= 2,
      ),
    ).toBe(true);
  });

  test('is of one’s own messages, of the channel asked for', async () => {
    const applicationId = await createApplication();
    const inApp = await offered({ applicationId, recipients: ['ada'] });
    const onSite = await offered({ applicationId, recipients: ['bob'], channel: 'ON_SITE' });
    const [ada, bob, stranger] = [
      await device(applicationId, 'ada'),
      await device(applicationId, 'bob'),
      await device(applicationId, null),
    ];
    const elsewhere = { ...ada, applicationId: await createApplication() };

    expect(await fetchAs(stranger)).toEqual([]);
    expect(await fetchAs(elsewhere)).toEqual([]);
    expect(await fetchAs(ada, { channel: 'ON_SITE' })).toEqual([]);
    expect(oneOf(await fetchAs(ada, { channel: 'IN_APP' })).campaignId).toBe(inApp.campaignId);
    expect(oneOf(await fetchAs(bob)).campaignId).toBe(onSite.campaignId);
  });

  test('follows the device: to the user it is identified as, until the user signs out', async () => {
    const campaign = await offered({ recipients: ['ada'] });
    const browser = await device(campaign.applicationId, null);
    expect(await fetchAs(browser)).toEqual([]);

    await identifyDevice(db, systemClock, { ...browser, customUserId: 'ada' });
    expect(await fetchAs(browser, { leaseMs: 0 })).toHaveLength(1);

    await logOutDevice(db, systemClock, browser);
    expect(await fetchAs(browser)).toEqual([]);
    expect(
      (
        await leaseMessages(
          db,
          [ask({ applicationId: campaign.applicationId, deviceId: 'unheard of' })],
          LEASE,
        )
      )[0],
    ).toEqual({ userId: null, messages: [] });
  });

  test('leases the oldest in the inbox first, in any order of campaigns, and no more than asked for', async () => {
    const applicationId = await createApplication();
    const campaigns = [
      await createSendingCampaign(db, { applicationId, recipients: ['ada'], channel: 'IN_APP' }),
    ];
    for (let number = 1; number < 4; number += 1)
      campaigns.push(await accepted(applicationId, 'ada'));
    const inOrder = [2, 0, 3, 1].flatMap((number) => campaigns[number] ?? []);
    for (const campaign of inOrder) await deliverToInbox(db, await claim(campaign));
    const phone = await device(applicationId, 'ada');

    const first = await fetchAs(phone, { messagesMax: 1 });
    const rest = await fetchAs(phone);

    expect([first.length, rest.length]).toEqual([1, 3]);
    expect([...first, ...rest].map(({ campaignId }) => campaignId)).toEqual(
      inOrder.map(({ campaignId }) => campaignId),
    );
    expect(rest.map(({ leaseNo }) => leaseNo)).toEqual(
      rest.map(({ leaseNo }) => leaseNo).toSorted((a, b) => a - b),
    );
  });

  test('what a broken stream did not bring is free at once, what it brought is not, nor what another window has', async () => {
    const applicationId = await createApplication();
    await offered({ applicationId, recipients: ['ada'] });
    for (let number = 0; number < 2; number += 1) await offeredAgain(applicationId, 'ada');
    const browser = await device(applicationId, 'ada');
    const stream = systemIds.uuid();
    const [first, second, third] = await fetchAs(browser, { stream, messagesMax: 3 });

    await releaseLeases(
      db,
      { deviceId: browser.deviceId, stream: systemIds.uuid(), afterNo: 0 },
      browser.userId,
    );
    expect(await fetchAs(browser)).toEqual([]);
    await releaseLeases(
      db,
      { deviceId: browser.deviceId, stream, afterNo: first?.leaseNo ?? 0 },
      browser.userId,
    );

    expect((await fetchAs(browser)).map(({ deliveryId }) => deliveryId)).toEqual([
      second?.deliveryId,
      third?.deliveryId,
    ]);
  });
});

describe('who waits for a lock', () => {
  /**
   * Two rows of a user; the one with the greater id was delivered first, so an index by user
   * returns them in the other order.
   */
  async function twoRows() {
    const applicationId = await createApplication();
    const earlier = await createSendingCampaign(db, {
      applicationId,
      recipients: ['ada'],
      channel: 'IN_APP',
    });
    await offeredAgain(applicationId, 'ada');
    await deliverToInbox(db, await claim(earlier));
    const phone = await device(applicationId, 'ada');
    const stream = systemIds.uuid();
    const [greater = '', lower = ''] = (await fetchAs(phone, { stream })).map(
      ({ deliveryId }) => deliveryId,
    );
    expect(lower < greater).toBe(true);
    return { applicationId, phone, stream, lower, greater };
  }

  test.each<[string, (rows: Awaited<ReturnType<typeof twoRows>>) => Promise<unknown>]>([
    [
      'is released',
      ({ phone, stream }) => releaseLeases(db, { ...phone, stream, afterNo: 0 }, phone.userId),
    ],
    [
      'is deleted with its user',
      ({ applicationId, phone }) =>
        db.transaction(async (sql) => {
          await forceIndexJoins(sql);
          await deleteRecipient(sql, {
            applicationId,
            customUserId: 'ada',
            addresses: [],
            userIds: [phone.userId],
          });
        }),
    ],
  ])('what %s is locked in one order, so that there is no deadlock', async (_what, work) => {
    const rows = await twoRows();
    const working = await db.transaction(async (sql) => {
      await sql.query('select 1 from inbox where delivery_id = $1 for update', [rows.lower]);
      const begun = work(rows);
      await eventually(async () =>
        expect(
          (
            await db.sql.query(
              `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
          ).rowCount,
        ).toBe(1),
      );

      // The one that waits for the first row does not hold the second.
      await sql.query('select 1 from inbox where delivery_id = $1 for update nowait', [
        rows.greater,
      ]);
      // Not awaited here: it ends after the commit.
      return { ended: begun };
    });

    await working.ended;
  });

  test.each(['40P01', '40001'])(
    'and is ended for the sake of another (%s) tries again',
    async (sqlState) => {
      const campaign = await offered({ recipients: ['ada'] });
      const phone = await device(campaign.applicationId, 'ada');
      const stream = systemIds.uuid();
      const { deliveryId } = oneOf(await fetchAs(phone, { stream }));

      await releaseLeases(endedOnce(sqlState), { ...phone, stream, afterNo: 0 }, phone.userId);
      expect(await fetchAs(phone)).toHaveLength(1);
      expect(await confirmLeases(endedOnce(sqlState), phone, [deliveryId])).toEqual(
        new Set([deliveryId]),
      );
    },
  );
});

type Plan = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
};
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** A database that ends the first statement as it ends the victim of a deadlock. */
function endedOnce(sqlState: string): Pick<Database, 'sql'> {
  let isFirst = true;
  const query = (...args: Parameters<typeof db.sql.query>) => {
    const isEnded = isFirst;
    isFirst = false;
    return isEnded
      ? db.sql.query(`do $$ begin raise exception using errcode = '${sqlState}'; end $$`)
      : db.sql.query(...args);
  };
  return { sql: { query } as unknown as Database['sql'] };
}

async function releaseAll({ campaignId }: NewCampaign) {
  await db.sql.query('update inbox set lease_until = null where campaign_id = $1', [campaignId]);
}
