import {
  branchesOf,
  liveSegmentsOf,
  messagesOf,
  type AutomationDefinition,
  type AutomationNode,
  type AutomationTrigger,
} from '@tidings/contracts/automations/definition';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { ConditionContext } from '@tidings/segments/condition-context';
import type { NamedEvents } from '@tidings/segments/person-events';
import { isRelative, isTimeless } from '@tidings/segments/stored-people';

/**
 * What of a definition stored events cannot tell, or a rehearsal does not do, with pointers into it.
 * What is not listed here is refused, so that a new word of the language gives no wrong numbers.
 */
export function cannotRehearse(
  definition: AutomationDefinition,
  context: Pick<ConditionContext, 'segments'>,
): FieldError[] {
  const { trigger, exit = [], nodes } = definition;
  return [
    ...othersThan(KNOWN.definition, definition, ''),
    ...ofTrigger(trigger),
    ...exit.flatMap((each, index) => {
      const pointer = `/exit/${index}`;
      if ('event' in each) return ofEvent(each, pointer);
      return 'unsubscribed' in each || 'segment' in each ? [] : [refused(pointer)];
    }),
    ...ofNodes(nodes, '/nodes'),
    ...liveSegmentsOf(definition).flatMap(({ slug, pointer }) =>
      isTimeless({ segment: slug }, context) ? [{ pointer, ...OF_PROFILES }] : [],
    ),
  ];
}

/** Nothing that is stored says when they moved. */
const OF_PROFILES = {
  code: 'invalid_value',
  expected:
    'a segment that asks for events, messages or a date from now: when the rest of a profile changed is not stored, so that no rehearsal knows who entered or left it, and when',
} as const;

const KNOWN = {
  definition: [
    'version',
    'name',
    'purpose',
    'trigger',
    'filter',
    'recheckFilter',
    'entry',
    'exit',
    'goalWindow',
    // Left out: people depend on each other by it.
    'throttle',
    'nodes',
  ],
  node: [
    'id',
    'delay',
    'waitFor',
    'timeout',
    'then',
    'else',
    'if',
    'split',
    'winner',
    'send',
    'exit',
    'until',
  ],
  send: ['try', 'channel', 'template', 'message', 'onUnreachable', 'quietHours'],
} as const;

function ofTrigger(trigger: AutomationTrigger): FieldError[] {
  if ('event' in trigger) return ofEvent(trigger, '/trigger');
  const isKnown = 'schedule' in trigger || 'date' in trigger || 'when' in trigger;
  return isKnown ? [] : [refused('/trigger')];
}

const refused = (pointer: string): FieldError => ({
  pointer,
  code: 'invalid_value',
  expected: 'what can be rehearsed on stored events',
});

const othersThan = (known: readonly string[], value: object, pointer: string): FieldError[] =>
  Object.keys(value).flatMap((key) => (known.includes(key) ? [] : [refused(`${pointer}/${key}`)]));

const ofNodes = (nodes: readonly AutomationNode[], pointer: string): FieldError[] =>
  nodes.flatMap((node, index) => {
    const at = `${pointer}/${index}`;
    return [
      ...othersThan(KNOWN.node, node, at),
      ...ofNode(node, at),
      ...branchesOf(node).flatMap((branch) => ofNodes(branch.nodes, `${at}/${branch.step}`)),
    ];
  });

function ofNode(node: AutomationNode, at: string): FieldError[] {
  if ('waitFor' in node) {
    if ('event' in node.waitFor) return ofEvent(node.waitFor, `${at}/waitFor`);
    const isKnown = 'message' in node.waitFor || 'segment' in node.waitFor;
    return isKnown ? [] : [refused(`${at}/waitFor`)];
  }
  if (!('send' in node)) return [];
  return [
    ...othersThan(KNOWN.send, node.send, `${at}/send`),
    ...messagesOf(node.send).flatMap((message, index) =>
      'try' in node.send ? othersThan(KNOWN.send, message, `${at}/send/try/${index}`) : [],
    ),
  ];
}

/** Dates of events would be compared with each instant at which someone asks. */
const ofEvent = ({ where = [] }: NamedEvents, pointer: string): FieldError[] =>
  where.flatMap((comparison, index) =>
    isRelative(comparison)
      ? [
          {
            pointer: `${pointer}/where/${index}`,
            code: 'invalid_value' as const,
            expected: 'a date that does not depend on the moment, in a rehearsal',
          },
        ]
      : [],
  );
