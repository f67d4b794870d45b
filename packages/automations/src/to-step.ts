import type {
  AutomationDefinition,
  AutomationExit,
} from '@tidings/contracts/automations/definition';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { toMs } from '@tidings/segments/durations';
import { PROFILE } from '@tidings/user-changes/listens';
import type { StepResult, TraceLine } from './interpret.ts';
import { slugsOf } from './listen-for.ts';
import type { Program } from './program.ts';
import type { Run } from './run.ts';
import { dateOf } from '@tidings/segments/until';
import type { Count, WrittenLine, WrittenStep } from './write-steps.ts';

/** How long a goal counts after the last message, where the definition does not say. */
const GOAL_WINDOW = '7d';
/** When a run that failed is tried again, by its failures; then it is given up. */
const RETRIES_MS = [1_000, 10_000, 60_000] as const;
const ERROR_CHARS_MAX = 500;

/** Changes of what became of a message wake runs by this name. */
export const OUTCOME = '@outcome';

/** How those who enter or leave a segment wake runs. */
export const ofSegment = (slug: string): string => `@segment ${slug}`;

/** How events without a proof wake runs that take events of anyone. */
export const ofAnyone = (slug: string): string => `?${slug}`;

/** What a message became: a delivery of a campaign. */
export type SentMessage = { readonly campaignId: string; readonly deliveryId: string };

type Stepped = {
  readonly program: Program;
  readonly version: number;
  readonly context: ConditionContext;
  readonly now: number;
  readonly result: StepResult;
  /** Of the run, by node. */
  readonly sent: ReadonlyMap<string, SentMessage>;
  /** Whether it enters with this step. */
  readonly isNew: boolean;
};

/** What the interpreter made of a run, as it is stored. */
export function toStep(run: Run, stepped: Stepped): WrittenStep {
  const { program, version, context, now, result, sent, isNew } = stepped;
  const { trace, state } = result;
  const hasSent = trace.some(({ outcome }) => outcome === 'sent');
  const step = {
    ...still(run),
    version,
    ...(hasSent && { lastSentAt: now }),
    lines: [...(isNew ? [entryLine(run)] : []), ...trace.map((line) => toLine(line, sent))],
    counts: [...(isNew ? [ENTERED] : []), ...trace.flatMap(countsOf)],
  };
  if ('waitsUntil' in state)
    return {
      ...step,
      node: state.node,
      waitsUntil: state.waitsUntil,
      dueAt: waitsForOwn(program, state.node, trace) ? now : state.waitsUntil,
      slugs: wakingSlugs(program, state.node, context),
    };
  const { ended, isGoal } = state;
  const goalUntil =
    ended === 'completed' ? goalEnd(program, hasSent ? now : (run.lastSentAt ?? now), now) : null;
  return {
    ...step,
    node: run.node,
    dueAt: goalUntil,
    status: ended,
    endedAt: now,
    goalUntil,
    goalAt: isGoal ? now : null,
    slugs: goalUntil === null ? [] : goalSlugs(program, context),
    counts: [...step.counts, { node: '', outcome: ended }, ...(isGoal ? [GOAL] : [])],
  };
}

const ENTERED = { node: '', outcome: 'entered' } as const;

/** Says so if the profile that came with the event was not there in time. */
const entryLine = ({ isSettled }: Run): WrittenLine =>
  isSettled ? ENTERED : { ...ENTERED, reason: 'settling_timeout' };
export const GOAL = { node: '', outcome: 'goal' } as const;

/** A run where it is, with nothing to do. */
const still = (run: Run): WrittenStep => ({
  run,
  version: run.version,
  node: run.node,
  waitsUntil: null,
  dueAt: null,
  status: run.status,
  endedAt: run.endedAt,
  goalUntil: run.goalUntil,
  goalAt: null,
  failures: 0,
  error: null,
  slugs: [],
  lines: [],
  counts: [],
});

/** A run that stays as it is until later. */
export const postponed = (run: Run, dueAt: number): WrittenStep => ({
  ...still(run),
  waitsUntil: run.waitsUntil,
  dueAt,
  settlesUntil: run.settlesUntil,
  failures: run.failures,
  slugs: null,
});

/** A run that ends for a reason outside of its nodes. */
export function endOf(
  run: Run,
  { now, reason }: { readonly now: number; readonly reason: string },
): WrittenStep {
  const node = run.node ?? '';
  return {
    ...still(run),
    status: 'exited',
    endedAt: now,
    lines: [{ node, outcome: 'exited', reason }],
    counts: [...entry(run), ...leaving(run, 'exited'), { node: '', outcome: 'exited' }],
  };
}

/** A run whose step failed: it is tried again, or given up. */
export function failureOf(run: Run, error: unknown, now: number): WrittenStep {
  const text = (error instanceof Error ? error.message : 'unknown').slice(0, ERROR_CHARS_MAX);
  const retryMs = RETRIES_MS[run.failures];
  const failures = run.failures + 1;
  if (retryMs !== undefined) return { ...postponed(run, now + retryMs), failures, error: text };
  // It has ended before: only its goal is not looked for any more.
  if (run.status === 'completed') return { ...still(run), failures, error: text };
  return {
    ...still(run),
    waitsUntil: run.waitsUntil,
    status: 'failed',
    endedAt: now,
    failures,
    error: text,
    lines: [{ node: run.node ?? '', outcome: 'failed' }],
    counts: [...entry(run), ...leaving(run, 'failed'), { node: '', outcome: 'failed' }],
  };
}

/** A run without a line has not been counted as entered. */
const entry = ({ lines }: Run): Count[] => (lines === 0 ? [ENTERED] : []);
const leaving = ({ node, waitsUntil }: Run, outcome: string): Count[] =>
  node === null || waitsUntil === null ? [] : [{ node, outcome }];

/** Until when a goal counts that is reached after the end; null: it does not. */
function goalEnd({ definition }: Program, from: number, now: number): number | null {
  if (definition.exit?.some((exit) => 'as' in exit && exit.as === 'goal') !== true) return null;
  const until = from + toMs(definition.goalWindow ?? GOAL_WINDOW);
  return until > now ? until : null;
}

const goalSlugs = ({ definition }: Program, context: ConditionContext): string[] =>
  exitSlugs(
    definition,
    (definition.exit ?? []).filter((exit) => 'as' in exit && exit.as === 'goal'),
    context,
  );

/** What wakes runs that these exits end. */
function exitSlugs(
  definition: AutomationDefinition,
  exits: readonly AutomationExit[],
  context: ConditionContext,
): string[] {
  return [
    ...hintsOf(
      definition,
      exits.flatMap((exit) => ('event' in exit ? slugsOf(context, exit.event) : [])),
    ),
    ...exits.flatMap((exit) => ('segment' in exit ? [ofSegment(exit.segment)] : [])),
  ];
}

function hintsOf({ trigger }: AutomationDefinition, slugs: readonly string[]): string[] {
  const isOfAnyone = 'event' in trigger && trigger.from === 'anyone';
  return isOfAnyone ? slugs.flatMap((slug) => [slug, ofAnyone(slug)]) : [...slugs];
}

/** Whether it waits for a message of this step: that may have failed at once, before it waited. */
function waitsForOwn(program: Program, id: string, trace: readonly TraceLine[]): boolean {
  const node = program.steps.get(id)?.node;
  if (node === undefined || !('waitFor' in node) || !('message' in node.waitFor)) return false;
  const { message } = node.waitFor;
  return trace.some((line) => line.node === message.node && line.outcome === 'sent');
}

/** What wakes a run that waits at a node: its exits, and what is awaited there. */
function wakingSlugs(program: Program, id: string, context: ConditionContext): string[] {
  const node = program.steps.get(id)?.node;
  const { definition } = program;
  const exits = exitSlugs(definition, definition.exit ?? [], context);
  if (node !== undefined && 'until' in node && dateOf(node) !== null) return [...exits, PROFILE];
  if (node === undefined || !('waitFor' in node)) return exits;
  if ('segment' in node.waitFor) return [...exits, ofSegment(node.waitFor.segment)];
  if (!('event' in node.waitFor)) return [...exits, OUTCOME];
  return [...exits, ...hintsOf(definition, slugsOf(context, node.waitFor.event))];
}

const toLine = (
  { node, outcome, reason }: TraceLine,
  sent: ReadonlyMap<string, SentMessage>,
): WrittenLine => ({
  node,
  outcome,
  ...(reason !== undefined && { reason }),
  ...(outcome === 'sent' && sent.get(node)),
});

/** Outcomes whose reasons are counted apart: the branch that was taken, or why nothing was sent. */
const COUNTED_REASONS: ReadonlySet<string> = new Set(['passed', 'skipped']);

/** A node is entered by its first line, and left by any that does not wait. */
function countsOf({ node, outcome, reason, isResumed }: TraceLine): Count[] {
  return [
    ...(isResumed ? [] : [{ node, outcome: 'entered' }]),
    ...(outcome === 'waiting'
      ? []
      : [
          {
            node,
            outcome,
            ...(COUNTED_REASONS.has(outcome) && reason !== undefined && { reason }),
          },
        ]),
  ];
}
