import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TextOf } from '@tidings/liquid/parse-options';
import type { TemplateContext } from '@tidings/liquid/template-context';
import { RenderFault } from '@tidings/liquid/render-fault';
import type { Database } from '@tidings/postgres/database';
import { writeSegment } from '@tidings/segments/segments';
import { connectTestDatabase, createTestApplication, registerUsers } from '@tidings/testing';
import { automationNames } from './automation-names.ts';
import { findTemplates, parseTemplateName } from './find-templates.ts';
import { renderPool } from './rendering/process-pool.ts';
import { renderCampaign } from './render-campaign.ts';
import { writeTemplate } from './templates.ts';

let db: Database;
let applicationId: string;

const GERMAN = { segment: 'german' };
const ofVariant = { name: 'German', condition: GERMAN, message: { body: 'Hallo {{ run.id }}' } };

beforeAll(async () => {
  db = connectTestDatabase();
  ({ applicationId } = await createTestApplication(db));
  const condition = { field: 'country', is: 'DE' };
  await writeSegment(db, { applicationId, slug: 'german', name: 'German', condition, by: 'test' });
  const write = (slug: string, body: string, variants: object[] = []) =>
    writeTemplate(db, {
      applicationId,
      slug,
      name: slug,
      channel: 'SMS',
      message: { body },
      variants: variants as [],
      by: 'test',
    });
  await write('cart', 'First');
  await write('cart', 'Still {{ event.attributes.title }}');
  await write('entered', 'Since {{ run.enteredAt }}', [ofVariant]);
  await registerUsers(db, applicationId, {
    ada: { firstName: 'Ada', country: 'DE' },
    bob: { firstName: 'Bob' },
  });
});
afterAll(async () => {
  await Promise.all([db.close(), renderPool.close()]);
});

const find = (name: string, textOf: TextOf = 'event') =>
  findTemplates(db.sql, {
    applicationId,
    names: [{ ...parseTemplateName(name), channel: 'SMS', share: 1, pointer: '/nodes/1/template' }],
    textOf,
  });

describe('the template of a send', () => {
  test('has its current version, or the one that is named', async () => {
    expect(await find('cart')).toMatchObject({
      templates: [{ slug: 'cart', version: 2, share: 1, variants: [] }],
    });
    expect(await find('cart@1')).toMatchObject({
      templates: [{ slug: 'cart', version: 1, message: { body: 'First' } }],
    });
  });

  test('has the conditions of segments in their places', async () => {
    expect(await find('entered', 'run')).toMatchObject({
      templates: [{ variants: [{ condition: { field: 'country', is: 'DE' } }] }],
    });
  });

  test.each<[string, TextOf, string]>([
    ['cart', 'run', 'a template that names no event, which the trigger has not'],
    ['cart', 'push', 'a template that names neither event nor run, which an automation alone has'],
    [
      'entered',
      'push',
      'a template that names neither event nor run, which an automation alone has',
    ],
    ['nope', 'event', 'the slug of a template'],
    ['cart@9', 'event', 'a version that the template has'],
  ])('%s is refused in a text of a %s', async (name, textOf, expected) => {
    expect(await find(name, textOf)).toEqual({
      ok: false,
      errors: [{ pointer: '/nodes/1/template', code: 'invalid_value', expected }],
    });
  });
});

test('the names of automations are found in all messages of a template', async () => {
  const names = async (body: string, variants: object[] = []) => [
    ...(await automationNames(applicationId, {
      channel: 'SMS',
      message: { body },
      variants: variants as [],
    })),
  ];

  expect(await names('{{ event.name }}{{ run.id }}')).toEqual(['event', 'run']);
  expect(await names('x', [ofVariant])).toEqual(['run']);
  expect(await names('The event of the run {{ user.city }}')).toEqual([]);
  // In one pass.
  expect(await names(`{% raw %}${'{{ event '.repeat(25_000)}{% endraw %}`)).toEqual([]);
});

test('each recipient has the event of their own run', async () => {
  const message = { body: '{{ user.firstName }}: {{ event.attributes.title }}' };
  const templates = [{ slug: null, version: null, share: 1, message, variants: [] }];
  const contextOf = (title: string): TemplateContext => ({
    event: { name: 'cart', time: 0, attributes: { title }, revenue: null, currency: null },
    run: { id: 'r1', enteredAt: 0 },
  });
  const campaignId = '00000000-0000-4000-8000-000000000001';
  const campaign = { campaignId, applicationId, channel: 'SMS' as const, templates };
  const customUserIds = ['ada', 'bob', 'nobody'];

  const rendered = await renderCampaign(db, campaign, {
    customUserIds,
    contexts: new Map([
      ['ada', contextOf('pen')],
      ['nobody', contextOf('ink')],
    ]),
  });

  if (rendered === 'timed_out') throw new Error('timed out');
  const messageOf = (id: string) => rendered.get(id)?.message;
  const ada = messageOf('ada');
  if (ada === undefined || ada instanceof RenderFault) throw new Error('not rendered');
  expect(ada.message).toEqual({ body: 'Ada: pen' });
  expect(messageOf('bob')).toMatchObject({ code: 'missing_variable', detail: 'event is missing' });
  expect(rendered.get('nobody')).toBeNull();

  // The record wins: another event of theirs changes no words.
  const { filling } = ada;
  if (filling === undefined) throw new Error('not recorded');
  const again = await renderCampaign(db, campaign, {
    customUserIds: ['ada'],
    recorded: new Map([['ada', { ...filling, templateNo: 0, variantNo: null, renderer: 1 }]]),
    contexts: new Map([['ada', contextOf('ink')]]),
  });
  expect(again !== 'timed_out' && again.get('ada')?.message).toMatchObject({
    message: { body: 'Ada: pen' },
  });
});
