import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiKey, findKeyGrant } from '@tidings/accounts/api-keys';
import type { Database } from '@tidings/postgres/database';
import { writeBlock } from '@tidings/templates/blocks';
import { writeTemplate } from '@tidings/templates/templates';
import {
  connectPublicTestDatabase,
  connectTestDatabase,
  createTestApplication,
} from '@tidings/testing';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let db: Database;
let publicDb: Database;
let gateway: TestGateway;
let applicationId: string;
let key = '';

const variant = (body: string) => ({
  name: 'German',
  condition: { field: 'country', is: 'DE' },
  message: { body },
});
/** By slug: what a template says, and its variant. */
const TEMPLATES: Readonly<Record<string, readonly [body: string, variant?: string]>> = {
  output: ['{{ event.name }}'],
  run: ['{{ run.enteredAt }}'],
  condition: ['{% if event.attributes.price > 20 %}x{% endif %}'],
  loop: ['{% for i in event.attributes.items %}x{% endfor %}'],
  argument: ['{{ user.city | append: event.name }}'],
  variant: ['x', '{{ event.name | default: "x" }}'],
  block: ['{% block "footer" %}'],
  long: [`${'x'.repeat(64 * 1024)}{{ event.name }}`],
  // No automation's.
  plain: ['Run for this event: {{ user.city }}'],
  own: ['{% for event in user.customAttributes.events %}{{ event.name }}{% endfor %}'],
};

beforeAll(async () => {
  db = connectTestDatabase();
  publicDb = connectPublicTestDatabase();
  ({ applicationId } = await createTestApplication(db));
  const made = await createApiKey(db, { applicationId, type: 'server', name: 'server key' });
  if (made !== 'too_many') key = made.key;
  const by = 'test';
  await writeBlock(db, {
    applicationId,
    slug: 'footer',
    name: 'Footer',
    text: '{{ event.name }}',
    by,
  });
  for (const [slug, [body, other]] of Object.entries(TEMPLATES)) {
    const content = { channel: 'SMS' as const, message: { body }, name: slug, by };
    const variants = other === undefined ? [] : [variant(other)];
    const written = await writeTemplate(db, { applicationId, slug, ...content, variants });
    if (typeof written === 'string' || 'errors' in written) throw new Error(`not saved: ${slug}`);
  }
  gateway = await startTestGateway({
    db: publicDb,
    findKeyGrant: (application, own) => findKeyGrant(publicDb, application, own),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([db.close(), publicDb.close()]);
});

const push = (body: object) =>
  gateway.post(
    { recipients: ['ada'], channel: 'SMS', ...body },
    {
      path: '/push',
      headers: {
        'Content-Type': 'application/json',
        'X-Application-Id': applicationId,
        'X-API-Key': key,
      },
    },
  );
const faultsOf = async (body: object) => {
  const { status, problem } = await push(body);
  return status === 400 ? problem.errors : status;
};
const countCampaigns = async () =>
  (await db.sql.query('select from campaigns where application_id = $1', [applicationId])).rowCount;

const fault = (pointer: string) => ({
  pointer,
  code: 'invalid_value',
  expected: 'a template that names neither event nor run, which an automation alone has',
});

test.each([
  'output',
  'run',
  'condition',
  'loop',
  'argument',
  'variant',
  'block',
  'long',
  'output@1',
])('a push by a template of an automation is refused: %s', async (template) => {
  const before = await countCampaigns();

  expect(await faultsOf({ template })).toEqual([fault('/template')]);
  expect(await faultsOf({ template, dryRun: true })).toEqual([fault('/template')]);
  expect(await faultsOf({ template, sendAt: Date.now() + 60_000 })).toEqual([fault('/template')]);
  expect(await countCampaigns()).toBe(before);
});

test('of a split each is named', async () => {
  const split = ['plain', 'output', 'run'].map((template) => ({ template, share: 1 }));

  expect(await faultsOf({ split })).toEqual([
    fault('/split/1/template'),
    fault('/split/2/template'),
  ]);
});

test.each(['plain', 'own'])('what only looks like one is sent: %s', async (template) => {
  expect(await faultsOf({ template })).toBe(200);
});

test('a personalised message is refused at its place', async () => {
  const message = { body: 'Hi\n{% if event.name %}x{% endif %}' };

  expect(await faultsOf({ message, personalize: true })).toEqual([
    {
      pointer: '/message/body',
      code: 'unknown_variable',
      expected: 'one of user, campaign: an automation alone has an event and a run',
      line: 2,
      column: 7,
    },
  ]);
  // Text like any other.
  expect(await faultsOf({ message })).toBe(200);
});
