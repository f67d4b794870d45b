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
/** Enters those who become members of a segment, or who are none any more. */
export type SegmentTrigger = SegmentChange & {
  /** Also those who are members when it is activated, once. */
  readonly existing?: true;
};
export type AutomationTrigger =
  | EventTrigger
  | ApiTrigger
  | ScheduleTrigger
  | DateTrigger
  | SegmentTrigger;
/** Each trigger has exactly one of these keys; one by segment has `when` beside its name. */
export const TRIGGER_KEYS = ['event', 'api', 'schedule', 'date', 'when'] as const;

/** A segment that people enter or leave. */
export type SegmentChange = { readonly segment: string; readonly when: SegmentMoment };
export const SEGMENT_MOMENTS = ['enters', 'leaves'] as const;
export type SegmentMoment = (typeof SEGMENT_MOMENTS)[number];

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

/** That is what the automation is for: it counts as reached. */
type AsGoal = { readonly as?: 'goal' };
/** Ends a run when the person does this later than what it was entered by. */
export type EventExit = NamedEvent & AsGoal;
/** Ends a run when the person enters or leaves a segment later than that. */
export type SegmentExit = SegmentChange & AsGoal;
/** Ends a run of a person who takes no marketing by a channel. */
export type UnsubscribedExit = { readonly unsubscribed: UnsubscribableChannel };
export type AutomationExit = EventExit | SegmentExit | UnsubscribedExit;

/** Whose addresses can be unsubscribed. */
export const UNSUBSCRIBABLE_CHANNELS = ['EMAIL', 'SMS'] as const satisfies readonly Channel[];
export type UnsubscribableChannel = (typeof UNSUBSCRIBABLE_CHANNELS)[number];

/** What became of the message of an earlier node. */
export const AWAITED_OUTCOMES = ['sent', 'delivered', 'opened', 'clicked', 'failed'] as const;
export type AwaitedOutcome = (typeof AWAITED_OUTCOMES)[number];

export type AwaitedMessage = {
  readonly message: { readonly node: string };
  readonly was: AwaitedOutcome;
};
/** `segment`: a state. A person who is in it, or out of it, already does not wait. */
export type Awaited = NamedEvent | AwaitedMessage | SegmentChange;

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
/** How the better branch is found, which everyone takes who comes later. */
export type SplitWinner = {
  readonly by: SplitMeasure;
  /** From the first person who enters while the split is as it is. */
  readonly after: Duration;
  /** Runs of each branch, before they are compared. Default: 100. */
  readonly minimum?: number;
};
/** A click on a message of the branch, or a goal of the run. */
export const SPLIT_MEASURES = ['clicked', 'goal'] as const;
export type SplitMeasure = (typeof SPLIT_MEASURES)[number];
export type SplitNode = {
  readonly id: string;
  readonly split: readonly SplitBranch[];
  readonly winner?: SplitWinner;
};
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

/** Whether it has an exit that is what it is for. */
export const hasGoal = ({ exit = [] }: AutomationDefinition): boolean => exit.some(isGoal);
export const isGoal = (exit: AutomationExit): boolean => 'as' in exit && exit.as === 'goal';

/** Whether a run asks before it sends what reaches its person. */
export const asksReach = (send: AutomationSend): boolean =>
  'try' in send || send.onUnreachable === 'exit';

/** The messages that a send node tries, in their order. */
export const messagesOf = (send: AutomationSend): readonly AutomationMessage[] =>
  'try' in send ? send.try : [send];

/** Every node, also those within others, in the order of the definition. */
export const allNodes = (nodes: readonly AutomationNode[]): AutomationNode[] =>
  nodes.flatMap((node) => [node, ...branchesOf(node).flatMap((branch) => allNodes(branch.nodes))]);

/** A segment whose members something waits for, with where. */
export type LiveUse = { readonly slug: string; readonly pointer: string };

/** The segments that start, end or wake a run. */
export function liveSegmentsOf({ trigger, exit = [], nodes }: AutomationDefinition): LiveUse[] {
  return [
    // A schedule names a segment too: it is asked at its instants.
    ...('segment' in trigger && 'when' in trigger
      ? [{ slug: trigger.segment, pointer: '/trigger/segment' }]
      : []),
    ...exit.flatMap((each, index) =>
      'segment' in each ? [{ slug: each.segment, pointer: `/exit/${index}/segment` }] : [],
    ),
    ...liveWaits(nodes, '/nodes'),
  ];
}

const liveWaits = (nodes: readonly AutomationNode[], pointer: string): LiveUse[] =>
  nodes.flatMap((node, index) => [
    ...('waitFor' in node && 'segment' in node.waitFor
      ? [{ slug: node.waitFor.segment, pointer: `${pointer}/${index}/waitFor/segment` }]
      : []),
    ...branchesOf(node).flatMap((branch) =>
      liveWaits(branch.nodes, `${pointer}/${index}/${branch.step}`),
    ),
  ]);

/** The conditions that an automation asks of people. */
export const conditionsOf = (definition: AutomationDefinition): Condition[] => [
  ...asked(definition),
  ...liveSegmentsOf(definition).map(({ slug }) => ({ segment: slug })),
];

const asked = ({ trigger, filter, nodes }: AutomationDefinition): Condition[] => [
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
