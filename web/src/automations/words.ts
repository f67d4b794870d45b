import {
  branchesOf,
  messagesOf,
  type AutomationDefinition,
  type AutomationExit,
  type AutomationMessage,
  type AutomationNode,
  type AwaitedOutcome,
  type EventTrigger,
  type NamedEvent,
  type SegmentChange,
  type Throttle,
} from '@tidings/contracts/automations/definition';
import { dateTriggerText, scheduleText, untilText } from './calendar-words.ts';
import { branchKey, findPlace, listOf, type NodeKey, type Nodes, type Place } from './tree.ts';
import type { EntryRefusal } from '@tidings/contracts/automations/runs';
import { eventName, summarize, type Names } from '../conditions/describe-condition.ts';
import { durationText } from '../conditions/duration.ts';
import { channelName } from '../labels/channel-name.ts';
import { formatCount, formatShare, humanize } from '../lib/format.ts';
import { isolate, toText } from '../lib/text.ts';
import type { IconName } from '../ui/icon.tsx';

/** What sentences name. */
export type AutomationNames = Names & {
  /** Names of templates by slug. */
  readonly templates: ReadonlyMap<string, string>;
};

export const KINDS: Readonly<
  Record<NodeKey, { readonly label: string; readonly icon: IconName; readonly hint: string }>
> = {
  send: { label: 'Send a message', icon: 'mail', hint: 'E-mail, SMS, push' },
  delay: { label: 'Wait a while', icon: 'clock', hint: 'Hours, days' },
  until: { label: 'Wait until a time', icon: 'calendar', hint: 'A time of day, a date' },
  waitFor: { label: 'Wait until something happens', icon: 'hourglass', hint: 'An event, a click' },
  if: { label: 'Ask a question', icon: 'branch', hint: 'Yes or no' },
  split: { label: 'Split by chance', icon: 'split', hint: 'A and B' },
  exit: { label: 'End here', icon: 'leave', hint: '' },
};

export const OUTCOME_WORDS: Readonly<Record<AwaitedOutcome, string>> = {
  sent: 'sent',
  delivered: 'delivered',
  opened: 'opened',
  clicked: 'clicked',
  failed: 'failed',
};

/** What a step does, in one line. */
export function stepTitle(node: AutomationNode, names: AutomationNames): string {
  if ('delay' in node) return `Wait ${durationText(node.delay)}`;
  if ('until' in node) return `Wait until ${untilText(node.until)}`;
  if ('waitFor' in node) {
    const { waitFor, timeout } = node;
    const what =
      'event' in waitFor
        ? `until ${eventPhrase(waitFor, names)}`
        : 'segment' in waitFor
          ? `until the person ${movePhrase(waitFor, names)}`
          : `until ${OUTCOME_WORDS[waitFor.was]}`;
    return `Wait ${what}, at most ${durationText(timeout)}`;
  }
  if ('if' in node) return `Is it so: ${summarize(node.if, names)}?`;
  if ('split' in node) {
    const shares = node.split.map(({ weight }) => weight).join(' / ');
    return `Split ${shares}${node.winner === undefined ? '' : ', then the better way'}`;
  }
  if ('send' in node)
    return messagesOf(node.send)
      .map((message) => messageTitle(message, names))
      .join(', or else ');
  return 'End here';
}

function messageTitle(
  { channel, template, message }: AutomationMessage,
  { templates }: AutomationNames,
): string {
  const slug = template?.split('@')[0] ?? '';
  const title =
    template === undefined
      ? toText(message?.['title']) || toText(message?.['body']).replaceAll(/<[^>]*>/g, '')
      : (templates.get(slug) ?? slug);
  return title === ''
    ? channelName(channel)
    : `${channelName(channel)}: ${isolate(withValueNames(title))}`;
}

const VALUE = /\{\{-?\s*([\w.]+)[^}]*\}\}/g;

/** Values by their names: `{{ user.firstName | default: 'Hello' }}` is `⟨first name⟩`. */
const withValueNames = (text: string): string =>
  text.replace(VALUE, (_whole, path: string) => `⟨${lastWords(path)}⟩`);
const lastWords = (path: string): string => humanize(path.split('.').at(-1) ?? '').toLowerCase();

/** `“order_paid”, price more than 20`. */
function eventPhrase({ event, where = [] }: NamedEvent, names: Names): string {
  const asked = where.map((each) => summarize(each, names));
  return [`“${isolate(eventName(event, names))}”`, ...asked].join(', ');
}

/** How people come in, as a sentence without its end. */
export function triggerText(trigger: AutomationDefinition['trigger'], names: Names): string {
  if ('event' in trigger) return eventPhrase(trigger, names);
  if ('schedule' in trigger)
    return `${scheduleText(trigger)}, who is in ${segmentName(trigger.segment, names)}`;
  if ('date' in trigger) return dateTriggerText(trigger);
  return 'when' in trigger ? `A person ${movePhrase(trigger, names)}` : 'Your back end asks for it';
}

const segmentName = (slug: string, { segments }: Names): string =>
  `“${isolate(segments.get(slug) ?? slug)}”`;

/** `enters the segment “VIP”`. */
const movePhrase = ({ segment, when }: SegmentChange, names: Names): string =>
  `${when} the segment ${segmentName(segment, names)}`;

/** Whether an exit is the goal. */
export const goalOf = (exit: AutomationExit): 'goal' | undefined =>
  'as' in exit ? exit.as : undefined;

/** What ends a run, as a sentence about its person. */
export function exitText(exit: AutomationExit, names: Names): string {
  if ('event' in exit) return `Leaves at ${eventPhrase(exit, names)}`;
  if ('unsubscribed' in exit)
    return `Ends when they take no marketing by ${channelName(exit.unsubscribed)}`;
  const move = exit.when === 'enters' ? 'enter' : 'leave';
  return `Ends when they ${move} the segment ${segmentName(exit.segment, names)}`;
}

type Entered = Pick<AutomationDefinition, 'entry'>;

export function entryText({ entry }: Entered): string {
  if (entry === undefined || entry.again === 'never') return 'Each person once';
  const each = entry.key === undefined ? '' : ', once for each value';
  return entry.again === 'always'
    ? `Again every time${each}`
    : `Again after ${durationText(entry.after ?? '')}${each}`;
}

/** `At most 1,000 messages in 1 hour`. */
export const throttleText = ({ sends, per }: Throttle): string =>
  `At most ${formatCount(sends)} ${sends === 1 ? 'message' : 'messages'} in ${durationText(per)}`;

/** Whether a run may leave a step before the instant until which it waits there. */
export function mayEndEarlier({ nodes }: AutomationDefinition, id: string): boolean {
  const node = findPlace(nodes, id)?.node;
  return node !== undefined && 'waitFor' in node;
}

/** What a step is called; its API name if this version does not have it. */
export function nodeName(
  { nodes }: AutomationDefinition,
  id: string,
  names: AutomationNames,
): string {
  const place = findPlace(nodes, id);
  return place === undefined ? id : stepTitle(place.node, names);
}

/** Where a step stands: `Clicked: step 2 of 3`. */
export function placeText(nodes: Nodes, { list, index, parent }: Place): string {
  const step = `step ${index + 1} of ${listOf(nodes, list).length}`;
  if (parent === null) return step;
  const at = branchesOf(parent.node).findIndex(
    (branch) => branchKey(parent.node.id, branch.step) === list,
  );
  return `${branchLabels(parent.node)[at] ?? ''}: ${step}`;
}

/** The name of a branch of a split: A is the first one. */
export const branchLetter = (branch: number): string => String.fromCodePoint(65 + branch);

/** What leads into each branch of a step. */
export function branchLabels(node: AutomationNode): readonly string[] {
  if ('split' in node) {
    const sum = node.split.reduce((total, { weight }) => total + weight, 0);
    return node.split.map(
      ({ weight }, index) => `${branchLetter(index)} · ${formatShare(weight, sum)}`,
    );
  }
  if ('waitFor' in node) {
    const came = 'was' in node.waitFor ? OUTCOME_WORDS[node.waitFor.was] : 'It came';
    return [
      came.charAt(0).toUpperCase() + came.slice(1),
      `Not within ${durationText(node.timeout)}`,
    ];
  }
  return branchesOf(node).length === 0 ? [] : ['Yes', 'No'];
}

/** How late an event may be received where its trigger says nothing else. */
export const EVENT_MAX_AGE = '1h';

/** How late an event may be received. */
export const latenessText = ({ maxAge = EVENT_MAX_AGE }: EventTrigger): string =>
  maxAge === null ? 'Late events always count' : `Late events count for ${durationText(maxAge)}`;

/** Why a person did not enter. */
export function refusalText(reason: string, definition: Entered): string {
  const known: Readonly<Partial<Record<string, string>>> = REFUSALS;
  return reason === 're_entry' ? againRefused(definition) : (known[reason] ?? reason);
}

/** What of how often a person may enter refused them. */
export function againText(definition: Entered): string {
  const { again, key } = definition.entry ?? { again: 'never' };
  if (again !== 'always') return entryText(definition);
  return key === undefined ? 'Once at a time' : 'Once at a time for each value';
}

/** Who is in it does not enter beside it, however often people may. */
function againRefused({ entry = { again: 'never' } }: Entered): string {
  const { again, after = '', key } = entry;
  const same = key === undefined ? '' : ' with the same value';
  if (again === 'always') return `The person was still in it${same}.`;
  if (again === 'never') return `The person had entered before${same}.`;
  return `The person was still in it${same}, or had entered less than ${durationText(after)} before.`;
}

const REFUSALS: Readonly<Record<Exclude<EntryRefusal, 're_entry'>, string>> = {
  where: 'The event did not have the values that are asked for.',
  filter: 'The person was not among those whom it is for.',
  max_age: 'It became known too late.',
  not_proved: 'It is not proved that the event came from this person.',
  not_registered: 'The person was not registered.',
  paused: 'It was paused.',
  before_activation: 'It came before the automation was activated.',
  capacity: 'Too many people were in it.',
  settling_timeout: 'The profile of the person was not stored in time.',
};
