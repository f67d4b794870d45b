import { activateAutomation, writeAutomation } from '@tidings/automations/automations';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { IngestMessage } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { createDefinition } from '@tidings/events/definitions/definitions';
import type { Database } from '@tidings/postgres/database';
import { actionMessage, ingestRecord } from '@tidings/testing';
import { TYPICAL_MESSAGES } from '../ingest/peak.ts';

const TRIGGER = 'cartd';
/** Events of a request beside the trigger. None of them ends a run. */
const OTHERS = ['view', 'search', 'visit'] as const;
const EXIT = 'order';

/** Each who fills a cart waits an hour, is asked about their orders and a value, and gets a mail. */
const CART: AutomationDefinition = {
  version: 1,
  name: 'Cart',
  purpose: 'transactional',
  trigger: { event: { kind: 'action', name: TRIGGER }, where: [{ attribute: 'price', gte: 0 }] },
  filter: { reachable: 'EMAIL', purpose: 'transactional' },
  entry: { again: 'always' },
  exit: [{ event: { kind: 'action', name: EXIT }, as: 'goal' }],
  nodes: [
    { id: 'hour', delay: '1h' },
    {
      id: 'visitor',
      if: { attribute: 'visits', gt: 0 },
      // Computed key: an object literal with `then` would look like a promise.
      ['then' as const]: [
        {
          id: 'mail',
          send: {
            channel: 'EMAIL',
            message: { title: 'Still there?', body: 'It costs {{ event.attributes.price }}.' },
          },
        },
      ],
      else: [],
    },
  ],
};

/** Each who views a product gets a mail at once. */
const VIEWED = 'product_viewed';
const AT_ONCE: AutomationDefinition = {
  ...CART,
  name: 'At once',
  trigger: { event: { kind: 'action', name: VIEWED } },
  nodes: [
    {
      id: 'mail',
      send: { channel: 'EMAIL', message: { title: 'Seen', body: '{{ event.attributes.sku }}' } },
    },
  ],
};

/** Whose events are stored, and who is in the automation. */
export type Owner = { readonly db: Database; readonly applicationId: string };

/** Both automations, active. */
export async function activateCart({ db, applicationId }: Owner): Promise<void> {
  for (const name of [TRIGGER, EXIT, VIEWED, ...OTHERS])
    await createDefinition(db, { applicationId, name, kind: 'action' });
  for (const [slug, definition] of Object.entries({ cart: CART, 'at-once': AT_ONCE })) {
    const automation = { applicationId, slug, by: 'bench' };
    const written = await writeAutomation(db, { ...automation, definition });
    if (typeof written === 'string' || 'errors' in written)
      throw new Error(`the automation was refused: ${JSON.stringify(written)}`);
    const changed = await activateAutomation(db, { ...automation, inFlight: 'keep' });
    if (!('automation' in changed)) throw new Error(`not active: ${JSON.stringify(changed)}`);
  }
}

/** Of no other event: two of one user at one time are duplicates. */
let time = Date.now() - 3_000_000;

/** Requests that enter one person each, no person twice among as many as there are users. */
export function makeCarts(
  applicationId: string,
  { from, count, users }: { readonly from: number; readonly count: number; readonly users: number },
): IngestRecord[] {
  return Array.from({ length: count }, (_, index) =>
    ingestRecord({
      applicationId,
      customUserId: `user-${String((from + index) % users).padStart(8, '0')}`,
      messages: Array.from({ length: TYPICAL_MESSAGES }, (_unused, n): IngestMessage => {
        const customName = n === 0 ? TRIGGER : OTHERS[n % OTHERS.length];
        time += 0.001;
        return actionMessage({
          customName,
          time: Math.round(time) - n,
          attributes: { price: n, item: 'a thing' },
        });
      }),
    }),
  );
}

/** Timers and waits of the cart end this much earlier. */
export async function passTime({ db, applicationId }: Owner, ms: number): Promise<void> {
  await db.sql.query(
    `update automation_timers set due_at = due_at - $2 * interval '1 ms' where application_id = $1`,
    [applicationId, ms],
  );
  await db.sql.query(
    `update automation_runs set waits_until = waits_until - $2 * interval '1 ms'
     where application_id = $1 and ended_at is null`,
    [applicationId, ms],
  );
}

const WAITING = `select count(*)::int as n from automation_runs
  where application_id = $1 and status = 'active' and node = 'hour'`;
const MESSAGES = `select coalesce(sum(recipients_unique), 0)::int as n from campaigns
  where application_id = $1 and automation_id is not null`;

async function count({ db, applicationId }: Owner, statement: string): Promise<number> {
  const { rows } = await db.sql.query<{ n: number }>(statement, [applicationId]);
  return rows[0]?.n ?? NaN;
}
export const countWaiting = (owner: Owner): Promise<number> => count(owner, WAITING);
export const countMessages = (owner: Owner): Promise<number> => count(owner, MESSAGES);
