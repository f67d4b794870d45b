import { setTimeout as delay } from 'node:timers/promises';
import type { Program } from '@tidings/automations/program';
import { callApi } from '@tidings/local';
import { eventually } from '@tidings/testing';
import type { CartRequest } from '../load/automations/carts.ts';
import { isAcknowledged } from '../load/ledger.ts';
import { compareCounts } from '../oracles/automations/counts.ts';
import { checkEntered } from '../oracles/automations/entered.ts';
import { percentile } from '../oracles/automations/percentile.ts';
import { replayRun, type LaterEvent } from '../oracles/automations/replay.ts';
import { checkSends } from '../oracles/automations/sends.ts';
import {
  countUnfinished,
  readEventCommits,
  readStoredRuns,
  type StoredRun,
  type StoredRuns,
} from '../oracles/automations/stored-runs.ts';
import { findDifferences } from '../oracles/delivery/counters.ts';
import { endWaits } from '../oracles/delivery/stored-deliveries.ts';
import { untilRead } from '../oracles/ingest/lag.ts';
import type { AutomationsRun } from '../rows/automations/automations-row.ts';
import { countUnreadChanges } from '../rows/automations/steps.ts';
import { noteRecovery } from '../rows/steps.ts';
import { readCutWaits, type CutWaits } from './hurry-waits.ts';
import { report } from './row-frame.ts';

export type AutomationsFigures = {
  readonly events: number;
  readonly runs: number;
  /** Waits that ended by their timer. */
  readonly timers: number;
  readonly mails: number;
  readonly repeats: number;
  readonly missing: number;
  readonly unknown: number;
  /** Of traces, counters, reports and who entered. */
  readonly differences: number;
  /** How late 99 of 100 timers were at most. */
  readonly lateMs: number;
  /** From the last request until all runs have ended and all mails have left. */
  readonly endedMs: number | null;
};

const READ_WITHIN_MS = 120_000;
/** A minute's delay, a minute's wait, and what a fault leaves. */
const ENDED_WITHIN_MS = 240_000;
const WORK_MS_PER_RUN = 30;
const POLL_MS = 500;
const ANSWERED_WITHIN_MS = 120_000;
/** From the time of a commit until all transactions see it, also without a CPU. */
const VISIBLE_WITHIN_MS = 10_000;
/** A step has the time of its begin, and sees what is stored while it lasts. */
const STEP_MS_MAX = 10_000;

type Options = {
  readonly program: Program;
  readonly isHurried: boolean;
  readonly endedAt: number;
};

/** Waits until all runs have ended, and compares what there is with what was sent. */
export async function runAutomationsOracles(
  run: AutomationsRun,
  { program, isHurried, endedAt }: Options,
): Promise<AutomationsFigures> {
  const { rig, sender, load } = run;
  const requests = load?.carts.requests ?? [];
  const endedMs = await untilEnded(run, endedAt);
  report(
    run,
    'answers',
    requests
      .filter((request) => !isAcknowledged(request))
      .map(({ customUserId, attempts }) => `${customUserId}: ${JSON.stringify(attempts.at(-1))}`),
  );
  const stored = await readStoredRuns(rig.db, sender.id);
  const sends = checkSends(stored, rig.sandbox.accepted());
  report(run, 'sent once', sends.twice);
  report(run, 'an outcome for everyone', [...sends.missing, ...sends.unmatched]);
  if (sends.unknown > run.allowed.unknown)
    report(run, 'true reports', [
      `${sends.unknown} mails are unknown, more than the allowed ${run.allowed.unknown}`,
    ]);
  const counts = [
    ...compareCounts(stored),
    ...(await findDifferences(rig.db, [sender.id])),
    ...(load === null ? [] : await compareReport(run, stored)),
  ];
  report(run, 'true reports', counts);
  const replayed =
    load === null
      ? NOTHING
      : replayAll(run, stored, {
          program,
          cuts: isHurried ? await readCutWaits(rig.db, sender.id) : new Map(),
          commits: await readEventCommits(rig.db, sender.id),
        });
  return {
    events: load?.carts.events ?? 0,
    runs: stored.runs.length,
    timers: replayed.lateMs.length,
    mails: sends.mails,
    repeats: sends.twice.length,
    missing: sends.missing.length,
    unknown: sends.unknown,
    differences: sends.unmatched.length + counts.length + replayed.differences,
    lateMs: percentile(replayed.lateMs, 0.99),
    endedMs,
  };
}

const NOTHING = { differences: 0, lateMs: [] as readonly number[] };

async function untilEnded(run: AutomationsRun, endedAt: number): Promise<number | null> {
  const { rig, sender, plan, load } = run;
  if (load !== null && (await untilRead(rig.bus, READ_WITHIN_MS)) === null)
    report(run, 'in time', ['not all events were read']);
  const msMax = ENDED_WITHIN_MS + plan.users * WORK_MS_PER_RUN;
  let ms: number | null = null;
  while (ms === null && performance.now() - endedAt < msMax * 2) {
    await endWaits(rig.db, [sender.id]);
    const { runs, timers, deliveries } = await countUnfinished(rig.db, sender.id);
    if (runs + timers + deliveries + (await countUnreadChanges(run)) === 0)
      ms = performance.now() - endedAt;
    else await delay(POLL_MS);
  }
  noteRecovery(run, { what: 'all runs have ended, and all mails have left', ms, msMax });
  return ms;
}

/** Each run that there should be, through the interpreter again. */
function replayAll(
  run: AutomationsRun,
  { runs, lines, messages }: StoredRuns,
  {
    commits,
    cuts,
    program,
  }: {
    readonly program: Program;
    readonly cuts: CutWaits;
    readonly commits: ReadonlyMap<string, number>;
  },
): { readonly differences: number; readonly lateMs: readonly number[] } {
  const requests = run.load?.carts.requests ?? [];
  const expected = requests.flatMap((request) =>
    request.events.flatMap(({ name, cart = '', price = 0 }, index) =>
      name === 'cart_left' && price > 20
        ? [{ customUserId: request.customUserId, key: cart, request, index }]
        : [],
    ),
  );
  const { missing, wrong } = checkEntered(runs, expected);
  report(run, 'an outcome for everyone', missing);
  report(run, 'nothing invented', wrong);
  const triggers = new Map(expected.map((trigger) => [trigger.key, trigger]));
  const ofPerson = Map.groupBy(requests, ({ customUserId }) => customUserId);
  const ofRun = Map.groupBy(lines, ({ runId }) => runId);
  const differences: string[] = [];
  const lateMs: number[] = [];
  for (const each of runs) {
    const trigger = triggers.get(each.key);
    if (trigger === undefined) continue;
    const later = (name: string): readonly LaterEvent[] =>
      laterEvents(ofPerson.get(each.customUserId) ?? [], { name, trigger, commits });
    const found = replayRun(
      {
        run: each,
        lines: ofRun.get(each.runId) ?? [],
        exits: later('order'),
        awaited: later('paid'),
        cuts: cuts.get(each.runId) ?? new Map(),
      },
      { program, waitNode: 'paid' },
    );
    differences.push(...found.differences);
    lateMs.push(...found.lateMs);
  }
  const words = checkWords(run, { runs, lines, messages });
  report(run, 'true reports', [...differences, ...words]);
  return {
    differences: missing.length + wrong.length + differences.length + words.length,
    lateMs,
  };
}

/** Events of a person after the trigger, by their time. */
function laterEvents(
  requests: readonly CartRequest[],
  {
    name,
    trigger,
    commits,
  }: {
    readonly name: string;
    readonly commits: ReadonlyMap<string, number>;
    readonly trigger: { readonly request: CartRequest; readonly index: number };
  },
): readonly LaterEvent[] {
  const triggeredAt = (trigger.request.firstAt ?? 0) + trigger.index;
  return requests
    .flatMap((request) =>
      request.events.flatMap((event, index): LaterEvent[] => {
        const { firstAt } = request;
        if (event.name !== name || firstAt === null || firstAt + index <= triggeredAt) return [];
        const isOwn = request === trigger.request;
        return [
          {
            time: firstAt + index,
            maybeFrom: isOwn ? 0 : firstAt - STEP_MS_MAX,
            surelyFrom: isOwn ? 0 : (commits.get(event.id) ?? Infinity) + VISIBLE_WITHIN_MS,
          },
        ];
      }),
    )
    .toSorted((a, b) => a.time - b.time);
}

/** Each mail speaks of the cart of its run. */
function checkWords(
  { rig }: AutomationsRun,
  { runs, lines, messages }: Omit<StoredRuns, 'counts'>,
): string[] {
  const keys = new Map(runs.map(({ runId, key }) => [runId, key]));
  const runOf = new Map(lines.map(({ deliveryId, runId }) => [deliveryId, runId]));
  const texts = rig.sandbox.texts(new Set(messages.map(({ campaignId }) => campaignId)));
  return texts.flatMap(({ deliveryId, body }) => {
    const key = keys.get(runOf.get(deliveryId) ?? '');
    return key !== undefined && body.includes(`Cart ${key}.`)
      ? []
      : [`the mail ${deliveryId} of ${key} says ${body.slice(0, 80)}`];
  });
}

type Report = {
  readonly entered: number;
  readonly nodes: readonly { readonly id: string; readonly sent?: { readonly total: number } }[];
} & Readonly<Record<StoredRun['status'], number>>;

/** What the API says of the automation. */
async function compareReport({ sender }: AutomationsRun, stored: StoredRuns): Promise<string[]> {
  // A machine with many times more work than cores may answer 503 once.
  const said = await eventually(
    () => callApi<Report>(sender.access, { path: '/api/v1/automations/cart/report' }),
    { timeoutMs: ANSWERED_WITHIN_MS },
  );
  const status = (wanted: string): number =>
    stored.runs.filter((each) => each.status === wanted).length;
  const expected = {
    entered: stored.runs.length,
    active: status('active'),
    completed: status('completed'),
    exited: status('exited'),
    failed: status('failed'),
  };
  const sent = Map.groupBy(
    stored.lines.filter(({ outcome }) => outcome === 'sent'),
    ({ node }) => node,
  );
  return [
    ...Object.entries(expected).flatMap(([name, n]) =>
      said[name as keyof typeof expected] === n
        ? []
        : [`${said[name as keyof typeof expected]} ${name} reported, ${n} stored`],
    ),
    ...said.nodes.flatMap(({ id, sent: { total } = { total: 0 } }) => {
      const n = sent.get(id)?.length ?? 0;
      return total === n ? [] : [`${total} sent by ${id} reported, ${n} stored`];
    }),
  ];
}
