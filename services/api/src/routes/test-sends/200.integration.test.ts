import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { configureChannel, giveDevices, registerUsers } from '@tidings/testing';
import { writeTemplate } from '@tidings/templates/templates';
import { settleTest } from '../../testing/email-channel.ts';
import { startTestApi } from '../../testing/test-api.ts';

// No worker runs: a test that nothing settles is pending.
const api = await startTestApi({ testSendTimeoutMs: 150 });
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin } = api;
const { applicationId } = tenant;

type Item = {
  readonly to: string;
  readonly customUserId: string | null;
  readonly campaignId: string | null;
  readonly status: string;
  readonly ok: boolean;
  readonly detail?: string;
  readonly template: string | null;
};
const MAIL = { channel: 'EMAIL', message: { title: 'Only today', body: '<p>Hello</p>' } };
const sendTests = (body: object) =>
  api.request<{ channel: string; items: Item[] }>('POST', 'test-sends', { headers: asAdmin, body });
const testTo = async (content: object, to: readonly string[], more: object = {}) =>
  (await sendTests({ content, to, ...more })).body.items;

/** What was stored to be sent, the newest first. */
async function stored() {
  const { rows } = await db.sql.query<{ message: object; to: string[]; purpose: string }>(
    `select c.message, c.purpose, k.recipients as to
     from campaigns c join campaign_chunks k on k.campaign_id = c.id
     where c.application_id = $1 and c.source = 'test' order by k.recipients::text, c.message::text`,
    [applicationId],
  );
  return rows;
}

beforeAll(async () => {
  await registerUsers(db, applicationId, {
    ada: { email: 'Ada@Example.org', phoneE164: '+4915112345678', firstName: 'Ada' },
    eve: { email: 'shared@example.org' },
    bob: { email: 'shared@example.org' },
    mute: { firstName: 'Mute' },
    plain: { email: 'plain@example.org' },
  });
  await giveDevices(db, {
    applicationId,
    channel: 'APP_PUSH',
    devices: { ada: ['newest-token', 'older-token'] },
  });
  await db.sql.query(
    `insert into user_identities (application_id, service_user_id, user_id)
     select application_id, uuidv7(), id from users where application_id = $1`,
    [applicationId],
  );
  for (const channel of ['EMAIL', 'SMS', 'APP_PUSH'] as const)
    await configureChannel(db, applicationId, channel);
});
beforeEach(async () => {
  await db.sql.query(
    `delete from campaign_chunks where campaign_id in (select id from campaigns where application_id = $1)`,
    [applicationId],
  );
  await db.sql.query('delete from campaigns where application_id = $1', [applicationId]);
});

describe('a test of a message', () => {
  test.each<[string, string, string | null, string]>([
    ['a user', 'ada', 'ada', 'Ada@Example.org'],
    ['an e-mail address of a user', ' ADA@example.org', 'ada', 'Ada@Example.org'],
    ['a phone number of a user', '+49 151 12345678', 'ada', 'Ada@Example.org'],
    ['an address of no user', 'new@example.org', null, 'new@example.org'],
  ])('goes to %s', async (_what, to, customUserId, address) => {
    const items = await testTo({ ...MAIL, purpose: 'marketing', recipients: [] }, [to]);

    expect(items).toMatchObject([{ to: to.trim(), customUserId, ok: false, status: 'pending' }]);
    expect(await stored()).toMatchObject([
      {
        to: [address],
        purpose: 'marketing',
        message: { title: '[Test] Only today', body: '<p>Hello</p>' },
      },
    ]);
  });

  test('finds the number, or the device that was seen last', async () => {
    await testTo({ channel: 'SMS', message: { body: 'Hi' } }, ['ada@example.org']);
    await testTo({ channel: 'APP_PUSH', message: { body: 'Hi' } }, ['ada']);
    await testTo({ channel: 'SMS', message: { body: 'Hi' } }, ['+4915199999999']);

    expect(await stored()).toMatchObject([
      { to: ['+4915112345678'], message: { body: '[Test] Hi' } },
      { to: ['+4915199999999'] },
      { to: ['newest-token'] },
    ]);
  });

  test('goes to no device that has not proved its user', async () => {
    await db.sql.query(
      `insert into devices (application_id, device_id, user_id, kind, address, address_hash, seen_at)
       select $1, 'unproved', id, 'fcm', 'unproved', sha256('unproved'), now() + interval '1 hour'
       from users where application_id = $1 and custom_user_id = 'ada'`,
      [applicationId],
    );

    await testTo({ channel: 'APP_PUSH', message: { body: 'Hi' } }, ['ada']);

    expect(await stored()).toMatchObject([{ to: ['newest-token'] }]);
  });

  test.each<[string, object, string, string]>([
    ['several users', MAIL, 'shared@example.org', 'Several users have it: bob, eve.'],
    ['a user without an address', MAIL, 'mute', 'The user has no address of EMAIL.'],
    ['no user', MAIL, 'no such', 'No registered user has this'],
    [
      'a mail address of no user, for a push',
      { channel: 'APP_PUSH', message: { body: 'Hi' } },
      'new@example.org',
      'No registered user has this',
    ],
  ])('to %s says why it is not sent', async (_what, content, to, detail) => {
    const [item] = await testTo(content, [to]);

    expect(item).toMatchObject({ ok: false, status: 'not_sent', campaignId: null });
    expect(item?.detail).toContain(detail);
    expect(await stored()).toEqual([]);
  });

  test('has the outcome of each', async () => {
    await using patient = await startTestApi();
    await registerUsers(patient.db, patient.tenant.applicationId, {
      ada: { email: 'me@example.org' },
    });
    await configureChannel(patient.db, patient.tenant.applicationId, 'EMAIL');

    const [{ body }] = await Promise.all([
      patient.request<{ items: Item[] }>('POST', 'test-sends', {
        headers: patient.asServer,
        body: { content: MAIL, to: ['ada', 'no such'] },
      }),
      settleTest(patient, { state: 'sent' }),
    ]);

    expect(body.items).toMatchObject([
      { to: 'ada', ok: true, status: 'sent', campaignId: expect.any(String) },
      { to: 'no such', ok: false, status: 'not_sent' },
    ]);
  });

  test('has the faults of a push, with their pointers; what only a campaign needs is none', async () => {
    const answer = await sendTests({ content: { channel: 'EMAIL', message: {} }, to: ['ada'] });

    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/message/body', code: 'required' }] },
    });
  });

  test('of an automation is refused, as in a push', async () => {
    const message = { body: 'Hi {{ event.name }}' };
    const content = { channel: 'EMAIL', message };
    await writeTemplate(db, {
      applicationId,
      slug: 'automated',
      name: 'Automated',
      channel: 'EMAIL',
      message,
      by: 'test',
    });

    expect(
      (await sendTests({ content: { ...content, personalize: true }, to: ['ada'] })).body,
    ).toMatchObject({ errors: [{ pointer: '/message/body', line: 1, column: 7 }] });
    expect(
      (await sendTests({ content: { channel: 'EMAIL', template: 'automated' }, to: ['ada'] })).body,
    ).toMatchObject({ errors: [{ pointer: '/template', code: 'invalid_value' }] });
    expect(await stored()).toEqual([]);
  });

  test.each([
    ['no one', { to: [] }, '/to'],
    ['more than five', { to: ['1', '2', '3', '4', '5', '6'] }, '/to'],
    ['the same twice', { to: ['ada', 'ada'] }, '/to'],
  ])('to %s is refused', async (_what, body, pointer) => {
    expect(await sendTests({ content: MAIL, ...body })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer }] },
    });
  });
});

describe('a test of a personal message', () => {
  const PERSONAL = {
    channel: 'EMAIL',
    personalize: true,
    message: { title: 'Hi {{ user.firstName }}', body: 'Dear {{ user.firstName }}' },
  };

  test('has the values of the user, or of another one where no user has the address', async () => {
    const items = await testTo(PERSONAL, ['ada', 'new@example.org'], { valuesOf: 'mute' });

    expect(items.map(({ status }) => status)).toEqual(['pending', 'pending']);
    expect(await stored()).toMatchObject([
      { to: ['Ada@Example.org'], message: { title: '[Test] Hi Ada', body: 'Dear Ada' } },
      { to: ['new@example.org'], message: { title: '[Test] Hi Mute', format: 'text' } },
    ]);
  });

  test.each<[string, string, object, string]>([
    ['no user has the address', 'new@example.org', {}, 'name a user whose values'],
    ['the user is unknown', 'new@example.org', { valuesOf: 'unknown' }, 'No user unknown'],
    ['a value is missing', 'plain', {}, 'firstName'],
  ])('says why there is none: %s', async (_what, to, more, detail) => {
    const [item] = await testTo(PERSONAL, [to], more);

    expect(item).toMatchObject({ status: 'not_sent' });
    expect(item?.detail).toContain(detail);
  });

  test('sends each template of a split', async () => {
    for (const slug of ['one', 'two'])
      await writeTemplate(db, {
        applicationId,
        slug,
        name: slug,
        channel: 'EMAIL',
        message: { title: slug, body: 'Dear {{ user.firstName }}' },
        by: 'test',
      });
    const split = [
      { template: 'one', share: 1 },
      { template: 'two@1', share: 9 },
    ];

    const items = await testTo({ channel: 'EMAIL', split }, ['ada']);

    expect(items.map(({ template }) => template)).toEqual(['one', 'two']);
    expect((await stored()).map(({ message }) => message)).toMatchObject([
      { title: '[Test] one', body: 'Dear Ada' },
      { title: '[Test] two', body: 'Dear Ada' },
    ]);
  });
});

describe('test addresses', () => {
  const PATH = 'test-sends/addresses';

  test('are a member’s own, in each application', async () => {
    const [mia, bob] = [await api.signIn('marketer'), await api.signIn('owner')];
    const other = await startTestApi();
    const addresses = ['ada', 'mia@example.org', '+4915112345678'];

    const written = await api.request('PUT', PATH, { headers: mia.headers, body: { addresses } });
    const read = (headers: Readonly<Record<string, string>>) =>
      api.request('GET', PATH, { headers });

    expect([written.status, written.body]).toEqual([200, { addresses }]);
    expect((await read(mia.headers)).body).toEqual({ addresses });
    expect((await read(bob.headers)).body).toEqual({ addresses: [] });
    expect(
      (await read({ ...mia.headers, 'X-Application-Id': other.tenant.applicationId })).body,
    ).toEqual({ addresses: [] });
    await other[Symbol.asyncDispose]();
  });

  test('of a key or a token there are none', async () => {
    expect((await api.request('GET', PATH, { headers: api.asServer })).status).toBe(401);
    expect((await api.request('GET', PATH, { headers: asAdmin })).status).toBe(401);
  });

  test.each([[['a', 'a']], [['']], [['1', '2', '3', '4', '5', '6']], [['a\nb']]])(
    '%j are refused',
    async (addresses) => {
      const { headers } = await api.signIn('marketer');

      expect((await api.request('PUT', PATH, { headers, body: { addresses } })).status).toBe(400);
    },
  );
});
