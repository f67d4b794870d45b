import { setTimeout as delay } from 'node:timers/promises';

const { TIDINGS_URL, TIDINGS_APPLICATION_ID, TIDINGS_SERVER_KEY, TIDINGS_ADMIN_TOKEN } =
  process.env;
if (!TIDINGS_URL || !TIDINGS_APPLICATION_ID || !TIDINGS_SERVER_KEY || !TIDINGS_ADMIN_TOKEN) {
  console.error(
    'Set TIDINGS_URL, TIDINGS_APPLICATION_ID, TIDINGS_SERVER_KEY and TIDINGS_ADMIN_TOKEN, see ../README.md.',
  );
  process.exit(1);
}

const AS_SERVER = { 'X-API-Key': TIDINGS_SERVER_KEY };
/** Who changes segments is an administrator: a key that sends messages does not decide who gets them. */
const AS_ADMINISTRATOR = { Authorization: `Bearer ${TIDINGS_ADMIN_TOKEN}` };

const PATIENCE_MS = 60_000;

async function call(method, path, { body, as = AS_SERVER } = {}) {
  const answer = await fetch(`${TIDINGS_URL}${path}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      'X-Application-Id': TIDINGS_APPLICATION_ID,
      ...as,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Asks until the answer is as wanted: what was sent is stored a moment later. */
async function until(ask, isDone) {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask().catch((error) => ({ error }));
    if (answer.error === undefined && isDone(answer)) return answer;
    if (Date.now() > giveUpAt) throw answer.error ?? new Error(JSON.stringify(answer));
    await delay(500);
  }
}

for (const [customer, payments] of Object.entries({ ines: 2, jon: 1, kim: 0 })) {
  const profile = {
    type: 'user',
    id: `${customer}-profile`,
    time: Date.now(),
    firstName: customer,
    email: `${customer}@example.com`,
  };
  const paid = Array.from({ length: payments }, (_, payment) => ({
    type: 'revenue',
    id: `${customer}-payment-${payment}`,
    time: Date.now() + payment,
    customName: 'subscription_paid',
    revenue: 20,
    currency: 'EUR',
  }));
  await call('POST', '/', { body: { customUserId: customer, messages: [profile, ...paid] } });
}

// An event that was never seen cannot be asked about yet: the definition is stored with the first.
await until(
  () =>
    call('PUT', '/api/v1/segments/subscribers', {
      as: AS_ADMINISTRATOR,
      body: {
        name: 'Subscribers',
        condition: {
          event: { kind: 'revenue', name: 'subscription_paid' },
          count: { gte: 1 },
          within: '30d',
        },
      },
    }),
  () => true,
);
const { count } = await until(
  () => call('GET', '/api/v1/segments/subscribers/count'),
  (answer) => answer.count >= 2,
);
console.log(`${count} subscribers`);

const { campaignId } = await call('POST', '/push', {
  body: {
    segment: 'subscribers',
    channel: 'EMAIL',
    purpose: 'transactional',
    personalize: true,
    message: { title: 'Thank you', body: 'Thank you for your subscription, {{ user.firstName }}.' },
  },
});
await until(
  () => call('GET', `/api/v1/campaigns/${campaignId}`),
  ({ status }) => status === 'completed',
);
const { items } = await call('GET', `/api/v1/campaigns/${campaignId}/deliveries`);
const byCustomer = items.toSorted((a, b) => (a.customUserId < b.customUserId ? -1 : 1));
for (const { customUserId, status, reason } of byCustomer)
  console.log(`${customUserId}: ${status}${reason === null ? '' : ` (${reason})`}`);
