import { goalStep } from '@tidings/automations/count-goals';
import { interpret, needsOf, type Answers, type TraceLine } from '@tidings/automations/interpret';
import type { UntilAnswer } from '@tidings/segments/until';
import type { Run } from '@tidings/automations/run';
import { comparePlaces, lastPlaceAt, placeAt } from '@tidings/automations/places';
import { toStep, type SentMessage } from '@tidings/automations/to-step';
import type { WrittenStep } from '@tidings/automations/write-steps';
import {
  messagesOf,
  type AutomationMessage,
  type AwaitedMessage,
} from '@tidings/contracts/automations/definition';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { RehearsedLine } from '@tidings/contracts/automations/rehearsals';
import { itemAt } from '@tidings/platform';
import { toMs } from '@tidings/segments/durations';
import type { EventPlace } from '@tidings/segments/person-events';
import type { PersonEvent } from '@tidings/segments/stored-people';
import type { History } from './person-history.ts';
import type { RehearsedPerson, Rehearsing, Stage } from './rehearsing.ts';
import { isMemberAt, movedAt } from './segment-moves.ts';
import type { KeptRun } from './tally.ts';

/** A run that is rehearsed. Times are in milliseconds. */
export type RehearsedGoing = {
  run: Run;
  readonly key: string;
  /** The message that entered it; null: an instant did. */
  readonly eventId: string | null;
  /** When it goes on by itself; null: not any more. */
  dueAt: number | null;
  /** What wakes it. */
  slugs: ReadonlySet<string>;
  readonly lines: RehearsedLine[];
  /** Its messages by node: when each was made, and why it does not reach the person. */
  readonly sent: Map<string, { readonly at: number; readonly unreachable: string | null }>;
};

export function beginRun(
  { applicationId }: Rehearsing,
  { userId, customUserId }: RehearsedPerson,
  {
    event,
    arrivedAt,
    key,
    at,
  }: {
    readonly event: PersonEvent | null;
    /** Of what is no event: its instant. */
    readonly arrivedAt: number;
    readonly key: string;
    readonly at: number;
  },
): RehearsedGoing {
  return {
    run: {
      id: '',
      applicationId,
      automationId: '',
      version: 1,
      userId,
      customUserId,
      shard: 0,
      node: null,
      waitsUntil: null,
      enteredAt: at,
      trigger: event ?? {
        time: BigInt(arrivedAt),
        receivedAt: arrivedAt,
        messageId: '',
        requestId: null,
        messageIndex: null,
      },
      data: null,
      settlesUntil: null,
      isSettled: true,
      skipsSends: false,
      endRequested: false,
      failures: 0,
      lastSentAt: null,
      lines: 0,
      status: 'active',
      endedAt: null,
      goalUntil: null,
    },
    key,
    eventId: event && event.messageId,
    dueAt: null,
    slugs: new Set(),
    lines: [],
    sent: new Map(),
  };
}

type Moment = {
  readonly at: number;
  readonly history: History;
  readonly moves: RehearsedPerson['moves'];
  readonly stage: Stage;
};

/** Takes a run as far as it goes at an instant, by the interpreter of the engine. */
export async function stepRun(
  of: Rehearsing,
  going: RehearsedGoing,
  moment: Moment,
): Promise<void> {
  const { run } = going;
  const { at, stage } = moment;
  if (run.status === 'completed') {
    write(going, goalStep(run, { isReached: hasGoal(of, run, moment), now: at }), moment);
    return;
  }
  const answers = await answersOf(of, going, moment);
  const result = interpret(of.program, run, { answers, now: at });
  const step = toStep(run, {
    program: of.program,
    version: 1,
    context: of.context,
    now: at,
    result,
    sent: NO_DELIVERIES,
    isNew: run.lines === 0,
  });
  write(going, step, moment);
  for (const line of result.trace) {
    const message = messageOf(of, line);
    if (message === null) continue;
    const { channel } = message;
    const unreachable = await stage.asker.unreachable(channel, run.userId);
    going.sent.set(line.node, { at, unreachable });
    stage.tally.sent({ node: line.node, channel, unreachable }, at);
    const written = going.lines.findLastIndex(
      ({ node, outcome }) => node === line.node && outcome === 'sent',
    );
    going.lines[written] = {
      ...itemAt(going.lines, written),
      channel,
      ...(unreachable !== null && { unreachable }),
    };
  }
}

/** Nothing is sent. */
const NO_DELIVERIES: ReadonlyMap<string, SentMessage> = new Map();

/** What the step did, as the engine would store it. */
function write(going: RehearsedGoing, step: WrittenStep, { at, stage }: Moment): void {
  const { run } = going;
  going.run = {
    ...run,
    node: step.node,
    waitsUntil: step.waitsUntil,
    lastSentAt: step.lastSentAt ?? run.lastSentAt,
    lines: run.lines + step.lines.length,
    status: step.status,
    endedAt: step.endedAt,
    goalUntil: step.goalUntil,
  };
  going.dueAt = step.dueAt;
  if (step.slugs !== null) going.slugs = new Set(step.slugs);
  going.lines.push(
    ...step.lines.map(({ node, outcome, reason }) => ({
      node,
      at,
      outcome,
      ...(reason !== undefined && { reason }),
    })),
  );
  stage.tally.counted(step.counts, at);
}

function messageOf({ program }: Rehearsing, line: TraceLine): AutomationMessage | null {
  const node = program.steps.get(line.node)?.node;
  return line.messageNo === undefined || node === undefined || !('send' in node)
    ? null
    : itemAt(messagesOf(node.send), line.messageNo);
}

async function answersOf(
  of: Rehearsing,
  { run, sent }: RehearsedGoing,
  moment: Moment,
): Promise<Answers> {
  const { program, named } = of;
  const {
    at,
    history,
    moves,
    stage: { asker },
  } = moment;
  const { filter, recheckFilter = true } = program.definition;
  const needs = needsOf(program, run);
  const conditions = new Map<string, boolean>();
  for (const node of needs.conditions)
    conditions.set(node.id, await asker.isTrue(node.if as Condition, run.userId, at));
  const awaited = new Map<string, number | null>();
  for (const node of needs.waits) {
    const until =
      run.node === node.id && run.waitsUntil !== null ? run.waitsUntil : at + toMs(node.timeout);
    const kind = named.waits.get(node.id);
    if ('segment' in node.waitFor) {
      const { segment, when } = node.waitFor;
      const own = moves?.get(segment);
      const isMember = own !== undefined && isMemberAt(own, at);
      awaited.set(node.id, isMember === (when === 'enters') ? Math.min(at, until) : null);
      continue;
    }
    if (kind === undefined) {
      awaited.set(node.id, outcomeOf(node.waitFor as AwaitedMessage, sent));
      continue;
    }
    const found = history.firstAfter(kind, run.trigger);
    awaited.set(node.id, found === null || found.time > until ? null : Number(found.time));
  }
  const reached = new Map<string, number | null>();
  for (const id of needs.tries) reached.set(id, await reachedBy(of, id, { run, asker }));
  const calendar = new Map<string, UntilAnswer>();
  for (const node of needs.untils) calendar.set(node.id, await asker.calendar(node, run.userId));
  const quietUntil = new Map<string, readonly (number | null)[]>();
  for (const id of needs.quiet) {
    const channels = messagesIn(of, id).map(({ channel }) => channel);
    quietUntil.set(id, await asker.quietUntil(channels, run.userId, at));
  }
  return {
    exit: await exitOf(of, run, moment),
    passesFilter:
      !needs.sends ||
      filter === undefined ||
      !recheckFilter ||
      (await asker.isTrue(filter, run.userId, at)),
    conditions,
    awaited,
    calendar,
    reached,
    quietUntil,
  };
}

/**
 * What is assumed of messages: one that reaches its person is sent at once, one that does not fails
 * at once, and nothing else becomes of them.
 */
function outcomeOf({ message, was }: AwaitedMessage, sent: RehearsedGoing['sent']): number | null {
  const own = sent.get(message.node);
  if (own === undefined) return null;
  if (was === 'sent') return own.unreachable === null ? own.at : null;
  return was === 'failed' && own.unreachable !== null ? own.at : null;
}

function messagesIn({ program }: Rehearsing, id: string): readonly AutomationMessage[] {
  const node = program.steps.get(id)?.node;
  return node === undefined || !('send' in node) ? [] : messagesOf(node.send);
}

async function reachedBy(
  of: Rehearsing,
  id: string,
  { run, asker }: { readonly run: Run; readonly asker: Stage['asker'] },
): Promise<number | null> {
  for (const [index, { channel }] of messagesIn(of, id).entries())
    if ((await asker.unreachable(channel, run.userId)) === null) return index;
  return null;
}

/** What ends a run first: an event, a segment, or that marketing does not reach the person now. */
async function exitOf(
  { named, program }: Rehearsing,
  { trigger, userId }: Run,
  { at, history, moves, stage: { asker } }: Moment,
): Promise<{ readonly isGoal: boolean } | null> {
  const found: { readonly place: EventPlace; readonly isGoal: boolean }[] = [];
  const note = (place: EventPlace, isGoal: boolean): void => {
    found.push({ place, isGoal });
  };
  for (const { kind, exit } of named.exits) {
    const event = history.firstAfter(kind, trigger);
    if (event !== null) note(event, exit.as === 'goal');
  }
  for (const exit of program.definition.exit ?? []) {
    if ('segment' in exit) {
      const isMember = exit.when === 'enters';
      const asked = { isMember, after: Number(trigger.time), until: at };
      const moved = movedAt(moves?.get(exit.segment), asked);
      if (moved !== null) note(placeAt(moved), exit.as === 'goal');
    }
    if ('unsubscribed' in exit && (await asker.isUnsubscribed(exit.unsubscribed, userId)))
      note(lastPlaceAt(at), false);
  }
  return found.toSorted((one, other) => comparePlaces(one.place, other.place))[0] ?? null;
}

function hasGoal(
  { named, program }: Rehearsing,
  { trigger, goalUntil }: Run,
  { at, history, moves }: Moment,
): boolean {
  const isEvent = named.exits.some(({ kind, exit }) => {
    if (exit.as !== 'goal') return false;
    const event = history.firstAfter(kind, trigger);
    return event !== null && (goalUntil === null || event.time <= goalUntil);
  });
  if (isEvent) return true;
  return (program.definition.exit ?? []).some((exit) => {
    if (!('segment' in exit) || exit.as !== 'goal') return false;
    const isMember = exit.when === 'enters';
    const asked = { isMember, after: Number(trigger.time), until: at };
    return (movedAt(moves?.get(exit.segment), asked) ?? Infinity) <= (goalUntil ?? at);
  });
}

/** As it is shown. */
export function keptRun({ run, key, eventId, lines }: RehearsedGoing): KeptRun {
  return {
    userId: run.userId,
    key,
    trigger: { eventId, at: readTime(BigInt(run.trigger.time)) },
    enteredAt: run.enteredAt,
    status: run.status === 'failed' ? 'active' : run.status,
    lines,
  };
}

const readTime = (time: bigint): number | bigint =>
  Number.isSafeInteger(Number(time)) ? Number(time) : time;
