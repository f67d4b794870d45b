import { afterAll, describe, expect, test } from '@jest/globals';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { expireCampaigns } from '@tidings/delivery/sweeps';
import { connectTestDatabase, createFakeClock, registerUsers } from '@tidings/testing';
import { sendChunk } from '../send-chunk.ts';
import { chunkOf, unending } from '../testing/first-chunk.ts';
import { scriptedChannel } from '../testing/scripted-channel.ts';
import { testWorker } from '../testing/test-worker.ts';
import { policyHelpers } from '../testing/policy-campaigns.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const {
  deliveries,
  applicationWith,
  campaignTo,
  registered,
  sent,
  makeDue,
  dueIn,
  countersAreRight,
} = policyHelpers(db);

const NIGHT = '2026-06-10T20:00:00Z';
const HOUR_MS = 3_600_000;

describe('quiet hours', () => {
  const quiet = {
    timeZone: 'Europe/Berlin',
    quietHours: { default: { from: '21:00', to: '08:00' } },
  };

  test('hold marketing until they end where the recipient is, with its chunk due then', async () => {
    const applicationId = await applicationWith(quiet);
    await registerUsers(db, applicationId, {
      ada: { email: 'ada@example.org' },
      tom: { email: 'tom@example.org' },
    });
    await db.sql.query(
      `update users set custom_attributes = '{"timeZone":"America/New_York"}' where application_id = $1 and custom_user_id = 'tom'`,
      [applicationId],
    );
    const campaign = await campaignTo(applicationId, ['ada', 'tom']);

    expect(await sent(campaign, { at: NIGHT })).toBe(1);

    expect(await deliveries(campaign)).toMatchObject([
      { customUserId: 'ada', status: 'pending', reason: 'quiet_hours', attempts: 0 },
      { customUserId: 'tom', status: 'sent', reason: null },
    ]);
    expect(Number(await dueIn(campaign)) / HOUR_MS).toBeCloseTo(10, 1);
    await countersAreRight(campaign);

    await makeDue(campaign);
    expect(await sent(campaign, { at: '2026-06-11T06:00:00Z' })).toBe(1);
    expect(await deliveries(campaign)).toMatchObject([
      { status: 'sent', reason: null },
      { status: 'sent' },
    ]);
    await countersAreRight(campaign);
  });

  test("apply again to rows held while Postgres' clock was ahead, and to no others", async () => {
    const applicationId = await applicationWith(quiet);
    const campaign = await campaignTo(applicationId, await registered(applicationId, 2));
    expect(await sent(campaign, { at: NIGHT })).toBe(0);
    await db.sql.query(
      `update deliveries set next_at = next_at + interval '1 hour', updated_at = updated_at + interval '1 hour'
       where id = (select min(id::text)::uuid from deliveries where campaign_id = $1)`,
      [campaign.campaignId],
    );
    const fences = async () =>
      (
        await db.sql.query<{ fence: number }>(
          'select fence from deliveries where campaign_id = $1 order by id',
          [campaign.campaignId],
        )
      ).rows.map(({ fence }) => fence);
    expect(await fences()).toEqual([1, 1]);

    expect(await sent(campaign, { at: NIGHT })).toBe(0);

    expect(await fences()).toEqual([2, 1]);
    expect(await deliveries(campaign)).toMatchObject([
      { status: 'pending', reason: 'quiet_hours' },
      { status: 'pending', reason: 'quiet_hours' },
    ]);
    expect(Number(await dueIn(campaign)) / HOUR_MS).toBeCloseTo(10, 1);
    expect(await sent(campaign, { at: NIGHT })).toBe(0);
    expect(await fences()).toEqual([2, 1]);
  });

  test('do not keep a message from expiring', async () => {
    const applicationId = await applicationWith(quiet);
    const campaign = await campaignTo(applicationId, await registered(applicationId, 2));
    await sent(campaign, { at: NIGHT });
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);

    await expireCampaigns(db);

    expect(await deliveries(campaign)).toMatchObject([
      { status: 'expired' },
      { status: 'expired' },
    ]);
    await countersAreRight(campaign);
  });

  test('let marketing fail where the application wants that', async () => {
    const applicationId = await applicationWith({
      ...quiet,
      quietHours: { EMAIL: { from: '21:00', to: '08:00', action: 'drop' } },
    });
    const campaign = await campaignTo(applicationId, await registered(applicationId, 3));

    expect(await sent(campaign, { at: NIGHT })).toBe(0);
    expect((await readCampaign(db, applicationId, campaign.campaignId))?.failures).toEqual({
      quiet_hours: 3,
    });
  });

  test('are nothing to transactional messages, nor to another channel', async () => {
    const applicationId = await applicationWith({
      ...quiet,
      quietHours: { default: { from: '21:00', to: '08:00' } },
    });
    expect(
      await sent(
        await campaignTo(applicationId, await registered(applicationId, 2), {
          purpose: 'transactional',
        }),
        { at: NIGHT },
      ),
    ).toBe(2);

    const other = await applicationWith({
      ...quiet,
      quietHours: { SMS: { from: '21:00', to: '08:00' } },
    });
    expect(await sent(await campaignTo(other, await registered(other, 2)), { at: NIGHT })).toBe(2);
  });

  test('that start during the wait for slots apply when rows are marked', async () => {
    const applicationId = await applicationWith(quiet);
    const campaign = await campaignTo(applicationId, await registered(applicationId, 1));
    const clock = createFakeClock(Date.parse('2026-06-10T18:59:59.999Z'));
    const channel = scriptedChannel();
    const worker = testWorker(db, channel, { clock });
    const accounts: typeof worker.accounts = {
      ...worker.accounts,
      of(...args) {
        const account = worker.accounts.of(...args);
        return {
          ...account,
          allowSends: (...wanted) => {
            clock.advance(1);
            return account.allowSends(...wanted);
          },
        };
      },
    };

    await sendChunk({ ...worker, accounts }, chunkOf(campaign), unending);

    expect(channel.calls).toEqual([]);
    expect(await deliveries(campaign)).toMatchObject([
      { status: 'pending', reason: 'quiet_hours' },
    ]);
  });
});
