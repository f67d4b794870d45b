import type { RehearsedLine } from '@tidings/contracts/automations/rehearsals';
import type { Rehearsal } from '@tidings/web/src/api/types.ts';
import { AUTOMATION_ANSWERS, CART } from './automations.ts';
import type { Answers } from './answer-calls.ts';

const DAY_MS = 86_400_000;
const REHEARSED_TO = 1_795_256_400_000;
const rehearsedLine = (node: string, hours: number, outcome: RehearsedLine['outcome']) => ({
  node,
  at: REHEARSED_TO - 5 * DAY_MS + hours * 3_600_000,
  outcome,
});
/** The cart, rehearsed on seven days. */
export const REHEARSAL: Rehearsal = {
  rehearsalId: '01a1fda0-84a5-72c8-802b-8cdeabd13500',
  slug: 'cart',
  status: 'completed',
  from: REHEARSED_TO - 7 * DAY_MS,
  to: REHEARSED_TO,
  definition: CART,
  createdAt: REHEARSED_TO,
  createdBy: 'member:mia@shop.example',
  endedAt: REHEARSED_TO + 2_000,
  asOf: REHEARSED_TO + 1_000,
  people: { rehearsed: 1_210, of: 1_210 },
  events: 4_812,
  cut: null,
  assumptions: [],
  entered: 843,
  active: 12,
  completed: 640,
  exited: 191,
  goals: 191,
  refused: { where: 260, re_entry: 107 },
  nodes: [
    { id: 'wait1', entered: 843, waiting: 4, passed: 730 },
    {
      id: 'mail1',
      entered: 730,
      waiting: 0,
      passed: 730,
      sent: 698,
      skipped: { filter: 32 },
      unreachable: { suppressed_bounce: 21 },
    },
    { id: 'until1', entered: 730, waiting: 8, passed: 640, branches: { else: 640 } },
    {
      id: 'check1',
      entered: 640,
      waiting: 0,
      passed: 640,
      branches: { ['then' as string]: 90, else: 550 },
    },
    { id: 'push1', entered: 90, waiting: 0, passed: 90, sent: 90, unreachable: { no_device: 71 } },
    { id: 'split1', entered: 550, waiting: 0, passed: 550, branches: { 0: 270, 1: 280 } },
    { id: 'sms1', entered: 270, waiting: 0, passed: 270, sent: 270 },
  ],
  days: [110, 96, 131, 0, 140, 170, 196].map((entered, index) => ({
    day: new Date(REHEARSED_TO - (6 - index) * DAY_MS).toISOString().slice(0, 10),
    entered,
    completed: entered,
    exited: 0,
    goals: 0,
    sent: Math.round(entered * 1.3),
  })),
  channels: [
    { channel: 'EMAIL', sent: 698, unreachable: { suppressed_bounce: 21 } },
    { channel: 'SMS', sent: 270, unreachable: {} },
    { channel: 'WEB_PUSH', sent: 90, unreachable: { no_device: 71 } },
  ],
  unreachable: { suppressed_bounce: 21, no_device: 71 },
  skipped: { filter: 32 },
  traces: [
    {
      customUserId: 'ada',
      key: '',
      trigger: { eventId: 'm-17', at: REHEARSED_TO - 5 * DAY_MS },
      enteredAt: REHEARSED_TO - 5 * DAY_MS,
      status: 'exited',
      lines: [
        rehearsedLine('', 0, 'entered'),
        rehearsedLine('wait1', 0, 'waiting'),
        rehearsedLine('wait1', 1, 'passed'),
        { ...rehearsedLine('mail1', 1, 'sent'), channel: 'EMAIL' },
        rehearsedLine('until1', 1, 'waiting'),
        rehearsedLine('', 3, 'goal'),
      ],
    },
    {
      customUserId: 'דנה-לוי',
      key: '',
      trigger: { eventId: 'm-18', at: REHEARSED_TO - 5 * DAY_MS },
      enteredAt: REHEARSED_TO - 5 * DAY_MS + 60_000,
      status: 'completed',
      lines: [
        rehearsedLine('', 0, 'entered'),
        { ...rehearsedLine('mail1', 1, 'skipped'), reason: 'filter' },
        { ...rehearsedLine('sms1', 26, 'sent'), channel: 'SMS' },
        {
          ...rehearsedLine('push1', 26, 'sent'),
          channel: 'WEB_PUSH',
          unreachable: 'no_device',
        },
        rehearsedLine('', 26, 'completed'),
      ],
    },
    {
      customUserId: 'grace',
      key: '',
      trigger: { eventId: 'm-19', at: REHEARSED_TO - 5 * DAY_MS },
      enteredAt: REHEARSED_TO - DAY_MS,
      status: 'active',
      lines: [rehearsedLine('', 100, 'entered'), rehearsedLine('wait1', 100, 'waiting')],
    },
  ],
};

/** The cart can be rehearsed too. */
export const REHEARSAL_ANSWERS: Answers = {
  ...AUTOMATION_ANSWERS,
  'POST automations/cart/rehearse': {
    status: 202,
    json: { rehearsalId: REHEARSAL.rehearsalId },
  },
  [`GET rehearsals/${REHEARSAL.rehearsalId}`]: { json: REHEARSAL },
};
