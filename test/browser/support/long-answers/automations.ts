import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { ACTIVE, CART, LISTED, REPORT, RUN } from '../automations.ts';
import { REHEARSAL } from '../rehearsals.ts';
import type { Answers } from '../answer-calls.ts';
import { condition } from './segments.ts';
import { AT, LONG, list, many, one } from './values.ts';

const { customUserId, email, slug, words } = LONG;
const name = `automations/${LONG.automationSlug}`;
const event = { event: slug, where: [{ attribute: words, is: words }] };
const { nodes, ...frame } = CART;
const definition: AutomationDefinition = {
  ...frame,
  name: words,
  trigger: event,
  filter: condition,
  exit: [{ ...event, as: 'goal' }],
  nodes: nodes.map((node) =>
    'send' in node
      ? { ...node, send: { channel: 'EMAIL', message: { title: words, body: words } } }
      : node,
  ),
};
const automation = {
  ...ACTIVE,
  slug: LONG.automationSlug,
  name: words,
  updatedBy: `member:${email}`,
  draft: definition,
  live: definition,
};
const { trace, ...shown } = { ...RUN, customUserId, key: many('order-', 256) };
const failed = { ...shown, status: 'failed', error: many('The_template_has_no_version_', 500) };

export const AUTOMATION_ANSWERS: Answers = {
  'GET automations': list({
    ...LISTED,
    slug: automation.slug,
    name: words,
    trigger: event,
    entered: 1_000_000,
  }),
  [`GET ${name}`]: one(automation),
  [`GET ${name}/report`]: one(REPORT),
  [`GET rehearsals/${REHEARSAL.rehearsalId}`]: one({
    ...REHEARSAL,
    definition,
    traces: REHEARSAL.traces.map((each) => ({ ...each, customUserId })),
  }),
  [`GET ${name}/runs`]: list(failed),
  [`GET ${name}/runs/${RUN.runId}`]: one({ ...failed, trace }),
  [`GET ${name}/versions`]: list({
    version: 12_345,
    definition,
    createdAt: AT,
    createdBy: `member:${email}`,
  }),
  [`GET users/${customUserId}/automation-runs`]: list({
    ...failed,
    automation: { slug: automation.slug, name: words },
  }),
  [`GET ${name}/users/*`]: one({
    triggers: [
      {
        eventId: LONG.messageId,
        at: AT,
        result: 'skipped',
        reason: 'where',
        pointer: '/trigger/where/0',
      },
    ],
    runs: [failed],
  }),
};
