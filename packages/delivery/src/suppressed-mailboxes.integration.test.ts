import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readReachability } from '@tidings/people/reachability';
import {
  findSubscriber,
  readSuppressedChannels,
  suppressAddress,
  unsuppressAddress,
} from '@tidings/people/suppressions';
import {
  configureChannel,
  connectTestDatabase,
  createTestApplication,
  expandAll,
  newCampaign,
  registerUsers,
} from '@tidings/testing';
import { acceptCampaign } from './accept.ts';
import { claimChunk, readDueRows } from './claims.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

let applicationId: string;
beforeEach(async () => {
  ({ applicationId } = await createTestApplication(db));
  await configureChannel(db, applicationId, 'EMAIL');
});

const suppress = (address: string) =>
  suppressAddress(db.sql, { applicationId, channel: 'EMAIL', address, reason: 'unsubscribed' });

/** What each place that looks for suppressions says of user `ada`. */
async function ask() {
  const campaign = newCampaign({ applicationId, purpose: 'marketing', recipients: ['ada'] });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  const { campaignId } = campaign;
  const chunk = { campaignId, chunkNo: 0, rowsMax: 1, leaseMs: 60_000 };
  const [read] = await readDueRows(db, chunk);
  const [claimed] = await claimChunk(db, { ...chunk, owner: 'worker' });
  const { reasons } = await readReachability(db, {
    applicationId,
    channel: 'EMAIL',
    purpose: 'marketing',
    recipients: ['ada'],
  });
  const { rows } = await db.sql.query<{ id: string; user_id: string; email: string }>(
    `select d.id, d.user_id, u.fields ->> 'email' as email
     from deliveries d join users u on u.id = d.user_id where d.campaign_id = $1`,
    [campaignId],
  );
  const { id = '', user_id: userId = '', email = '' } = rows[0] ?? {};
  const subscriber = await findSubscriber(db.sql, id, email);
  return {
    read: read?.suppression,
    claimed: claimed?.suppression,
    dryRun: reasons[0],
    user: (await readSuppressedChannels(db, userId)).get('EMAIL'),
    page: subscriber?.unsubscribed.has('EMAIL'),
  };
}

const SUPPRESSED = {
  read: 'unsubscribed',
  claimed: 'unsubscribed',
  dryRun: 'unsubscribed',
  // Only reasons that block all messages.
  user: undefined,
  page: true,
};
const FREE = { read: null, claimed: null, dryRun: null, user: undefined, page: false };

describe('a suppressed mailbox', () => {
  test.each([
    ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
    ['ada@xn--mnchen-3ya.example', 'ada@münchen.example'],
    ['ada@münchen.example', 'Ada@MU\u0308NCHEN.example'],
    ['ada@例子。公司', 'ada@例子.公司'],
    ['jose\u0301@example.org', 'JOS\u00c9@example.org'],
    ['ada@example.org', 'ａｄａ@ｅxample.org'],
    ['ａｄａ@example.org', 'ada@example.org'],
    ['ada@example.org', ' Ada@example.org\n'],
  ])('as %j is the profile’s %j', async (suppressed, email) => {
    await registerUsers(db, applicationId, { ada: { email } });
    expect(await ask()).toEqual(FREE);

    await suppress(suppressed);
    expect(await ask()).toEqual(SUPPRESSED);

    await unsuppressAddress(db.sql, {
      applicationId,
      channel: 'EMAIL',
      address: email,
      reason: 'unsubscribed',
    });
    expect(await ask()).toEqual(FREE);
  });

  test('is no other one', async () => {
    await registerUsers(db, applicationId, { ada: { email: 'ada@münchen.example' } });
    for (const other of ['ada@munchen.example', 'äda@münchen.example', 'ada@münchen.example.org'])
      await suppress(other);

    expect(await ask()).toEqual(FREE);
  });
});

describe('written by the version before, which knows no keys', () => {
  const writeUser = (email: string) =>
    db.sql.query(
      `insert into users (id, application_id, custom_user_id, registered_at, fields)
       values (uuidv7(), $1, 'ada', now(), jsonb_build_object('email', $2::text))
       on conflict (application_id, custom_user_id) do update set fields = excluded.fields`,
      [applicationId, email],
    );
  const writeSuppression = (address: string) =>
    db.sql.query(
      `insert into suppressions (application_id, channel, address, reason)
       values ($1, 'EMAIL', lower($2), 'unsubscribed')`,
      [applicationId, address],
    );

  test.each([
    [
      'the suppression',
      (email: string) => registerUsers(db, applicationId, { ada: { email } }),
      writeSuppression,
    ],
    ['the profile', writeUser, suppress],
    ['both', writeUser, writeSuppression],
  ])('%s is found by the same spelling at once', async (_, user, suppression) => {
    await user('Ada@MÜNCHEN.example');
    await suppression('ada@münchen.example');

    expect(await ask()).toEqual(SUPPRESSED);
  });

  test('a new address of a profile does not count under the key of the old one', async () => {
    await registerUsers(db, applicationId, { ada: { email: 'ada@münchen.example' } });
    await suppress('ada@münchen.example');
    await writeUser('ada@köln.example');
    expect(await ask()).toEqual(FREE);

    await suppress('ada@köln.example');
    expect(await ask()).toEqual(SUPPRESSED);
  });
});
