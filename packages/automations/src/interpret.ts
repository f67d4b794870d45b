import type { UntilNode } from '@tidings/contracts/automations/calendar';
import {
  asksReach,
  type AutomationNode,
  type SendNode,
  type WaitNode,
} from '@tidings/contracts/automations/definition';
import {
  drawnReason,
  winnerReason,
  type RunStatus,
  type SkipReason,
  type TraceOutcome,
} from '@tidings/contracts/automations/runs';
import { toMs } from '@tidings/segments/durations';
import { drawOf } from '@tidings/platform';
import type { Program, Step } from './program.ts';
import { instantOf, type UntilAnswer } from '@tidings/segments/until';

/** Where a run is. */
export type RunPlace = {
  readonly userId: string;
  /** Null: before the first node. */
  readonly node: string | null;
  /** When the node's wait is over, in milliseconds; null: the run does not wait. */
  readonly waitsUntil: number | null;
  /** Its next sends would be too late: they are left out until it waits again. */
  readonly skipsSends: boolean;
};

/** What is true of a run and its person at the moment of the step. */
export type Answers = {
  /** The first event that ends it, later than its trigger. */
  readonly exit: { readonly isGoal: boolean } | null;
  /** Of the automation's filter. */
  readonly passesFilter: boolean;
  /** Conditions of `if`, by node. */
  readonly conditions: ReadonlyMap<string, boolean>;
  /** When what is awaited first happened, in milliseconds, by node; null: it has not. */
  readonly awaited: ReadonlyMap<string, number | null>;
  /** What `until` needs of the person, by node. */
  readonly calendar: ReadonlyMap<string, UntilAnswer>;
  /** Of `try`: the place of the first message whose channel reaches the person; null: none does. */
  readonly reached: ReadonlyMap<string, number | null>;
  /** When the quiet hours of each message of a node end; null: it is not quiet. Absent: no wait. */
  readonly quietUntil?: ReadonlyMap<string, readonly (number | null)[]>;
  /** When the throttle lets the run send, by node. Absent: there is no throttle. */
  readonly slots?: ReadonlyMap<string, number>;
  /** The better branches of splits, by node. Absent: people divide by weight. */
  readonly winners?: ReadonlyMap<string, number>;
};

export type TraceLine = {
  readonly node: string;
  readonly outcome: TraceOutcome;
  readonly reason?: string;
  /** Whether the run had stopped at the node before. */
  readonly isResumed: boolean;
  /** Of `sent`: the place among the messages of the node. */
  readonly messageNo?: number;
};

export type StepResult = {
  readonly trace: readonly TraceLine[];
  /** Where it waits and until when, in milliseconds, or how it ended. */
  readonly state:
    | {
        readonly node: string;
        readonly waitsUntil: number;
        /** It sends here once the throttle has given it an instant. */
        readonly asksSlot?: true;
      }
    | { readonly ended: Exclude<RunStatus, 'active' | 'failed'>; readonly isGoal: boolean };
};

/** Thrown for a run at a node that its version does not have. */
class UnknownNodeError extends Error {
  constructor() {
    super('the automation has no such node');
    this.name = 'UnknownNodeError';
  }
}

/**
 * Takes a run as far as it goes at one moment: to a node where it waits, or to its end. A pure
 * function: the engine and the rehearsal ask the same.
 * @param now milliseconds
 */
export function interpret(
  program: Program,
  place: RunPlace,
  { answers, now }: { readonly answers: Answers; readonly now: number },
): StepResult {
  const trace: TraceLine[] = [];
  const ended = (status: 'completed' | 'exited', isGoal = false): StepResult => ({
    trace,
    state: { ended: status, isGoal },
  });
  let at = place.node ?? program.start;
  let isResumed = place.waitsUntil !== null;
  if (answers.exit !== null) {
    const { isGoal } = answers.exit;
    trace.push({ node: at ?? '', outcome: isGoal ? 'goal' : 'exited', isResumed });
    return ended('exited', isGoal);
  }
  // Each node is passed once at most: a definition has no cycles.
  while (at !== null) {
    const step = program.steps.get(at);
    if (step === undefined) throw new UnknownNodeError();
    const arrival = { step, isResumed, waitsUntil: isResumed ? place.waitsUntil : null };
    const went = pass(arrival, { place, answers, now });
    trace.push(...went.lines);
    if (went.waitsUntil !== undefined) {
      const { waitsUntil, asksSlot } = went;
      return { trace, state: { node: at, waitsUntil, ...(asksSlot && { asksSlot }) } };
    }
    if (went.isExit === true) return ended('exited');
    at = went.next;
    isResumed = false;
  }
  return ended('completed');
}

type Arrival = {
  readonly step: Step;
  readonly isResumed: boolean;
  /** Set where it waits already. */
  readonly waitsUntil: number | null;
};
type Moment = { readonly place: RunPlace; readonly answers: Answers; readonly now: number };
type Went = {
  readonly lines: readonly TraceLine[];
} & (
  | { readonly waitsUntil: number; readonly asksSlot?: true; readonly next?: never }
  | { readonly waitsUntil?: never; readonly next: string | null; readonly isExit?: true }
);

function pass(arrival: Arrival, moment: Moment): Went {
  const { step, isResumed } = arrival;
  const { node, next, branches } = step;
  const line = (
    outcome: TraceOutcome,
    more: Pick<TraceLine, 'reason' | 'messageNo'> = {},
  ): TraceLine => ({ node: node.id, outcome, isResumed, ...more });
  const branch = (index: number, reason: string): Went => ({
    lines: [line('passed', { reason })],
    next: branches[index] ?? null,
  });
  if ('delay' in node) {
    const until = arrival.waitsUntil ?? moment.now + toMs(node.delay);
    if (until > moment.now) return { lines: isResumed ? [] : [line('waiting')], waitsUntil: until };
    return { lines: [line('passed')], next };
  }
  if ('until' in node) {
    const until = instantOf(
      node,
      { ...arrival, ...moment },
      answered(moment.answers.calendar, node),
    );
    if (until !== null && until > moment.now)
      return { lines: isResumed ? [] : [line('waiting')], waitsUntil: until };
    return { lines: [line('passed')], next };
  }
  if ('waitFor' in node) {
    const until = arrival.waitsUntil ?? moment.now + toMs(node.timeout);
    const happened = answered(moment.answers.awaited, node);
    if (happened !== null && happened <= until) return branch(0, 'then');
    if (until > moment.now) return { lines: isResumed ? [] : [line('waiting')], waitsUntil: until };
    return branch(1, 'else');
  }
  if ('if' in node)
    return answered(moment.answers.conditions, node) ? branch(0, 'then') : branch(1, 'else');
  if ('split' in node) {
    const winner = moment.answers.winners?.get(node.id);
    if (winner !== undefined) return branch(winner, winnerReason(winner));
    const chosen = chooseBranch(
      node.split.map(({ weight }) => weight),
      drawOf(node.id, moment.place.userId),
    );
    return branch(chosen, drawnReason(chosen));
  }
  if ('exit' in node) return { lines: [line('exited')], next: null, isExit: true };
  return passSend(node, arrival, moment);
}

/** What is sent, and when: not while it is quiet, and not before the throttle lets it. */
function passSend(node: SendNode, arrival: Arrival, { place, answers, now }: Moment): Went {
  const { isResumed, waitsUntil, step } = arrival;
  const line = (outcome: TraceOutcome, more: Partial<TraceLine> = {}): TraceLine => ({
    ...more,
    node: node.id,
    outcome,
    isResumed,
  });
  const skipped = (reason: SkipReason): Went => ({
    lines: [line('skipped', { reason })],
    next: step.next,
  });
  const wait = (until: number, reason: string): { lines: TraceLine[]; waitsUntil: number } => ({
    lines: isResumed ? [] : [line('waiting', { reason })],
    waitsUntil: until,
  });
  if (place.skipsSends) return skipped('missed');
  if (waitsUntil !== null && waitsUntil > now) return { lines: [], waitsUntil };
  if (!answers.passesFilter) return skipped('filter');
  const messageNo = asksReach(node.send) ? answered(answers.reached, node) : 0;
  if (messageNo === null)
    return node.send.onUnreachable === 'exit'
      ? { lines: [line('exited', { reason: 'unreachable' })], next: null, isExit: true }
      : skipped('unreachable');
  const quietUntil = answers.quietUntil?.get(node.id)?.[messageNo] ?? null;
  if (quietUntil !== null && quietUntil > now) return wait(quietUntil, 'quiet_hours');
  if (answers.slots !== undefined) {
    const slot = answers.slots.get(node.id);
    if (slot === undefined) return { ...wait(now, 'throttle'), asksSlot: true as const };
    if (slot > now) return wait(slot, 'throttle');
  }
  return { lines: [line('sent', { messageNo })], next: step.next };
}

function answered<T>(answers: ReadonlyMap<string, T>, { id }: Pick<AutomationNode, 'id'>): T {
  if (!answers.has(id)) throw new TypeError('a question of a step was not asked');
  return answers.get(id) as T;
}

/** The place of the branch that a number in [0, 1) falls on. */
function chooseBranch(weights: readonly number[], draw: number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let below = 0;
  for (const [index, weight] of weights.entries()) {
    below += weight;
    if (draw * total < below) return index;
  }
  return weights.length - 1;
}

/** What a step may ask of a run: of the nodes that it can reach without waiting again. */
export type Needs = {
  readonly conditions: readonly (AutomationNode & { readonly if: unknown })[];
  readonly waits: readonly WaitNode[];
  readonly untils: readonly UntilNode[];
  /** Sends that need to know what reaches the person. */
  readonly tries: readonly string[];
  /** Sends that wait while it is quiet. */
  readonly quiet: readonly string[];
  readonly sends: boolean;
};

export function needsOf(program: Program, place: Pick<RunPlace, 'node' | 'waitsUntil'>): Needs {
  const conditions: Needs['conditions'][number][] = [];
  const waits: WaitNode[] = [];
  const untils: UntilNode[] = [];
  const tries: string[] = [];
  const quiet: string[] = [];
  let sends = false;
  const seen = new Set<string>();
  const open: (string | null)[] = [place.node ?? program.start];
  let isResumed = place.waitsUntil !== null;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const step = at === null || seen.has(at) ? undefined : program.steps.get(at);
    const stays = !isResumed;
    isResumed = false;
    if (step === undefined) continue;
    const { node, next, branches } = step;
    seen.add(node.id);
    if ('delay' in node) {
      if (!stays) open.push(next);
      continue;
    }
    if ('until' in node) untils.push(node);
    if ('if' in node) conditions.push(node);
    if ('waitFor' in node) waits.push(node);
    if ('send' in node) {
      sends = true;
      if (asksReach(node.send)) tries.push(node.id);
      if (node.send.quietHours === 'wait') quiet.push(node.id);
    }
    open.push(...branches);
    if (branches.length === 0 && !('exit' in node)) open.push(next);
  }
  return { conditions, waits, untils, tries, quiet, sends };
}
