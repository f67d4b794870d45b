import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { callApi } from '@tidings/local';
import { postAll } from '../../load/automations/post-all.ts';
import { readStoredRuns } from '../../oracles/automations/stored-runs.ts';
import { userOf, type Sender } from '../../rigs/delivery-rig.ts';
import { report } from '../../suites/row-frame.ts';
import type { AutomationsRow, AutomationsRun } from './automations-row.ts';
import { activateAutomation, mailOf } from './own-automation.ts';

const KEYS = 3;
const BY_CLIENT_KEY = 20;

const CART: AutomationDefinition = {
  version: 1,
  name: 'Cart at once',
  purpose: 'transactional',
  trigger: { event: { kind: 'action', name: 'cart_left' } },
  entry: { again: 'always', key: 'cart' },
  nodes: [mailOf('mail', 'Cart {{ event.attributes.cart }}.')],
};

export const triggersOfAnyone: AutomationsRow = {
  id: 'A36',
  fault: 'triggers with a Client key, and three keys of each person within a second',
  brokers: 1,
  isQuiet: true,
  plan: { users: 50 },
  async inject(run) {
    const { rig, sender, plan, random, prefix } = run;
    await activateAutomation(sender, { slug: 'cart', events: ['cart_left'], definition: CART });
    const people = Array.from({ length: plan.users }, (_, user) => user);
    const left = (user: number, cart: string) => ({
      customUserId: userOf(user),
      messages: [
        {
          type: 'action',
          id: `${prefix}-${user}-${cart}`,
          time: Date.now(),
          customName: 'cart_left',
          attributes: { cart: `${user}-${cart}` },
        },
      ],
    });
    const timesOf = (times: number, name: string): readonly string[] =>
      Array.from({ length: times }, (_, index) => `${name}-${index}`);
    await postAll(
      people.flatMap((user) => timesOf(BY_CLIENT_KEY, 'anyone').map((cart) => left(user, cart))),
      { url: rig.gatewayUrl, headers: await clientHeaders(sender), random },
    );
    await postAll(
      people.flatMap((user) => timesOf(KEYS, 'own').map((cart) => left(user, cart))),
      { url: rig.gatewayUrl, headers: sender.headers, random },
    );
  },
  async afterwards(run) {
    const { runs, lines } = await readStoredRuns(run.rig.db, run.sender.id);
    const sent = lines.filter(({ outcome }) => outcome === 'sent').length;
    const expected = run.plan.users * KEYS;
    report(
      run,
      'nothing invented',
      runs
        .filter(({ key }) => key.includes('anyone'))
        .map(({ customUserId, key }) => `${customUserId} entered by ${key} of a Client key`),
    );
    report(
      run,
      'an outcome for everyone',
      sent === expected ? [] : [`${sent} messages, not ${expected}`],
    );
    report(run, 'true reports', await findOtherReasons(run));
    Object.assign(run.cells, { events: run.plan.users * (KEYS + BY_CLIENT_KEY) });
  },
};

async function clientHeaders(sender: Sender): Promise<Readonly<Record<string, string>>> {
  const { key } = await callApi<{ readonly key: string }>(sender.admin, {
    method: 'POST',
    path: '/api/v1/keys',
    body: { type: 'client', name: 'Faults' },
  });
  return { 'X-Application-Id': sender.id, 'X-API-Key': key };
}

type Why = {
  readonly triggers: readonly { readonly result: string; readonly reason?: string }[];
};

/** The last twenty triggers: three that entered, and the others that proved nothing. */
async function findOtherReasons({ sender, plan }: AutomationsRun): Promise<string[]> {
  const found: string[] = [];
  for (let user = 0; user < plan.users; user += 1) {
    const { triggers } = await callApi<Why>(sender.access, {
      path: `/api/v1/automations/cart/users/${userOf(user)}`,
    });
    const reasons = Map.groupBy(triggers, ({ result, reason = '' }) => `${result} ${reason}`);
    const entered = reasons.get('entered ')?.length ?? 0;
    const refused = reasons.get('skipped not_proved')?.length ?? 0;
    if (entered !== KEYS || refused !== BY_CLIENT_KEY - KEYS)
      found.push(
        `${userOf(user)}: ${[...reasons].map(([said, { length }]) => `${length} ${said}`).join(', ')}`,
      );
  }
  return found;
}
