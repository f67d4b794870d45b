import type {
  AutomationDefinition,
  AutomationNode,
} from '@tidings/contracts/automations/definition';

export const event = (name: string) => ({ kind: 'action', name }) as const;

export const mail = (id: string): AutomationNode => ({
  id,
  send: { channel: 'EMAIL', message: { title: 'Still there?', body: 'Your cart waits.' } },
});

/** An automation of those who fill a cart. */
export const cart = (
  nodes: readonly AutomationNode[],
  overrides: Partial<AutomationDefinition> = {},
): AutomationDefinition => ({
  version: 1,
  name: 'Abandoned cart',
  purpose: 'transactional',
  trigger: { event: event('cartd') },
  entry: { again: 'always' },
  nodes,
  ...overrides,
});
