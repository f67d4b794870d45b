import { callApi, type ApiAccess, type LocalFile } from '@tidings/local';
import { eventually } from '@tidings/testing';
import type { ScreenIds } from './screens.ts';

const READERS = [
  'Alan',
  'Barbara',
  'Charles',
  'Donald',
  'Edsger',
  'Frances',
  'Gordon',
  'Hedy',
  'Ivan',
  'Jean',
  'Katherine',
  'Lynn',
  'Margaret',
  'Niklaus',
  'Ole',
  'Radia',
  'Sophie',
  'Tony',
];
const WITHOUT_ADDRESS = ['Una', 'Victor'];

const GOLD_READERS = {
  all: [
    { attribute: 'plan', is: 'gold' },
    { event: { kind: 'action', name: 'article_read' }, within: '30d' },
    { not: { event: { kind: 'revenue', name: 'order_paid' }, count: { gte: 5 } } },
    {
      any: [
        { reachable: 'EMAIL', purpose: 'marketing' },
        { attribute: 'visits', gte: 100 },
      ],
    },
  ],
};

const SHIPPED = {
  title: "{{ user.firstName | default: 'Hello' }}, your order is on its way",
  body: '<body style="margin:0;padding:24px;font:16px/1.6 system-ui"><h1>Your order is on its way</h1><p>You have the plan <b>{{ user.customAttributes.plan }}</b>.</p><p><a href="https://shop.example/{{ user.customUserId }}">Follow it</a></p></body>',
};

type Id = { readonly campaignId: string };
type Accepted = { readonly requestId: string };

const BODY =
  '<body style="margin:0;background:#eef2ff"><div style="max-width:520px;margin:24px auto;padding:28px;background:#fff;border-radius:12px;font:16px/1.6 system-ui"><h1 style="margin:0 0 8px">Your order is on its way</h1><p>Order <b>1843</b> left our warehouse today.</p><p><a href="https://shop.example/orders/1843">Follow it</a></p></div></body>';

type Post = <T>(path: string, body: unknown, access?: ApiAccess) => Promise<T>;

/** Creates users, valid and invalid events, and campaigns in several states, so that every screen has content. */
export async function prepareScreens(local: LocalFile): Promise<ScreenIds> {
  const asServer: ApiAccess = {
    baseUrl: local.baseUrl,
    headers: { 'X-Application-Id': local.applicationId, 'X-API-Key': local.serverKey },
  };
  const asAdmin: ApiAccess = {
    baseUrl: local.baseUrl,
    headers: {
      'X-Application-Id': local.applicationId,
      Authorization: `Bearer ${local.adminToken}`,
    },
  };
  const run = Date.now().toString(36);
  const person = `ada-${run}`;
  const heldUserId = `grace-${run}`;
  const post: Post = (path, body, access = asServer) =>
    callApi(access, { method: 'POST', path, body });

  const { applicationId: emptyApplicationId } = await post<{ readonly applicationId: string }>(
    '/api/v1/applications',
    { name: 'A new application' },
    asAdmin,
  );
  const { id: webhookId } = await post<{ readonly id: string }>(
    '/api/v1/webhooks',
    { url: `${local.sandboxUrl}/hooks/demonstration`, description: 'Order service' },
    asAdmin,
  );
  const { requestId } = await sendEvents(post, { person, run });
  await holdEvent(post, { heldUserId, run });
  const refusedRequestId = await sendInvalid(asServer, person);
  const known = [person, ...(await registerReaders(post, run))];
  // Wait until all users exist, so that all e-mails are sent at the same time: a click within a second of arrival counts as a machine.
  for (const customUserId of known)
    await eventually(() => callApi(asServer, { path: `/api/v1/users/${customUserId}` }), {
      timeoutMs: 30_000,
    });
  const { campaignId } = await post<Id>('/push', {
    recipients: [...known, `unknown-0-${run}`, `unknown-1-${run}`],
    channel: 'EMAIL',
    message: { title: 'Your order is on its way', body: BODY },
  });
  const pausedCampaignId = await pauseCampaign(post);
  await untilCompleted(asServer, campaignId);
  const segmentSlug = 'gold-readers';
  await callApi(asAdmin, {
    method: 'PUT',
    path: `/api/v1/segments/${segmentSlug}`,
    body: { name: 'Gold readers', condition: GOLD_READERS },
  });
  await callApi(asAdmin, {
    method: 'PUT',
    path: '/api/v1/funnels/reading',
    body: {
      name: 'From an article to an order',
      steps: [
        { event: { kind: 'action', name: 'article_read' } },
        { event: { kind: 'revenue', name: 'order_paid' } },
      ],
      window: '7d',
    },
  });
  await activateAutomation(asAdmin);
  const { items } = await callApi<{
    readonly items: readonly { readonly slug: string; readonly name: string }[];
  }>(asServer, { path: '/api/v1/definitions' });
  return {
    campaignId,
    pausedCampaignId,
    customUserId: person,
    heldUserId,
    requestId,
    refusedRequestId,
    slug: items.find(({ name }) => name === 'article_read')?.slug ?? 'none',
    segmentSlug,
    templateSlug: 'order-shipped',
    splitCampaignId: await sendTemplates(post, asAdmin, known),
    scheduledCampaignId: await scheduleCampaign(post, segmentSlug),
    accountsCampaignId: await sendByAccounts(post, asAdmin, known),
    draftId: await writeDrafts(post, asAdmin, segmentSlug),
    webhookId,
    emptyApplicationId,
  };
}

/** Two accounts that share the SMS, and one that is not tested. Returns the id of a campaign that both sent. */
async function sendByAccounts(
  post: Post,
  asAdmin: ApiAccess,
  recipients: readonly string[],
): Promise<string> {
  const path = '/api/v1/channels/SMS';
  const { accounts } = await callApi<{
    readonly accounts: readonly { readonly settings: Readonly<Record<string, unknown>> }[];
  }>(asAdmin, { path });
  const settings = accounts[0]?.settings ?? {};
  const twilio = { provider: 'twilio', settings: { ...settings, authToken: 'any token will do' } };
  const body = {
    accounts: [
      { name: 'main', ...twilio, share: 70 },
      { name: 'spare', ...twilio, share: 30 },
      { name: 'german', ...twilio, countries: ['DE', 'AT', 'CH'] },
    ],
  };
  await callApi(asAdmin, { method: 'PUT', path, body });
  for (const account of ['main', 'spare'])
    await post(`${path}/test`, { to: '+15005550100', account }, asAdmin);
  // With another version of the settings, the worker sees at once that both are ready.
  await callApi(asAdmin, { method: 'PUT', path, body });
  const { campaignId } = await post<Id>('/push', {
    recipients,
    channel: 'SMS',
    message: { body: 'The courier comes today.' },
  });
  await untilCompleted(asAdmin, campaignId);
  return campaignId;
}

async function untilCompleted(access: ApiAccess, campaignId: string): Promise<void> {
  await eventually(
    async () => {
      const { status } = await callApi<{ readonly status: string }>(access, {
        path: `/api/v1/campaigns/${campaignId}`,
      });
      if (status !== 'completed') throw new Error(`The campaign is ${status}.`);
    },
    { timeoutMs: 60_000 },
  );
}

const DAY_MS = 86_400_000;

/** Nine o'clock of a day next week, in the time zone of each. Returns its id. */
async function scheduleCampaign(post: Post, segment: string): Promise<string> {
  const day = new Date(Date.now() + 7 * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const { campaignId } = await post<Id>('/push', {
    segment,
    channel: 'EMAIL',
    message: { title: 'The week in gold', body: '<p>Your reading list.</p>' },
    sendAtLocal: `${day}T09:00`,
  });
  return campaignId;
}

/** Two drafts. Returns the id of the one with a name. */
async function writeDrafts(post: Post, asAdmin: ApiAccess, segment: string): Promise<string> {
  const write = (content: object) =>
    post<{ readonly draftId: string }>('/api/v1/drafts', { content }, asAdmin);
  await write({ channel: 'SMS', recipients: ['ada', 'grace'], message: { body: 'Your table is' } });
  const { draftId } = await write({
    name: 'Gold readers, December',
    tags: ['gold', 'newsletter'],
    channel: 'EMAIL',
    purpose: 'marketing',
    segment,
    message: { title: 'Ten books for the holidays', body: '<p>Hello</p>' },
  });
  return draftId;
}

/** Two templates, one of them with two versions and a variant, and a campaign that compares them. Returns its id. */
async function sendTemplates(
  post: Post,
  asAdmin: ApiAccess,
  recipients: readonly string[],
): Promise<string> {
  const put = (slug: string, body: object, kind = 'templates') =>
    callApi(asAdmin, { method: 'PUT', path: `/api/v1/${kind}/${slug}`, body });
  const footer = { html: '<p>The Book Shop, Berlin</p>', text: 'The Book Shop, Berlin' };
  await put('footer', { name: 'Footer', ...footer }, 'blocks');
  const shipped = { name: 'Order shipped', channel: 'EMAIL', message: SHIPPED };
  const gold = {
    name: 'Gold readers',
    condition: { segment: 'gold-readers' },
    message: { ...SHIPPED, title: 'Your gold order is on its way' },
  };
  await put('order-shipped', shipped);
  const german = { ...gold, name: 'Germany', condition: { field: 'country', is: 'DE' } };
  await put('order-shipped', { ...shipped, variants: [gold, german] });
  await put('order-shipped-short', {
    name: 'Order shipped, short',
    channel: 'EMAIL',
    message: { title: 'On its way', body: '<p>Your order is on its way.</p>{% block "footer" %}' },
  });
  await put('delivery-code', {
    name: 'Delivery code',
    channel: 'SMS',
    message: { body: '{{ user.firstName }}, the courier comes today.' },
  });
  const { campaignId } = await post<Id>('/push', {
    recipients,
    channel: 'EMAIL',
    split: [
      { template: 'order-shipped', share: 70 },
      { template: 'order-shipped-short', share: 30 },
    ],
  });
  return campaignId;
}

/** A profile, events, a duplicate and an event with an unknown slug. */
async function sendEvents(
  post: Post,
  { person, run }: { readonly person: string; readonly run: string },
): Promise<Accepted> {
  const now = Date.now();
  return post<Accepted>('/', {
    customUserId: person,
    messages: [
      {
        type: 'user',
        id: `${run}-u`,
        time: now,
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: `${person}@people.example`,
        phoneNumber: '+44 7700 900001',
        customAttributes: { plan: 'gold', visits: 12, isMember: true },
      },
      {
        type: 'action',
        id: `${run}-a`,
        time: now + 1,
        customName: 'article_read',
        attributes: { article: 'On computable numbers', minutes: 12 },
      },
      {
        type: 'revenue',
        id: `${run}-r`,
        time: now + 2,
        customName: 'order_paid',
        revenue: 49.9,
        currency: 'EUR',
      },
      { type: 'action', id: `${run}-a`, time: now + 3, customName: 'article_read' },
      { type: 'action', id: `${run}-s`, time: now + 4, name: 'zzzzz' },
    ],
  });
}

/** An event of a user who is not registered. */
async function holdEvent(
  post: Post,
  { heldUserId, run }: { readonly heldUserId: string; readonly run: string },
): Promise<void> {
  await post('/', {
    customUserId: heldUserId,
    messages: [
      {
        type: 'action',
        id: `${run}-h`,
        time: Date.now(),
        customName: 'article_read',
        attributes: { article: 'A compiler', minutes: 7 },
      },
    ],
  });
}

/** Returns the id of the rejected request. */
async function sendInvalid({ baseUrl, headers }: ApiAccess, person: string): Promise<string> {
  const refused = await fetch(`${baseUrl}/`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      customUserId: person,
      messages: [{ type: 'action', id: 'm1', time: 'yesterday', customName: 'x' }],
    }),
  });
  return refused.headers.get('X-Request-Id') ?? '';
}

/** Returns their ids. */
async function registerReaders(post: Post, run: string): Promise<readonly string[]> {
  const now = Date.now();
  const toUserId = (name: string): string => `${name.toLowerCase()}-${run}`;
  for (const [index, name] of READERS.entries()) {
    const phoneNumber = `+44 7700 9001${String(index).padStart(2, '0')}`;
    await post('/', {
      customUserId: toUserId(name),
      messages: [
        {
          type: 'user',
          id: toUserId(name),
          time: now,
          firstName: name,
          email: `${toUserId(name)}@people.example`,
          phoneNumber,
        },
      ],
    });
  }
  for (const name of WITHOUT_ADDRESS)
    await post('/', {
      customUserId: toUserId(name),
      messages: [{ type: 'user', id: toUserId(name), time: now, firstName: name }],
    });
  return [...READERS, ...WITHOUT_ADDRESS].map(toUserId);
}

/** Returns its id. It may be completed before the pause. */
async function pauseCampaign(post: Post): Promise<string> {
  const { campaignId } = await post<Id>('/push', {
    recipients: Array.from({ length: 3_000 }, (_, index) => `reader-${index}`),
    channel: 'SMS',
    message: { body: 'The spring catalogue is here.' },
  });
  await eventually(() => post(`/api/v1/campaigns/${campaignId}/pause`, undefined), {
    timeoutMs: 10_000,
  }).catch(() => undefined);
  return campaignId;
}

/** It has no people: the events that start it came before. */
async function activateAutomation(asAdmin: ApiAccess): Promise<void> {
  const path = '/api/v1/automations/abandoned-cart';
  const body = {
    version: 1,
    name: 'Abandoned cart',
    purpose: 'marketing',
    trigger: { event: { kind: 'action', name: 'article_read' } },
    filter: { reachable: 'EMAIL', purpose: 'marketing' },
    exit: [{ event: { kind: 'revenue', name: 'order_paid' }, as: 'goal' }],
    nodes: [
      { id: 'wait1', delay: '1h' },
      { id: 'mail1', send: { channel: 'EMAIL', message: SHIPPED } },
      {
        id: 'split1',
        split: [
          { weight: 50, nodes: [{ id: 'wait2', delay: '1d' }] },
          { weight: 50, nodes: [] },
        ],
      },
    ],
  };
  await callApi(asAdmin, { method: 'PUT', path, body });
  await callApi(asAdmin, { method: 'POST', path: `${path}/activate`, body: {} });
}
