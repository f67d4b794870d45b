import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { BusKind } from '@tidings/local';
import { randomFrom } from '@tidings/testing';
import { cancelAll, type Attacker } from '../load/neighbours/attacker.ts';
import { writePeople } from '../load/neighbours/costly.ts';
import {
  registerPeople,
  startSteadyWork,
  type SteadyWork,
  type Work,
} from '../load/neighbours/steady-work.ts';
import {
  comparePhases,
  figuresOf,
  judge,
  type Slice,
  type Waits,
} from '../oracles/neighbours/comparisons.ts';
import { NEIGHBOURS_LONG_FORM_SECONDS, NEIGHBOURS_LONG_PLAN } from '../plans.ts';
import {
  startNeighboursRig,
  untilPostgresIsCalm,
  type Neighbour,
  type NeighboursRig,
} from '../rigs/neighbours-rig.ts';
import { startFromVersion } from '../rigs/version.ts';
import { NEIGHBOURS_ROWS } from '../rows/neighbours/index.ts';
import type { NeighboursRow } from '../rows/neighbours/neighbours-row.ts';
import type { RowOptions, RowResult, Suite } from './suite.ts';

/** One application takes more than its share, beside another that works as usual. */
export const neighboursSuite: Suite = {
  rows: NEIGHBOURS_ROWS,
  longPlan: NEIGHBOURS_LONG_PLAN,
  longFormSeconds: NEIGHBOURS_LONG_FORM_SECONDS,
  takesAgainst: true,
  async start({ bus, against, signal: stopped }) {
    return {
      // Each in an installation of its own: what an attack leaves would be measured in the next.
      async run(id, options) {
        const row = NEIGHBOURS_ROWS.find((one) => one.id === id);
        if (row === undefined) throw new Error(`unknown row: ${id}`);
        const measure = async (
          version?: ReturnType<typeof startFromVersion>,
        ): Promise<Measured> => {
          const rig = await startNeighboursRig({ bus, version, signal: stopped });
          try {
            return await measureRow(rig, row, options);
          } finally {
            await rig.stop();
          }
        };
        const before = against === undefined ? undefined : await measure(startFromVersion(against));
        return toResult(row, { bus, before, now: await measure(), seed: options.seed });
      },
      stop: async () => undefined,
    };
  },
};

/** The load begins before it is measured. */
const WARM_UP_MS = 5_000;
const CALM_WITHIN_MS = 30_000;
const CALM_MS = 3_000;
/** Pushes that were accepted last may be sent so much later. */
const SENT_WITHIN_MS = 15_000;
const POLL_MS = 500;

type Measured = {
  readonly waits: Waits;
  readonly slices: readonly Slice[];
  readonly notes: readonly string[];
  readonly ended: readonly string[];
  readonly seconds: number;
  readonly requests: readonly Work[];
};

/** Slices alone and beside the attack alternate, since the speed of a machine drifts. */
async function measureRow(
  rig: NeighboursRig,
  row: NeighboursRow,
  { plan, seed, signal }: RowOptions,
): Promise<Measured> {
  const startedAt = performance.now();
  const neighbour = await rig.newNeighbour('Ordinary');
  const attacking = await rig.newNeighbour('Attacker');
  await registerPeople(rig, neighbour, plan.users);
  await writePeople(rig.db, { applicationId: attacking.id, events: row.needsEvents === true });
  const { users, requestsPerSecond } = plan;
  const steady = startSteadyWork(rig, neighbour, {
    random: randomFrom(seed),
    users,
    requestsPerSecond,
  });
  const pids = rig.pids();
  const slices: Slice[] = [];
  const notes: string[] = [];
  const usage = { alone: startUsage(), beside: startUsage() };
  const measure = async (isBeside: boolean): Promise<void> => {
    const from = performance.now();
    const end = (isBeside ? usage.beside : usage.alone).begin(rig);
    await delay(plan.outageMs, undefined, { signal });
    end();
    slices.push({ isBeside, from, to: performance.now() });
  };
  try {
    await delay(WARM_UP_MS, undefined, { signal });
    for (let round = 1; round <= plan.kills; round += 1) {
      await measure(false);
      const left = await attackDuring(() => measure(true), {
        rig,
        row,
        neighbour: attacking,
        notes,
      });
      if (!left.isCalm || !(await untilCalm(rig, steady))) {
        notes.push(`it did not recover within ${CALM_WITHIN_MS / 1_000} s of the attack`);
        break;
      }
    }
    await untilSent(rig, steady);
  } finally {
    await steady.stop();
  }
  const seen = rig.pids();
  return {
    waits: waitsOf(steady, rig),
    slices,
    notes: [
      ...notes,
      `alone ${usage.alone.describe()}, beside ${usage.beside.describe()}`,
      describeAnswers(steady.works),
    ],
    ended: [...pids].filter(([name, pid]) => seen.get(name) !== pid).map(([name]) => name),
    seconds: (performance.now() - startedAt) / 1_000,
    requests: steady.works,
  };
}

/** Ends the attack, cancels what is left of it, and waits for Postgres. */
async function attackDuring(
  work: () => Promise<void>,
  {
    rig,
    row,
    neighbour,
    notes,
  }: {
    readonly rig: NeighboursRig;
    readonly row: NeighboursRow;
    readonly neighbour: Neighbour;
    readonly notes: string[];
  },
): Promise<{ readonly isCalm: boolean }> {
  const ending = new AbortController();
  const attacker: Attacker = {
    rig,
    neighbour,
    signal: ending.signal,
    answers: new Map(),
    campaignIds: new Set(),
  };
  const attack = row.attack(attacker);
  try {
    await work();
  } finally {
    ending.abort();
    await attack;
  }
  notes.push(
    `the attack: ${[...attacker.answers].map(([answer, count]) => `${count} × ${answer}`).join(', ') || 'no answer'}`,
  );
  const unanswered = await cancelAll(attacker);
  if (unanswered > 0) notes.push(`${unanswered} cancels had no answer`);
  return { isCalm: await untilPostgresIsCalm(rig, CALM_WITHIN_MS) };
}

/**
 * Waits until all that the ordinary application sends in a while is accepted and answered at once, and
 * all that was accepted before is sent.
 */
async function untilCalm(rig: NeighboursRig, { works, reads }: SteadyWork): Promise<boolean> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < CALM_WITHIN_MS) {
    await delay(CALM_MS);
    const [from, to] = [performance.now() - CALM_MS, performance.now() - POLL_MS];
    const recent = works.filter(
      ({ attempts: [first] }) => first !== undefined && first.sentAt > from && first.sentAt < to,
    );
    const areAccepted = recent.every(
      ({ attempts: [first] }) => first?.status === 200 && tookMs(first) < POLL_MS,
    );
    const isAnswered = reads.some(({ sentAt, ms }) => sentAt > from && ms < POLL_MS);
    if (recent.length > 0 && areAccepted && isAnswered && areSent(rig, works, from)) return true;
  }
  return false;
}

/** Whether each push that was accepted has a message at the provider, of those sent before a time. */
function areSent(rig: NeighboursRig, works: readonly Work[], before: number): boolean {
  const sent = firstArrivals(rig);
  return works.every(
    ({ kind, attempts: [first] }) =>
      kind === 'batch' ||
      first?.campaignId === undefined ||
      first.sentAt >= before ||
      sent.has(first.campaignId),
  );
}

const tookMs = ({ sentAt, answeredAt = Infinity }: Work['attempts'][number]): number =>
  answeredAt - sentAt;

async function untilSent(rig: NeighboursRig, { works }: SteadyWork): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < SENT_WITHIN_MS && !areSent(rig, works, startedAt))
    await delay(POLL_MS);
}

/** When the provider had the first message of each campaign, by `performance.now()`. */
function firstArrivals({ sandbox }: NeighboursRig): ReadonlyMap<string, number> {
  const arrivals = new Map<string, number>();
  for (const { campaignId, receivedAt } of sandbox.accepted()) {
    const at = receivedAt - performance.timeOrigin;
    if (campaignId !== null)
      arrivals.set(campaignId, Math.min(at, arrivals.get(campaignId) ?? Infinity));
  }
  return arrivals;
}

function waitsOf({ works, reads }: SteadyWork, rig: NeighboursRig): Waits {
  const arrivals = firstArrivals(rig);
  const firsts = works.flatMap(({ kind, cpuWaitMs, attempts: [attempt] }) =>
    attempt === undefined ? [] : [{ kind, cpuWaitMs, attempt }],
  );
  const sent = (wanted: Work['kind']): Waits['listSent'] =>
    firsts
      .filter(({ kind }) => kind === wanted)
      .map(({ attempt: { sentAt, campaignId = '' } }) => ({
        sentAt,
        ms: Math.max(0, (arrivals.get(campaignId) ?? Infinity) - sentAt),
      }));
  return {
    // A push to a segment asks how many there are: how long it takes is that of the question.
    acceptance: firsts
      .filter(({ kind }) => kind !== 'segment')
      .map(({ attempt, cpuWaitMs }) => ({
        cpuWaitMs,
        sentAt: attempt.sentAt,
        ms: attempt.status === 200 ? tookMs(attempt) : Infinity,
      })),
    listSent: sent('list'),
    segmentSent: sent('segment'),
    reads,
  };
}

/** CPU of the installation and the load of the machine, over some slices. */
function startUsage(): { begin(rig: NeighboursRig): () => void; describe(): string } {
  const sums = { cpuS: 0, ownCpuS: 0, ms: 0, loads: [] as number[] };
  return {
    begin(rig) {
      const [at, cpu, own] = [performance.now(), rig.cpuSeconds(), process.cpuUsage()];
      return () => {
        const { user, system } = process.cpuUsage(own);
        sums.ms += performance.now() - at;
        sums.cpuS += rig.cpuSeconds() - cpu;
        sums.ownCpuS += (user + system) / 1e6;
        sums.loads.push(loadavg()[0] ?? 0);
      };
    },
    describe() {
      const share = (cpuS: number): string => `${Math.round((cpuS / (sums.ms / 1_000)) * 100)} %`;
      return `${share(sums.cpuS)} of a CPU by the installation, ${share(sums.ownCpuS)} by the callers, load ${sums.loads.map((load) => load.toFixed(1)).join(', ')}`;
    },
  };
}

function describeAnswers(works: readonly Work[]): string {
  const counts = Map.groupBy(works, ({ attempts: [first] }) => first?.status ?? 0);
  return `the other: ${[...counts].map(([status, { length }]) => `${length} × ${status}`).join(', ')}`;
}

function toResult(
  { id, fault }: NeighboursRow,
  {
    bus,
    before,
    now,
    seed,
  }: {
    readonly bus: BusKind;
    readonly before: Measured | undefined;
    readonly now: Measured;
    readonly seed: number;
  },
): RowResult {
  const compared = figuresOf(bus === 'postgres').map((figure) => ({
    name: figure.name,
    bound: figure.bound,
    now: comparePhases(figure, now.waits, now.slices),
    ...(before !== undefined && { before: comparePhases(figure, before.waits, before.slices) }),
  }));
  return {
    row: id,
    fault,
    seed,
    seconds: now.seconds + (before?.seconds ?? 0),
    cells: {},
    compared,
    memoryMiB: {},
    recoveries: [],
    notes: [...(before?.notes ?? []).map((note) => `before: ${note}`), ...now.notes],
    violations: [
      ...compared
        .filter((one) => judge(one.now, one.bound) === 'failed')
        .map(({ name, now: { alone = NaN, beside = NaN, net } }) => ({
          oracle: 'in time' as const,
          what: `${name}: ${beside.toFixed(1)} ms beside the attack, ${alone.toFixed(1)} ms alone; without waits for a CPU ${net.beside?.toFixed(1)} and ${net.alone?.toFixed(1)} ms`,
        })),
      ...now.ended.map((name) => ({ oracle: 'healthy' as const, what: `${name} ended` })),
    ],
    requests: now.requests.map(({ body: _body, ...request }) => request),
  };
}
