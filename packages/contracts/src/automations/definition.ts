import type { Channel } from '../channels/channels.ts';
import type { Purpose } from '../push/purposes.ts';
import type { PushMessage } from '../push/push.ts';
import type { Condition } from '../segments/conditions.ts';
import type {
  AttributeComparison,
  AttributePath,
  Duration,
  EventReference,
} from '../segments/leaves/parts.ts';
import type { DateTrigger, ScheduleTrigger, UntilNode } from './calendar.ts';

/** The version of the language. */
export const AUTOMATION_VERSION = 1;

/** An event of one definition, with `where` on its attributes. */
export type NamedEvent = {
  readonly event: EventReference;
  readonly where?: readonly AttributeComparison[];
};

/** Enters the person of each such event. */
export type EventTrigger = NamedEvent & {
  /** An event that is received later than this after its own time enters no one; null: any enters. */
  readonly maxAge?: Duration | null;
  /** Also events whose sender is not known to speak for the person. */
  readonly from?: 'anyone';
};
/** Enters those for whom `POST automations/{slug}/runs` asks. */
export type ApiTrigger = { readonly api: true };
export type AutomationTrigger = EventTrigger | ApiTrigger | ScheduleTrigger | DateTrigger;
/** Each trigger has exactly one of these keys. */
export const TRIGGER_KEYS = ['event', 'api', 'schedule', 'date'] as const;

/** How often a person may enter. */
export type AutomationEntry = {
  /** Default: `never`. */
  readonly again: EntryAgain;
  /** Of `after`: since the entry before. */
  readonly after?: Duration;
  /** An attribute of the trigger: one run for each of its values. */
  readonly key?: AttributePath;
};
export const ENTRY_AGAIN = ['never', 'after', 'always'] as const;
export type EntryAgain = (typeof ENTRY_AGAIN)[number];

/** Ends a run when the person does this later than what it was entered by. */
export type AutomationExit = NamedEvent & {
  /** That is what the automation is for: it counts as reached. */
  readonly as?: 'goal';
};

/** What became of the message of an earlier node. */
export const AWAITED_OUTCOMES = ['sent', 'delivered', 'opened', 'clicked', 'failed'] as const;
export type AwaitedOutcome = (typeof AWAITED_OUTCOMES)[number];

export type AwaitedMessage = {
  readonly message: { readonly node: string };
  readonly was: AwaitedOutcome;
};
export type Awaited = NamedEvent | AwaitedMessage;

/** A message of its own, or a template, by one channel. */
export type AutomationMessage = {
  readonly channel: Channel;
  /** The slug of a template, with `@3` for one of its versions. */
  readonly template?: string;
  readonly message?: PushMessage;
};
/** How a message goes that is not sent at once. */
export type SendOptions = {
  /** What becomes of a run whose person no channel of the node reaches. Default: `next`. */
  readonly onUnreachable?: (typeof ON_UNREACHABLE)[number];
  /** The run waits until the quiet hours of its person end. Without it, its message does. */
  readonly quietHours?: 'wait';
};
export const ON_UNREACHABLE = ['next', 'exit'] as const;
/** `try`: by the first channel that reaches the person. */
export type AutomationSend = SendOptions &
  (AutomationMessage | { readonly try: readonly AutomationMessage[] });

/** At most this number of messages of an automation in any such time. */
export type Throttle = { readonly sends: number; readonly per: Duration };

export type DelayNode = { readonly id: string; readonly delay: Duration };
export type WaitNode = {
  readonly id: string;
  readonly waitFor: Awaited;
  readonly timeout: Duration;
  readonly then: readonly AutomationNode[];
  readonly else: readonly AutomationNode[];
};
export type IfNode = {
  readonly id: string;
  readonly if: Condition;
  readonly then: readonly AutomationNode[];
  readonly else: readonly AutomationNode[];
};
export type SplitBranch = { readonly weight: number; readonly nodes: readonly AutomationNode[] };
export type SplitNode = { readonly id: string; readonly split: readonly SplitBranch[] };
export type SendNode = { readonly id: string; readonly send: AutomationSend };
export type ExitNode = { readonly id: string; readonly exit: true };

/** One step. A list of them runs from the first to the last; branches go on after their node. */
export type AutomationNode =
  | DelayNode
  | UntilNode
  | WaitNode
  | IfNode
  | SplitNode
  | SendNode
  | ExitNode;

/** What happens to people after a trigger. */
export type AutomationDefinition = {
  readonly version: typeof AUTOMATION_VERSION;
  readonly name: string;
  readonly purpose: Purpose;
  readonly trigger: AutomationTrigger;
  /** Asked at entry, and again before each send. */
  readonly filter?: Condition;
  readonly recheckFilter?: boolean;
  readonly entry?: AutomationEntry;
  readonly exit?: readonly AutomationExit[];
  /** A goal counts this long after the last node. Default: 7d. */
  readonly goalWindow?: Duration;
  readonly throttle?: Throttle;
  readonly nodes: readonly AutomationNode[];
};

/** Each node has exactly one of these keys. */
export const NODE_KEYS = ['delay', 'until', 'waitFor', 'if', 'split', 'send', 'exit'] as const;

/** The lists of nodes within a node, with the steps of a JSON pointer to each. */
export function branchesOf(
  node: AutomationNode,
): readonly { readonly step: string; readonly nodes: readonly AutomationNode[] }[] {
  if ('split' in node)
    return node.split.map(({ nodes }, index) => ({ step: `split/${index}/nodes`, nodes }));
  if ('waitFor' in node || 'if' in node)
    return [
      { step: 'then', nodes: node.then },
      { step: 'else', nodes: node.else },
    ];
  return [];
}

/** Whether a run asks before it sends what reaches its person. */
export const asksReach = (send: AutomationSend): boolean =>
  'try' in send || send.onUnreachable === 'exit';

/** The messages that a send node tries, in their order. */
export const messagesOf = (send: AutomationSend): readonly AutomationMessage[] =>
  'try' in send ? send.try : [send];

/** Every node, also those within others, in the order of the definition. */
export const allNodes = (nodes: readonly AutomationNode[]): AutomationNode[] =>
  nodes.flatMap((node) => [node, ...branchesOf(node).flatMap((branch) => allNodes(branch.nodes))]);

/** The conditions that an automation asks of people. */
export const conditionsOf = ({ trigger, filter, nodes }: AutomationDefinition): Condition[] => [
  ...('schedule' in trigger ? [{ segment: trigger.segment }] : []),
  ...(filter === undefined ? [] : [filter]),
  ...allNodes(nodes).flatMap((node) => ('if' in node ? [node.if] : [])),
];

/** The slugs of the templates that an automation sends, each once. */
export const templatesOf = ({ nodes }: AutomationDefinition): string[] => [
  ...new Set(
    allNodes(nodes).flatMap((node) =>
      'send' in node
        ? messagesOf(node.send).flatMap(({ template }) => template?.split('@')[0] ?? [])
        : [],
    ),
  ),
];
