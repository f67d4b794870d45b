import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiKey, findKeyGrant } from '@tidings/accounts/api-keys';
import { readCampaignsToSend } from '@tidings/delivery/campaigns-to-send';
import { readCampaign } from '@tidings/campaign-reports/reports';
import type { Database } from '@tidings/postgres/database';
import { archiveSegment, writeSegment } from '@tidings/segments/segments';
import { archiveTemplate, writeTemplate } from '@tidings/templates/templates';
import {
  connectPublicTestDatabase,
  connectTestDatabase,
  createTestApplication,
  registerUsers,
  setAttributes,
} from '@tidings/testing';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let db: Database;
let publicDb: Database;
let gateway: TestGateway;
let applicationId: string;
let key = '';

const hello = { title: 'Hello {{ user.firstName }}', body: '<p>{{ user.customAttributes.plan }}' };
const german = {
  name: 'German',
  condition: { field: 'country', is: 'DE' },
  message: { title: 'Hallo', body: '<p>{{ user.city }}' },
};

beforeAll(async () => {
  db = connectTestDatabase();
  publicDb = connectPublicTestDatabase();
  ({ applicationId } = await createTestApplication(db));
  const made = await createApiKey(db, { applicationId, type: 'server', name: 'server key' });
  if (made !== 'too_many') key = made.key;
  const other = await createTestApplication(db);
  const write = (
    slug: string,
    channel: 'EMAIL' | 'SMS',
    message: object,
    of: string = applicationId,
  ) =>
    writeTemplate(db, {
      applicationId: of,
      slug,
      name: slug,
      channel,
      message,
      ...(slug === 'hello' && { variants: [german] }),
      by: 'test',
    });
  await write('hello', 'EMAIL', { ...hello, title: 'First' });
  await write('hello', 'EMAIL', hello);
  await write('other', 'EMAIL', { body: 'Other' });
  await write('text', 'SMS', { body: 'Text' });
  await write('theirs', 'EMAIL', { body: 'Theirs' }, other.applicationId);
  await registerUsers(db, applicationId, {
    ada: { firstName: 'Ada', city: 'Ulm', email: 'ada@example.org' },
    bob: { firstName: '', city: 'Bonn', email: 'bob@example.org' },
    carl: { email: 'carl@example.org' },
  });
  await setAttributes(db, { applicationId, customUserId: 'ada' }, { plan: 'pro' });
  await setAttributes(db, { applicationId, customUserId: 'bob' }, { plan: null });
  gateway = await startTestGateway({
    db: publicDb,
    findKeyGrant: (application, own) => findKeyGrant(publicDb, application, own),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([db.close(), publicDb.close()]);
});

const push = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  gateway.post(
    { recipients: ['ada', 'bob', 'carl', 'nobody'], channel: 'EMAIL', ...body },
    {
      path: '/push',
      headers: {
        'Content-Type': 'application/json',
        'X-Application-Id': applicationId,
        'X-API-Key': key,
        ...headers,
      },
    },
  );
const campaignOf = async (body: unknown) => {
  const { campaignId } = body as { readonly campaignId: string };
  const report = await readCampaign(db, applicationId, campaignId);
  return { report, campaign: (await readCampaignsToSend(db.sql, [campaignId])).get(campaignId) };
};

test('a template is kept with its version, and its message is that of the campaign', async () => {
  const { status, body } = await push({ template: 'hello' });

  expect(status).toBe(200);
  const { report, campaign } = await campaignOf(body);
  expect(report).toMatchObject({
    message: hello,
    templates: [{ slug: 'hello', version: 2, share: 1 }],
  });
  expect(campaign?.templates).toEqual([
    { slug: 'hello', version: 2, share: 1, message: hello, variants: [german] },
  ]);
});

test('an earlier version may be named', async () => {
  const { body } = await push({ template: 'hello@1' });

  expect((await campaignOf(body)).report).toMatchObject({
    message: { title: 'First' },
    templates: [{ slug: 'hello', version: 1 }],
  });
});

test('a split is kept with its shares', async () => {
  const split = [
    { template: 'hello', share: 70 },
    { template: 'other', share: 30 },
  ];

  const { body } = await push({ split });

  expect((await campaignOf(body)).report?.templates).toEqual([
    { slug: 'hello', version: 2, share: 70 },
    { slug: 'other', version: 1, share: 30 },
  ]);
});

test('a personalised message is its own template; any other has none', async () => {
  const message = { title: 'Hi', body: '{{ user.firstName }}' };

  const personal = await push({ message, personalize: true });
  const plain = await push({ message });

  expect((await campaignOf(personal.body)).report).toMatchObject({
    message,
    templates: [{ slug: null, version: null, share: 1 }],
  });
  expect((await campaignOf(plain.body)).report).toMatchObject({ message, templates: null });
  expect((await campaignOf(plain.body)).campaign?.templates).toBeNull();
});

test('the conditions of segments are kept, so that segments may be deleted', async () => {
  const segment = { applicationId, slug: 'germans', by: 'test' };
  const { condition } = german;
  await writeSegment(db, { ...segment, name: 'Germans', condition });
  const write = (variants: object[]) =>
    writeTemplate(db, {
      applicationId,
      slug: 'by-segment',
      name: 'By segment',
      channel: 'EMAIL',
      message: hello,
      variants: variants as (typeof german)[],
      by: 'test',
    });
  await write([{ ...german, condition: { not: { segment: 'germans' } } }]);

  const { body } = await push({ template: 'by-segment' });
  await write([]);
  expect(await archiveSegment(db, segment)).toBe('archived');

  expect((await campaignOf(body)).campaign?.templates).toMatchObject([
    { variants: [{ condition: { not: condition } }] },
  ]);
  const { status, problem } = await push({ template: 'by-segment@1' });
  expect([status, problem.errors]).toMatchObject([400, [{ pointer: '/template' }]]);
});

test('a template may be sent to a segment, and later', async () => {
  const { status, body } = await push({
    recipients: undefined,
    segment: { condition: german.condition },
    template: 'hello',
    sendAt: Date.now() + 3_600_000,
  });

  expect([status, body]).toMatchObject([200, { status: 'scheduled' }]);
  expect((await campaignOf(body)).report).toMatchObject({
    status: 'scheduled',
    audience: { condition: german.condition },
    templates: [{ slug: 'hello', version: 2, share: 1 }],
  });
});

test('a dry run to a segment looks for its template', async () => {
  const segment = { condition: german.condition };

  const known = await push({ recipients: undefined, segment, template: 'hello', dryRun: true });
  const unknown = await push({ recipients: undefined, segment, template: 'nope', dryRun: true });

  expect([known.status, unknown.status]).toEqual([200, 400]);
});

test('repeated with its key it has the first answer, though its template is gone', async () => {
  await writeTemplate(db, {
    applicationId,
    slug: 'brief',
    name: 'Brief',
    channel: 'EMAIL',
    message: { body: 'x' },
    by: 'test',
  });
  const headers = { 'Idempotency-Key': 'brief' };
  const first = await push({ template: 'brief' }, headers);
  await archiveTemplate(db, { applicationId, slug: 'brief', by: 'test' });

  const second = await push({ template: 'brief' }, headers);

  expect(second.status).toBe(200);
  expect(second.body).toEqual(first.body);
  expect((await push({ template: 'hello' }, headers)).status).toBe(409);
  expect((await push({ template: 'brief' })).status).toBe(400);
});

test.each([
  ['an unknown template', { template: 'nope' }, ['/template invalid_value']],
  ['an unknown version', { template: 'hello@9' }, ['/template invalid_value']],
  ['a template of another application', { template: 'theirs' }, ['/template invalid_value']],
  ['a template of another channel', { template: 'text' }, ['/template invalid_value']],
  [
    'an unknown one of a split',
    {
      split: [
        { template: 'hello', share: 1 },
        { template: 'nope', share: 1 },
      ],
    },
    ['/split/1/template invalid_value'],
  ],
  [
    'Liquid that cannot be read',
    { message: { body: '{% if %}' }, personalize: true },
    ['/message/body template_syntax'],
  ],
])('%s: nothing is sent', async (_what, body, faults) => {
  const { status, problem } = await push(body);

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(faults);
});

test('a campaign keeps at most 4 MiB of templates; the one that exceeds it is named', async () => {
  const body = 'x'.repeat(250_000);
  const variants = ['one', 'two', 'three'].map((name) => ({ ...german, name, message: { body } }));
  const slugs = [1, 2, 3, 4, 5, 6].map((number) => `large-${number}`);
  for (const slug of slugs)
    await writeTemplate(db, {
      applicationId,
      slug,
      name: slug,
      channel: 'EMAIL',
      message: { body },
      variants,
      by: 'test',
    });
  const split = (count: number) =>
    slugs.slice(0, count).map((template) => ({ template, share: 1 }));

  const four = await push({ split: split(4) });
  const six = await push({ split: split(6) });

  expect(four.status).toBe(200);
  expect([six.status, six.problem.errors]).toEqual([
    400,
    [
      {
        pointer: '/split/4/template',
        code: 'too_long',
        expected: 'templates of at most 4194304 bytes together',
      },
    ],
  ]);
});

test('the conditions of segments count, also those of one template', async () => {
  const write = (slug: string, condition: object) =>
    writeSegment(db, { applicationId, slug, name: slug, condition, by: 'test' });
  const fifteenKiB = { field: 'city', in: Array.from({ length: 15 }, () => 'x'.repeat(1_000)) };
  await write('city', fifteenKiB);
  await write('cities', { any: Array.from({ length: 20 }, () => ({ segment: 'city' })) });
  const large = { any: Array.from({ length: 4 }, () => ({ segment: 'cities' })) };
  await writeTemplate(db, {
    applicationId,
    slug: 'by-city',
    name: 'By city',
    channel: 'EMAIL',
    message: { body: 'x' },
    variants: ['one', 'two', 'three', 'four'].map((name) => ({
      ...german,
      name,
      condition: large,
    })),
    by: 'test',
  });

  const { status, problem } = await push({ template: 'by-city' });

  expect([status, problem.errors]).toMatchObject([
    400,
    [{ pointer: '/template', code: 'too_long' }],
  ]);
});

test('a template is refused whose segments have grown beyond the bound of a condition', async () => {
  const write = (condition: object) =>
    writeSegment(db, { applicationId, slug: 'grows', name: 'Grows', condition, by: 'test' });
  await write(german.condition);
  await writeTemplate(db, {
    applicationId,
    slug: 'by-grown',
    name: 'By grown',
    channel: 'EMAIL',
    message: { body: 'x' },
    variants: [
      { ...german, condition: { any: Array.from({ length: 5 }, () => ({ segment: 'grows' })) } },
    ],
    by: 'test',
  });
  const before = await push({ template: 'by-grown' });
  await write({ any: Array.from({ length: 50 }, () => german.condition) });

  const { status, problem } = await push({ template: 'by-grown' });

  expect(before.status).toBe(200);
  expect([status, problem.errors]).toMatchObject([
    400,
    [{ pointer: '/template', code: 'too_many' }],
  ]);
});

test('a dry run says how many recipients lack each variable', async () => {
  const { body } = await push({ template: 'hello', dryRun: true });

  expect(body).toMatchObject({
    dryRun: true,
    unrenderable: {
      'user.firstName': 2,
      'user.customAttributes.plan': 2,
      'user.city': 1,
    },
  });
});

test('a dry run of a plain message says nothing of variables', async () => {
  const { body } = await push({ message: { body: 'x' }, dryRun: true });

  expect(body).not.toHaveProperty('unrenderable');
});
