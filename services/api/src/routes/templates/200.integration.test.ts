import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { registerUsers, setAttributes } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, asServer } = api;
const get = (path: string) => api.request('GET', path, { headers: asServer });
const put = (slug: string, body: unknown) =>
  api.request('PUT', `templates/${slug}`, { headers, body });
const preview = (body: unknown) =>
  api.request('POST', 'templates/preview', { headers: asServer, body });

const message = {
  title: 'Hello {{ user.firstName }}',
  body: '<p>{{ user.customAttributes.plan }}',
};
const german = {
  name: 'German',
  condition: { field: 'country', is: 'DE' },
  message: { title: 'Hallo', body: '<p>{{ user.firstName | default: "du" }}' },
};

beforeAll(async () => {
  await registerUsers(api.db, api.tenant.applicationId, {
    ada: { firstName: 'Ada', country: 'DE' },
    bob: { firstName: '<Bob>' },
    carl: { country: 'FR' },
  });
  const { applicationId } = api.tenant;
  await setAttributes(api.db, { applicationId, customUserId: 'bob' }, { plan: 'pro' });
});

describe('PUT templates/{slug}', () => {
  test('creates a template, and changes it to a new version', async () => {
    const first = await put('own', { name: 'Own', channel: 'EMAIL', message });
    const second = await put('own', {
      name: 'Own',
      channel: 'EMAIL',
      message,
      variants: [german],
      expectedVersion: 1,
    });

    expect(first).toMatchObject({
      status: 200,
      body: { slug: 'own', version: 1, channel: 'EMAIL', message, variants: [], warnings: [] },
    });
    expect(second).toMatchObject({
      status: 200,
      body: { version: 2, variants: [german], updatedBy: 'token:test' },
    });
    expect((await get('templates/own')).body).toMatchObject({ version: 2, variants: [german] });
  });

  test('changes nothing for equal content', async () => {
    await put('same', { name: 'Same', channel: 'EMAIL', message });

    const { body } = await put('same', {
      name: 'Same',
      channel: 'EMAIL',
      message: { body: message.body, title: message.title },
      variants: [],
    });

    expect(body).toMatchObject({ version: 1 });
  });

  test('keeps all digits of the integers in a message', async () => {
    const channel = 'APP_PUSH';
    const content = { body: 'x', customContent: { id: JSON.rawJSON('9007199254740993') } };

    await put('digits', { name: 'Digits', channel, message: content });
    const rendered = await preview({ channel, message: content, customUserId: 'ada' });

    const text = async (path: string) =>
      (await fetch(`${api.url}/api/v1/${path}`, { headers: asServer })).text();
    expect(await text('templates/digits')).toContain('"id":9007199254740993');
    expect(rendered.status).toBe(200);
  });

  test('takes a link that is a variable', async () => {
    const link = { body: 'x', url: '{{ user.customAttributes.site }}' };

    expect((await put('link', { name: 'L', channel: 'WEB_PUSH', message: link })).status).toBe(200);
  });

  test('warns of a condition that may surprise', async () => {
    await api.request('POST', 'definitions', { headers, body: { name: 'old', kind: 'action' } });
    const { items } = (await get('definitions')).body as {
      items: { slug: string; name: string }[];
    };
    const event = items.find(({ name }) => name === 'old')?.slug ?? '';
    await api.request('PATCH', `definitions/${event}`, { headers, body: { discarded: true } });

    const { body } = await put('old', {
      name: 'Old',
      channel: 'EMAIL',
      message,
      variants: [
        { ...german, condition: { all: [{ event }, { message: {}, was: 'sent', within: '91d' }] } },
      ],
    });

    expect(body['warnings']).toMatchObject([
      { code: 'definition_discarded', pointer: '/variants/0/condition/all/0/event' },
      { code: 'beyond_retention', pointer: '/variants/0/condition/all/1/within' },
    ]);
  });
});

test('DELETE templates/{slug} keeps its versions, and PUT continues them', async () => {
  const body = { name: 'Gone', channel: 'EMAIL', message };
  await put('gone', body);

  expect((await api.request('DELETE', 'templates/gone', { headers })).status).toBe(204);

  expect((await get('templates/gone')).status).toBe(404);
  expect((await put('gone', body)).body).toMatchObject({ version: 2 });
  expect((await get('templates/gone/versions')).body['items']).toMatchObject([
    { version: 2, createdBy: 'token:test', message },
    { version: 1, name: 'Gone' },
  ]);
});

test('GET templates lists those of the application by slug', async () => {
  const { items } = (await get('templates?limit=500')).body as { items: { slug: string }[] };

  expect(items.map(({ slug }) => slug)).toEqual(['digits', 'gone', 'link', 'old', 'own', 'same']);
});

describe('POST templates/preview', () => {
  const content = { channel: 'EMAIL', message, variants: [german] };

  test('lists variables of all messages', async () => {
    expect(await preview(content)).toMatchObject({
      status: 200,
      body: {
        variables: [
          { name: 'user.customAttributes.plan', isRequired: true },
          { name: 'user.firstName', isRequired: true },
        ],
        warnings: [],
      },
    });
  });

  test('renders for a user, escaped', async () => {
    expect((await preview({ ...content, customUserId: 'bob' })).body).toMatchObject({
      variant: null,
      message: { title: 'Hello <Bob>', body: '<p>pro' },
    });
  });

  test.each([
    ['tags of the template', '<p>{{ user.firstName }}', true],
    ['no tag', 'Hi {{ user.firstName }}', false],
    ['a tag that a value opens', '<{{ user.firstName }}>', false],
    ['tags of a value', '{% capture x %}<b>{{ user.firstName }}</b>{% endcapture %}{{ x }}', false],
  ])('says whether a mail is HTML: %s', async (_what, body, isHtml) => {
    const answer = await preview({
      channel: 'EMAIL',
      message: { title: 'Hi', body },
      customUserId: 'bob',
    });

    expect(answer.body).toMatchObject({ isHtml });
  });

  test('a message that is no mail has no such answer', async () => {
    const { body } = await preview({
      channel: 'SMS',
      message: { body: '{{ user.firstName }}' },
      customUserId: 'bob',
    });

    expect(body).toMatchObject({ message: { body: '<Bob>' } });
    expect(body).not.toHaveProperty('isHtml');
  });

  test('renders the first variant whose condition is true', async () => {
    const never = { ...german, name: 'Never', condition: { field: 'country', is: 'XX' } };

    const { body } = await preview({
      ...content,
      variants: [never, german, { ...german, name: 'Later' }],
      customUserId: 'ada',
    });

    expect(body).toMatchObject({ variant: 'German', message: { title: 'Hallo', body: '<p>Ada' } });
  });

  test('says why the message of a user fails', async () => {
    const { body } = await preview({ ...content, customUserId: 'carl' });

    expect(body).toMatchObject({
      variant: null,
      fault: { code: 'missing_variable', detail: 'user.firstName is missing' },
    });
    expect(body).not.toHaveProperty('message');
  });
});

describe('a preview of a text of an automation', () => {
  const body = '{{ event.attributes.title }} {{ event.attributes.price | times: 2 }} {{ run.id }}';
  const content = { channel: 'SMS', message: { body }, customUserId: 'ada' };

  test('shows a sample event, and tells it', async () => {
    const { status, body: answer } = await preview(content);

    expect(status).toBe(200);
    expect(answer).toMatchObject({
      variables: [
        { name: 'event.attributes.price', isRequired: true },
        { name: 'event.attributes.title', isRequired: true },
        { name: 'run.id', isRequired: true },
      ],
      message: { body: 'title 84 00000000-0000-0000-0000-000000000000' },
      event: {
        name: 'sample_event',
        attributes: { title: 'title', price: 42 },
        revenue: 42,
        currency: 'EUR',
      },
    });
  });

  test('shows the event that the caller gives, with what it leaves out missing', async () => {
    const event = { name: 'cart', time: 1_795_256_400_000, attributes: { title: '<Pen>' } };
    const missing = await preview({ ...content, event });
    const whole = await preview(
      // Beyond 2^53.
      JSON.stringify({ ...content, event: { attributes: { title: '<Pen>', price: 1 } } }).replace(
        '"price":1',
        '"price":9007199254740993',
      ),
    );

    expect(missing.body).toMatchObject({
      fault: { code: 'missing_variable', detail: 'event.attributes.price is missing' },
      event: { ...event, revenue: null, currency: null },
    });
    expect(whole.body).toMatchObject({
      message: { body: expect.stringMatching(/^<Pen> 18014398509481986 /) },
    });
  });

  test('of another has none', async () => {
    const message = { body: 'Hi {{ user.firstName }}' };

    expect(
      (await preview({ ...content, message, event: { name: 'cart' } })).body,
    ).not.toHaveProperty('event');
  });

  test('of a stored one is the same', async () => {
    await put('automated', { name: 'Automated', channel: 'SMS', message: content.message });

    const { status, body: answer } = await api.request('POST', 'templates/automated/preview', {
      headers: asServer,
      body: { customUserId: 'ada', event: { attributes: { title: 'Pen', price: 1 } } },
    });

    expect([status, answer]).toMatchObject([
      200,
      { message: { body: expect.stringMatching(/^Pen 2 /) }, event: { name: 'sample_event' } },
    ]);
  });

  test.each([
    [{ attributes: [] }, '/event/attributes'],
    [{ revenue: '5' }, '/event/revenue'],
    [{ time: 'now' }, '/event/time'],
    [{ price: 5 }, '/event/price'],
  ])('with %j as its event is refused', async (event, pointer) => {
    expect(await preview({ ...content, event })).toMatchObject({
      status: 400,
      problem: { errors: [{ pointer }] },
    });
  });
});

describe('POST templates/{slug}/preview', () => {
  const previewStored = async (body: unknown) =>
    (await api.request('POST', 'templates/stored/preview', { headers: asServer, body })).body;
  beforeAll(async () => {
    await put('stored', { name: 'Stored', channel: 'EMAIL', message });
    await put('stored', { name: 'Stored', channel: 'EMAIL', message, variants: [german] });
  });

  test('renders its current version', async () => {
    expect(await previewStored({ customUserId: 'ada' })).toMatchObject({
      version: 2,
      variant: 'German',
      message: { title: 'Hallo', body: '<p>Ada' },
    });
  });

  test('renders the version that is named', async () => {
    expect(await previewStored({ customUserId: 'bob', version: 1 })).toMatchObject({
      version: 1,
      variant: null,
      message: { title: 'Hello <Bob>', body: '<p>pro' },
    });
  });

  test('lists the variables alone without a user', async () => {
    expect(await previewStored({})).toEqual({
      version: 2,
      variables: [
        { name: 'user.customAttributes.plan', isRequired: true },
        { name: 'user.firstName', isRequired: true },
      ],
      warnings: [],
    });
  });
});
