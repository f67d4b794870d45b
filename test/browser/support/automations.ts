import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type {
  Automation,
  AutomationReport,
  ListedAutomation,
  Run,
} from '@tidings/web/src/api/types.ts';
import type { Answer, Answers, Call } from './answer-calls.ts';

export const list = (...items: readonly unknown[]): Answer => ({
  json: { items, nextCursor: null },
});
/** Computed key: an object literal with `then` would look like a promise. */
const ways = (first: AutomationDefinition['nodes'], second: AutomationDefinition['nodes']) =>
  ({ ['then' as string]: first, else: second }) as {
    readonly then: AutomationDefinition['nodes'];
    readonly else: AutomationDefinition['nodes'];
  };
const push = (channel: 'SMS' | 'WEB_PUSH', id: string) =>
  ({ id, send: { channel, message: { body: 'Still yours' } } }) as const;

/** The abandoned cart, with a step of each kind. */
export const CART: AutomationDefinition = {
  version: 1,
  name: 'Abandoned cart',
  purpose: 'marketing',
  trigger: { event: 'qwert', where: [{ attribute: 'price', gt: 20 }] },
  filter: { reachable: 'EMAIL', purpose: 'marketing' },
  entry: { again: 'after', after: '3d' },
  exit: [{ event: 'asdfg', as: 'goal' }],
  nodes: [
    { id: 'wait1', delay: '1h' },
    {
      id: 'mail1',
      send: {
        channel: 'EMAIL',
        message: {
          title: 'Your cart',
          body: '<p><a href="https://shop.test/cart">Still yours</a></p>',
        },
      },
    },
    {
      id: 'until1',
      waitFor: { message: { node: 'mail1' }, was: 'clicked' },
      timeout: '1d',
      ...ways(
        [{ id: 'exit1', exit: true }],
        [
          {
            id: 'check1',
            if: { attribute: 'plan', is: 'pro' },
            ...ways(
              [push('WEB_PUSH', 'push1')],
              [
                {
                  id: 'split1',
                  split: [
                    { weight: 50, nodes: [push('SMS', 'sms1')] },
                    { weight: 50, nodes: [] },
                  ],
                },
              ],
            ),
          },
        ],
      ),
    },
  ],
};

export const ACTIVE: Automation = {
  slug: 'cart',
  name: CART.name,
  status: 'active',
  draftVersion: 3,
  liveVersion: 2,
  hasChanges: false,
  activatedAt: 1_795_256_500_000,
  pausedAt: null,
  createdAt: 1_795_256_400_000,
  updatedAt: 1_795_256_516_534,
  updatedBy: 'member:mia@shop.example',
  draft: CART,
  live: CART,
};
const { draft: _draft, live: _live, ...frame } = ACTIVE;
const NO_TOTALS = { entered: 0, active: 0, completed: 0, exited: 0, failed: 0, goals: 0 };
export const LISTED: ListedAutomation = {
  ...frame,
  entered: 3_712,
  active: 312,
  completed: 2_500,
  exited: 898,
  failed: 2,
  goals: 868,
  trigger: CART.trigger,
  channels: ['EMAIL', 'WEB_PUSH', 'SMS'],
};
const SENT = {
  total: 3_122,
  pending: 0,
  waiting: 0,
  sent: 3_110,
  delivered: 3_091,
  displayed: 1_181,
  opened: 1_181,
  clicked: 368,
  successful: 3_091,
  failed: 12,
  unknown: 0,
  expired: 0,
  canceled: 0,
};
const at = (id: string, entered: number, waiting = 0) => ({
  id,
  entered,
  waiting,
  passed: entered - waiting,
});
export const REPORT: AutomationReport = {
  entered: 3_712,
  active: 312,
  completed: 2_500,
  exited: 898,
  failed: 2,
  goals: 868,
  asOf: 1_795_256_516_534,
  nodes: [
    at('wait1', 3_712, 58),
    { ...at('mail1', 3_350), sent: SENT, skipped: { filter: 62, unreachable: 166 } },
    { ...at('until1', 3_122, 254), branches: { ['then' as string]: 362, else: 2_506 } },
    at('exit1', 362),
    at('check1', 2_506),
    at('split1', 1_901),
  ],
};
const RUN_ID = '01a1fda0-84a5-72c8-802b-8cdeabd134bc';
const { trace, ...run }: Run = {
  runId: RUN_ID,
  customUserId: 'ada',
  version: 2,
  status: 'active',
  node: 'until1',
  key: '',
  error: null,
  enteredAt: 1_795_256_516_534,
  waitsUntil: 1_795_346_516_534,
  endedAt: null,
  goalAt: null,
  trace: [
    { node: '', at: 1_795_256_516_534, outcome: 'entered' },
    { node: 'wait1', at: 1_795_256_516_534, outcome: 'waiting' },
    { node: 'wait1', at: 1_795_260_116_534, outcome: 'passed' },
    {
      node: 'mail1',
      at: 1_795_260_116_534,
      outcome: 'sent',
      campaignId: '01a1fda0-84a5-72c8-802b-8cdeabd13400',
      deliveryId: '01a1fda0-84a5-72c8-802b-8cdeabd13401',
    },
    { node: 'until1', at: 1_795_260_116_534, outcome: 'waiting' },
  ],
};
export const FAILED = {
  ...run,
  runId: '01a1fda0-84a5-72c8-802b-8cdeabd134bd',
  customUserId: 'grace',
  status: 'failed',
  node: 'mail1',
  error: 'The template has no version 3.',
} as const;
export const RUN: Run = { ...run, trace };

/** An application with an automation that runs, and its events. */
export const AUTOMATION_ANSWERS: Answers = {
  'GET automations': list(
    LISTED,
    {
      ...LISTED,
      ...NO_TOTALS,
      slug: 'welcome',
      name: 'ברוכים הבאים',
      status: 'draft',
      liveVersion: null,
    },
    {
      ...LISTED,
      slug: 'review',
      name: 'Review after delivery',
      status: 'paused',
      channels: ['EMAIL'],
    },
  ),
  'GET automations/cart': { json: ACTIVE },
  'GET automations/cart/report': { json: REPORT },
  'GET automations/cart/runs': list(run, FAILED),
  [`GET automations/cart/runs/${RUN_ID}`]: { json: RUN },
  [`GET automations/cart/runs/${FAILED.runId}`]: { json: { ...FAILED, trace } },
  'GET automations/cart/versions': list(
    {
      version: 2,
      definition: CART,
      createdAt: 1_795_256_500_000,
      createdBy: 'member:mia@shop.example',
    },
    {
      version: 1,
      definition: {
        ...CART,
        filter: undefined,
        nodes: [
          { id: 'wait1', delay: '2h' },
          { id: 'sms9', send: { channel: 'SMS', template: 'old' } },
        ],
      },
      createdAt: 1_795_256_400_000,
      createdBy: 'token:Terraform',
    },
  ),
  'GET automations/cart/users/*': {
    json: {
      triggers: [
        {
          eventId: 'm-17',
          at: 1_795_256_516_000,
          result: 'skipped',
          reason: 'where',
          pointer: '/trigger/where/0',
        },
        { eventId: 'm-16', at: 1_795_256_416_000, result: 'entered', runId: RUN_ID },
      ],
      runs: [run],
    },
  },
  'GET definitions': list(
    { slug: 'qwert', name: 'cart_filled', kind: 'action' },
    { slug: 'asdfg', name: 'order_paid', kind: 'revenue' },
  ),
  'GET suggestions': ({ query }: Call) => ({
    json: {
      asked: 200,
      fields: [{ field: 'firstName', count: 190, values: [] }],
      attributes:
        query['event'] === 'qwert'
          ? [
              { attribute: 'price', type: 'number', count: 196, values: [] },
              { attribute: ['shop', 'name'], type: 'string', count: 50, values: [] },
            ]
          : [{ attribute: 'plan', type: 'string', count: 100, values: [] }],
    },
  }),
  'GET segments': list(),
  'GET templates': list({
    slug: 'cart-2',
    name: 'Second look',
    channel: 'EMAIL',
    message: { title: 'Look', body: 'Look' },
    variants: [],
    version: 1,
  }),
};

/** Keeps what is written, as the service does. */
export function keepsDraft(
  automation: Automation,
  warningsOf: (draft: AutomationDefinition) => readonly object[] = () => [],
): Answers {
  let kept = automation;
  const keep = (changes: Partial<Automation>): Answer => {
    kept = { ...kept, ...changes };
    return { json: { ...kept, warnings: warningsOf(kept.draft) } };
  };
  const name = `automations/${automation.slug}`;
  return {
    [`GET ${name}`]: () => ({ json: kept }),
    [`PUT ${name}`]: ({ body }: Call) => {
      const { expectedVersion: _version, ...draft } = body as AutomationDefinition & {
        readonly expectedVersion: number;
      };
      return keep({
        draft,
        name: draft.name,
        // Equal content changes nothing.
        ...(JSON.stringify(draft) !== JSON.stringify(kept.draft) && {
          draftVersion: kept.draftVersion + 1,
          hasChanges: true,
        }),
      });
    },
    [`POST ${name}/activate`]: () =>
      keep({
        status: 'active',
        live: kept.draft,
        liveVersion: (kept.liveVersion ?? 0) + 1,
        hasChanges: false,
      }),
    [`POST ${name}/pause`]: () => keep({ status: 'paused' }),
    [`POST ${name}/resume`]: () => keep({ status: 'active' }),
    [`POST ${name}/stop`]: () => keep({ status: 'stopped' }),
  };
}
