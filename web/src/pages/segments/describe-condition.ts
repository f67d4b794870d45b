import type {
  AttributeComparison,
  Comparison,
  Condition,
  ConditionInstant,
  EventCondition,
  EventReference,
  NumberRange,
} from '@tidings/contracts';
import { channelName } from '../../labels/channel-name.ts';
import { formatCount, humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { durationText } from './builder/duration.ts';
import { OPERATOR_LABELS, OPERATORS } from './builder/comparison.ts';

/** What conditions name, for readers. */
export type Names = {
  /** Names of event definitions by slug. */
  readonly events: ReadonlyMap<string, string>;
  /** Names of segments by slug. */
  readonly segments: ReadonlyMap<string, string>;
};

/** A condition as a phrase; of a group only what it asks of its parts. */
export function describeCondition(node: Condition, names: Names): string {
  if ('all' in node) return 'All of';
  if ('any' in node) return 'At least one of';
  if ('not' in node) return 'Not';
  if ('segment' in node)
    return `in the segment “${isolate(names.segments.get(node.segment) ?? node.segment)}”`;
  if ('reachable' in node)
    return `reachable by ${channelName(node.reachable)} (${node.purpose ?? 'transactional'})`;
  if ('message' in node)
    return `message of campaign ${node.message.campaignId} ${node.was}${windowText(node)}`;
  if ('event' in node) return describeEvent(node, names);
  const [name, proved] =
    'field' in node ? [humanize(node.field), node.proved] : [pathText(node.attribute), node.proved];
  return `${name} ${comparisonText(node)}${proved === true ? ' (proved)' : ''}`;
}

/** A condition and all its parts in one line. */
export function summarize(node: Condition, names: Names): string {
  const group = (children: readonly Condition[], word: string): string =>
    children.map((child) => bracket(child, summarize(child, names))).join(` ${word} `);
  if ('all' in node) return group(node.all, 'and');
  if ('any' in node) return group(node.any, 'or');
  if ('not' in node) return `not ${bracket(node.not, summarize(node.not, names))}`;
  return describeCondition(node, names);
}

const bracket = (node: Condition, text: string): string =>
  ('all' in node && node.all.length > 1) || ('any' in node && node.any.length > 1)
    ? `(${text})`
    : text;

function describeEvent(node: EventCondition, names: Names): string {
  const parts = [
    `“${isolate(eventName(node.event, names))}” ${node.count === undefined ? 'at least 1 time' : countText(node.count)}`,
    ...(node.sum === undefined
      ? []
      : [`with revenue ${rangeText(node.sum)} ${node.currency ?? ''}`.trimEnd()]),
    ...(node.where === undefined ? [] : [`where ${whereText(node.where)}`]),
  ];
  const following = (['followedBy', 'notFollowedBy'] as const).flatMap((key) => {
    const step = node[key];
    if (step === undefined) return [];
    const where = step.where === undefined ? '' : ` where ${whereText(step.where)}`;
    const within = step.in === undefined ? '' : ` within ${durationText(step.in)}`;
    const word = key === 'followedBy' ? 'followed by' : 'not followed by';
    return [`${word} “${isolate(eventName(step.event, names))}”${where}${within}`];
  });
  const window = windowText(node);
  const proved = node.proved === true ? ' (proved)' : '';
  return `${parts.join(' ')}${window}${following.length > 0 ? `, ${following.join(', ')}` : ''}${proved}`;
}

export const eventName = (reference: EventReference, { events }: Names): string =>
  typeof reference === 'string' ? (events.get(reference) ?? reference) || MISSING : reference.name;

/** What is not filled in yet. */
const MISSING = '…';

const pathText = (path: string | readonly string[]): string =>
  isolate(typeof path === 'string' ? path : path.join(' › ')) || MISSING;

const whereText = (where: readonly AttributeComparison[]): string =>
  where.map((each) => `${pathText(each.attribute)} ${comparisonText(each)}`).join(' and ');

function windowText({
  within,
  from,
  to,
}: {
  readonly within?: string;
  readonly from?: number;
  readonly to?: number;
}): string {
  if (within !== undefined) return ` in the last ${durationText(within)}`;
  return [
    ...(from === undefined ? [] : [` from ${instantText(from)}`]),
    ...(to === undefined ? [] : [` to ${instantText(to)}`]),
  ].join('');
}

function countText(range: NumberRange): string {
  const { gte, lte } = range;
  if (gte !== undefined && gte === lte) return `exactly ${timesText(gte)}`;
  return `${rangeText(range)} ${Object.values(range).at(-1) === 1 ? 'time' : 'times'}`;
}

const timesText = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'time' : 'times'}`;

const RANGE_WORDS = { gt: 'more than', gte: 'at least', lt: 'less than', lte: 'at most' } as const;

const rangeText = (range: NumberRange): string =>
  (['gt', 'gte', 'lt', 'lte'] as const)
    .flatMap((bound) =>
      range[bound] === undefined ? [] : [`${RANGE_WORDS[bound]} ${range[bound]}`],
    )
    .join(' and ');

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

function instantText(instant: ConditionInstant): string {
  if (typeof instant === 'number') return new Date(instant).toLocaleString();
  return 'ago' in instant
    ? `${durationText(instant.ago)} ago`
    : `${durationText(instant.ahead)} from now`;
}
