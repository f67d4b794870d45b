import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { stringifyExactJson } from '../../lib/exact-json.ts';
import { toLocalText } from '../../lib/local-time.ts';
import { NO_NAMES, summarize } from '../../conditions/describe-condition.ts';
import { START } from '../../conditions/new-condition.ts';
import { EVERYONE, isEveryone } from '../../conditions/everyone.ts';
import { readRecipients, type AudienceChoice } from './audience.ts';
import { parseDraft, readPurpose, readChoice, type Draft, type TemplateChoice } from './draft.ts';
import { buildMessage, toMessageTexts, type MessageTexts } from './message-values.ts';
import { toSchedule, type SendTime } from './send-time.ts';
import { buildWinner, readWinner } from '../split-tests/winner.ts';

/** A push that may lack anything, as the service keeps it. */
export type DraftContent = Readonly<Record<string, unknown>>;

/**
 * The form as it is stored. A choice whose value is not filled in yet is stored as empty. A message
 * that is written stays while a template counts, and a list of users while a segment does.
 */
export function toContent(draft: Draft): DraftContent {
  const { name, tags, channel, purpose, fields, personalize } = draft;
  const isWritten = Object.values(fields).some((text) => text.trim() !== '');
  return {
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(tags.length > 0 && { tags }),
    channel,
    purpose,
    ...audienceContent(draft),
    ...(isWritten && { message: buildMessage(draft) }),
    ...(personalize && { personalize }),
    ...templateContent(draft),
    ...timeContent(draft),
  };
}

function audienceContent({ to, recipients, segment, condition, exclude, recheck }: Draft) {
  const listed = readRecipients(recipients);
  return {
    ...((to === 'users' || listed.length > 0) && { recipients: listed }),
    ...(to === 'segment' && { segment }),
    ...(to === 'condition' && { segment: { condition } }),
    ...(to === 'everyone' && { segment: { condition: EVERYONE } }),
    ...(exclude !== '' && { exclude }),
    ...(recheck && { recheck }),
  };
}

function templateContent({ content, templates, channel, winner }: Draft): DraftContent {
  if (content === 'message') return {};
  const named = templates.map(({ slug, version, share }) => ({
    template: version === '' ? slug : `${slug}@${version}`,
    share: Number(share),
  }));
  return named.length === 1
    ? { template: named[0]?.template }
    : { split: named, ...buildWinner({ channel, winner }) };
}

function timeContent({ when, time }: SendTime): DraftContent {
  if (time !== '') return toSchedule({ when, time });
  return when === 'now' ? {} : { [when === 'at' ? 'sendAt' : 'sendAtLocal']: null };
}

/** The form of a stored content. What another program has stored may be of any kind: it counts as missing. */
export function fromContent(content: DraftContent): Draft {
  const channel = CHANNELS.find((each) => each === content['channel']) ?? 'EMAIL';
  return {
    ...parseDraft({}),
    name: textOf(content['name']),
    tags: textsOf(content['tags']),
    channel,
    purpose: readPurpose(content['purpose']),
    ...readAudience(content),
    fields: readMessage(channel, content['message']),
    personalize: content['personalize'] === true,
    ...readTemplates(content),
    winner: readWinner(content['winner']),
    ...readTime(content),
  };
}

function readAudience(content: DraftContent): AudienceChoice {
  const { recipients, segment, exclude, recheck } = content;
  const condition = isObject(segment) ? readCondition(segment['condition']) : null;
  return {
    to: kindOf(content, condition),
    recipients: textsOf(recipients).join('\n'),
    segment: textOf(segment),
    condition: condition === null || isEveryone(condition) ? START : condition,
    exclude: textOf(exclude),
    recheck: recheck === true,
  };
}

function kindOf({ segment, recipients }: DraftContent, condition: Condition | null) {
  if (condition !== null) return isEveryone(condition) ? 'everyone' : 'condition';
  // A new campaign begins with a segment.
  return typeof segment === 'string' || recipients === undefined ? 'segment' : 'users';
}

/** Null for what is no condition. JSON has no NaN, which a number is until it is filled in. */
function readCondition(stored: unknown): Condition | null {
  const condition = withMissingNumbers(stored) as Condition;
  try {
    summarize(condition, NO_NAMES);
    return condition;
  } catch {
    return null;
  }
}

function withMissingNumbers(value: unknown): unknown {
  if (value === null) return Number.NaN;
  if (Array.isArray(value)) return value.map(withMissingNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withMissingNumbers(item)]),
  );
}

const readMessage = (channel: Channel, message: unknown): MessageTexts =>
  isObject(message) ? toMessageTexts(channel, { body: '', ...message }) : {};

function readTemplates({ template, split }: DraftContent): Pick<Draft, 'content' | 'templates'> {
  const choices = Array.isArray(split) ? split.filter(isObject).map(readShare) : [];
  if (choices.length > 0) return { content: 'template', templates: choices };
  return {
    content: typeof template === 'string' ? 'template' : 'message',
    templates: [readChoice(textOf(template))],
  };
}

function readShare({ template, share }: DraftContent): TemplateChoice {
  const choice = readChoice(textOf(template));
  return typeof share === 'number' ? { ...choice, share: String(share) } : choice;
}

/** The latest instant of JavaScript. */
const INSTANT_MAX = 8.64e15;

function readTime(content: DraftContent): SendTime {
  const { sendAt, sendAtLocal } = content;
  if (typeof sendAt === 'number' && Math.abs(sendAt) <= INSTANT_MAX)
    return { when: 'at', time: toLocalText(sendAt) };
  if (sendAt === null) return { when: 'at', time: '' };
  if (sendAtLocal === undefined) return { when: 'now', time: '' };
  return { when: 'local', time: textOf(sendAtLocal) };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LABELS: Readonly<Record<string, string>> = {
  name: 'name',
  tags: 'tags',
  channel: 'channel',
  purpose: 'purpose',
  recipients: 'audience',
  segment: 'audience',
  exclude: 'audience',
  recheck: 'audience',
  message: 'message',
  personalize: 'message',
  template: 'templates',
  split: 'templates',
  winner: 'templates',
  sendAt: 'time',
  sendAtLocal: 'time',
};

/** What differs between two contents, in the words of the page. */
export function listDifferences(one: DraftContent, other: DraftContent): readonly string[] {
  const forms = [toContent(fromContent(one)), toContent(fromContent(other))] as const;
  const differing = Object.keys(LABELS).filter(
    (key) => stringify(forms[0][key]) !== stringify(forms[1][key]),
  );
  return [...new Set(differing.map((key) => LABELS[key] ?? key))];
}

const stringify = (value: unknown): string =>
  value === undefined ? '' : stringifyExactJson(inOrder(value));

/** The keys in one order: the service answers them in another one than the page writes. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, inOrder(value[key])]),
  );
}
