import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import type { LeafDescriptor, Phrases } from '@tidings/contracts/segments/leaves/descriptor';
import {
  LEAF_DESCRIPTORS,
  type LeafCondition,
  type LeafKind,
} from '@tidings/contracts/segments/leaves/descriptors';
import type {
  AttributePath,
  Comparison,
  ConditionInstant,
  EventReference,
  EventWindow,
  NumberRange,
} from '@tidings/contracts/segments/leaves/parts';
import { channelName } from '../labels/channel-name.ts';
import { formatCount, formatMinute, formatTime, humanize } from '../lib/format.ts';
import { isolate } from '../lib/text.ts';
import { durationText } from './duration.ts';
import { OPERATOR_LABELS, OPERATORS } from './comparison.ts';
import { isEveryone } from './everyone.ts';
import { pathText } from './path-text.ts';

/** What conditions name, for readers. */
export type Names = {
  /** Names of event definitions by slug. */
  readonly events: ReadonlyMap<string, string>;
  /** Names of funnels by slug. */
  readonly funnels: ReadonlyMap<string, string>;
  /** Names of segments by slug. */
  readonly segments: ReadonlyMap<string, string>;
};

/** Of an application that is not known: slugs stand for themselves. */
export const NO_NAMES: Names = { events: new Map(), funnels: new Map(), segments: new Map() };

/** A condition as a phrase; of a group only what it asks of its parts. */
export function describeCondition(condition: Condition, names: Names): string {
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group':
      return node.key === 'all' ? 'All of' : 'At least one of';
    case 'not':
      return 'Not';
    case 'segment':
    case 'fact':
      return describeLeaf(node, names);
  }
}

/** A condition and all its parts in one line. */
export function summarize(condition: Condition, names: Names): string {
  if (isEveryone(condition)) return 'everyone';
  const node = nodeOf(condition);
  const part = (child: Condition): string => bracket(child, summarize(child, names));
  switch (node.type) {
    case 'group':
      return node.children.map(part).join(node.key === 'all' ? ' and ' : ' or ');
    case 'not':
      return `not ${part(node.child)}`;
    case 'segment':
    case 'fact':
      return describeLeaf(node, names);
  }
}

function bracket(condition: Condition, text: string): string {
  const node = nodeOf(condition);
  return node.type === 'group' && node.children.length > 1 ? `(${text})` : text;
}

type Leaf = { readonly key: LeafKind; readonly leaf: LeafCondition };

function describeLeaf({ key, leaf }: Leaf, names: Names): string {
  const descriptor: LeafDescriptor<LeafCondition> = LEAF_DESCRIPTORS[key];
  return descriptor.words(leaf, phrasesOf(names));
}

const phrasesOf = (names: Names): Phrases => ({
  term: humanize,
  text: isolate,
  event: (reference) => isolate(eventName(reference, names)),
  funnel: (slug) => isolate((names.funnels.get(slug) ?? slug) || MISSING),
  segment: (slug) => isolate(names.segments.get(slug) ?? slug),
  channel: channelName,
  path: namedPath,
  comparison: comparisonText,
  range: rangeText,
  times: countText,
  duration: durationText,
  window: windowText,
  proof: ({ proved }) => (proved === true ? ' (proved)' : ''),
});

export const eventName = (reference: EventReference, { events }: Names): string =>
  typeof reference === 'string' ? (events.get(reference) ?? reference) || MISSING : reference.name;

/** What is not filled in yet. */
const MISSING = '…';

const namedPath = (path: AttributePath): string => isolate(pathText(path)) || MISSING;

/** When something was, as the end of a phrase. */
export function windowText({ within, from, to }: EventWindow): string {
  if (within !== undefined) return ` in the last ${durationText(within)}`;
  return [
    ...(from === undefined ? [] : [` from ${instantText(from)}`]),
    ...(to === undefined ? [] : [` to ${instantText(to)}`]),
  ].join('');
}

function countText(range: NumberRange): string {
  return `${rangeText(range)} ${Object.values(range).at(-1) === 1 ? 'time' : 'times'}`;
}

const RANGE_WORDS = { gt: 'more than', gte: 'at least', lt: 'less than', lte: 'at most' } as const;

function rangeText(range: NumberRange): string {
  const { gte, lte } = range;
  if (gte !== undefined && gte === lte) return `exactly ${formatCount(gte)}`;
  return (['gt', 'gte', 'lt', 'lte'] as const)
    .flatMap((bound) =>
      range[bound] === undefined ? [] : [`${RANGE_WORDS[bound]} ${range[bound]}`],
    )
    .join(' and ');
}

function comparisonText(comparison: Comparison): string {
  return OPERATORS.flatMap((operator) => {
    if (operator === 'absent') return comparison.exists === false ? [OPERATOR_LABELS.absent] : [];
    const operand = comparison[operator];
    if (operand === undefined || (operator === 'exists' && operand === false)) return [];
    const label = OPERATOR_LABELS[operator];
    if (operator === 'exists') return [label];
    // Each text contains the empty one: here it is not filled in.
    const isMissing = operand === '' && (operator === 'contains' || operator === 'startsWith');
    return [`${label} ${isMissing ? MISSING : operandText(operand)}`];
  }).join(' and ');
}

const SHOWN_MAX = 5;

function operandText(operand: unknown): string {
  if (Array.isArray(operand)) {
    if (operand.length === 0) return MISSING;
    const shown = operand.slice(0, SHOWN_MAX).map(operandText).join(', ');
    return operand.length > SHOWN_MAX ? `${shown} and ${operand.length - SHOWN_MAX} more` : shown;
  }
  if (typeof operand === 'object' && operand !== null)
    return 'ago' in operand || 'ahead' in operand ? instantText(operand as ConditionInstant) : '';
  if (Number.isNaN(operand)) return MISSING;
  return operand === '' ? 'empty text' : isolate(String(operand));
}

const MINUTE_MS = 60_000;

function instantText(instant: ConditionInstant): string {
  if (typeof instant === 'number')
    return (instant % MINUTE_MS === 0 ? formatMinute : formatTime)(instant, Date.now());
  return 'ago' in instant
    ? `${durationText(instant.ago)} ago`
    : `${durationText(instant.ahead)} from now`;
}
