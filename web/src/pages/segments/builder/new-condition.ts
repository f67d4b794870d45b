import type { Condition, ConditionKey } from '@tidings/contracts';

/** What the builder adds, as the reader chooses it. */
export const LEAF_LABELS = {
  field: 'Profile field',
  attribute: 'Attribute',
  event: 'Event',
  segment: 'Segment',
  reachable: 'Reachable by a channel',
  message: 'Message of a campaign',
  all: 'Group: all of',
  any: 'Group: at least one of',
} as const satisfies Partial<Record<ConditionKey, string>>;
export type Added = keyof typeof LEAF_LABELS;

export function newCondition(kind: Added): Condition {
  switch (kind) {
    case 'field':
      return { field: 'country', is: '' };
    case 'attribute':
      return { attribute: '', is: '' };
    case 'event':
      return { event: '', count: { gte: 1 }, within: '30d' };
    case 'segment':
      return { segment: '' };
    case 'reachable':
      return { reachable: 'EMAIL', purpose: 'marketing' };
    case 'message':
      return { message: { campaignId: '' }, was: 'opened' };
    case 'all':
      return { all: [newCondition('attribute')] };
    case 'any':
      return { any: [newCondition('attribute')] };
  }
}

export const START: Condition = { all: [newCondition('attribute')] };

/** What a new condition is called until it names its attribute, event, segment or campaign; else undefined. */
export function unnamedLabel(node: Condition): string | undefined {
  if ('attribute' in node && node.attribute === '') return LEAF_LABELS.attribute;
  if ('event' in node && node.event === '') return LEAF_LABELS.event;
  if ('segment' in node && node.segment === '') return LEAF_LABELS.segment;
  return 'message' in node && node.message.campaignId === '' ? LEAF_LABELS.message : undefined;
}

/** Keys whose text must not be empty. The operand of `is` may be. */
const NEEDED = new Set([
  'attribute',
  'event',
  'segment',
  'campaignId',
  'contains',
  'startsWith',
  'name',
  'currency',
]);

/** Whether the reader has filled in everything: otherwise there is nothing to ask yet. */
export function isComplete(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isNaN(value);
  if (Array.isArray(value)) return value.length > 0 && value.every(isComplete);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([key, item]) => !(NEEDED.has(key) && item === '') && isComplete(item),
  );
}
