import { interpret, type StepResult } from '@tidings/automations/interpret';
import type { Program } from '@tidings/automations/program';
import type { StoredLine, StoredRun } from './stored-runs.ts';

/** An event of a person that a run may ask for, later than its trigger. Milliseconds. */
export type LaterEvent = {
  readonly time: number;
  /** From when on it may be stored. */
  readonly maybeFrom: number;
  /** From when on each step knows of it. */
  readonly surelyFrom: number;
};

export type Replayed = {
  readonly run: StoredRun;
  /** Of this run alone. */
  readonly lines: readonly StoredLine[];
  readonly exits: readonly LaterEvent[];
  readonly awaited: readonly LaterEvent[];
  /** Ends of its waits that were cut short, in milliseconds, by node. */
  readonly cuts?: ReadonlyMap<string, number>;
};

export type ReplayOptions = {
  readonly program: Program;
  /** The node that waits for the awaited events. */
  readonly waitNode: string;
};

export type ReplayFindings = {
  readonly differences: readonly string[];
  /** Of each wait that ended by its timer, how late that was. */
  readonly lateMs: readonly number[];
};

type Place = { readonly node: string | null; readonly waitsUntil: number | null };

/**
 * Takes a run through the interpreter again, at the instants of its trace, with the answers of the
 * events that were sent. What is stored in between may be known or not: there the trace decides.
 */
export function replayRun(
  { run, lines, exits, awaited, cuts = new Map() }: Replayed,
  { program, waitNode }: ReplayOptions,
): ReplayFindings {
  const differences: string[] = [];
  const lateMs: number[] = [];
  const differ = (what: string): void =>
    void differences.push(`run ${run.runId} of ${run.customUserId}, ${run.key}: ${what}`);
  const [first, ...rest] = lines;
  if (first?.outcome !== 'entered' || first.node !== '') differ('it begins without its entry');
  let place: Place = { node: null, waitsUntil: null };
  let ended: Extract<StepResult['state'], { ended: unknown }> | null = null;
  let next = 0;
  while (next < rest.length && ended === null && differences.length === 0) {
    const step = linesOfStep(rest, next);
    const at = step[0]?.at ?? 0;
    const due = dueOf(place, cuts);
    const exit = decide(exits, {
      at,
      isTaken: /^(exited|goal)$/.test(step[0]?.outcome ?? ''),
    });
    const happened = decide(awaited, {
      at,
      isTaken: step.some(({ node, reason }) => node === waitNode && reason === 'then'),
    });
    const result = interpret(
      program,
      {
        ...place,
        userId: run.userId,
        skipsSends: false,
        waitsUntil: due,
      },
      {
        now: at,
        answers: {
          exit: exit === null ? null : { isGoal: true },
          passesFilter: true,
          conditions: new Map(),
          awaited: new Map([[waitNode, happened?.time ?? null]]),
          reached: new Map(),
          calendar: new Map(),
        },
      },
    );
    const expected = result.trace.map(describe);
    if (step.map(describe).join('; ') !== expected.join('; '))
      differ(`${step.map(describe).join('; ')} in place of ${expected.join('; ') || 'nothing'}`);
    if (due !== null && step[0]?.outcome === 'passed' && step[0].reason !== 'then')
      lateMs.push(at - due);
    if ('ended' in result.state) ended = result.state;
    else place = result.state;
    next += step.length;
  }
  const goals = rest.slice(next);
  const isAfterEnd = ended?.ended === 'completed' && exits.length > 0;
  if (
    differences.length === 0 &&
    goals.length > 0 &&
    !(isAfterEnd && goals.map(describe).join() === 'goal')
  )
    differ(`after its end: ${goals.map(describe).join('; ')}`);
  if (differences.length === 0 && run.status !== (ended?.ended ?? 'active'))
    differ(`it is ${run.status} in place of ${ended?.ended ?? 'active'}`);
  if (differences.length === 0 && run.hasGoal !== (ended?.isGoal === true || goals.length > 0))
    differ(`its goal ${run.hasGoal ? 'counts' : 'does not count'}`);
  return { differences, lateMs };
}

const dueOf = ({ node, waitsUntil }: Place, cuts: ReadonlyMap<string, number>): number | null =>
  waitsUntil === null ? null : (cuts.get(node ?? '') ?? waitsUntil);

/** All lines of one transaction have its time. */
function linesOfStep(lines: readonly StoredLine[], from: number): readonly StoredLine[] {
  const after = lines.findIndex(({ at }, index) => index > from && at !== lines[from]?.at);
  return lines.slice(from, after < 0 ? undefined : after);
}

/** The first event that the step knew of. */
function decide(
  events: readonly LaterEvent[],
  { at, isTaken }: { readonly at: number; readonly isTaken: boolean },
): LaterEvent | null {
  return (
    events.find((event) => event.surelyFrom <= at) ??
    (isTaken ? (events.find(({ maybeFrom }) => maybeFrom <= at) ?? null) : null)
  );
}

const describe = ({
  node,
  outcome,
  reason,
}: Pick<StoredLine, 'node' | 'outcome'> & { readonly reason?: string | null }): string =>
  [node, outcome, reason ?? ''].filter((part) => part !== '').join(' ');
