import { countStillOpen, endWaits, listOpen } from '../../oracles/delivery/stored-deliveries.ts';
import { untilRead } from '../../oracles/ingest/lag.ts';
import { SENT_CHANNELS } from '../../rigs/delivery-proxies.ts';
import { SEND_LEASE_MS } from '../../rigs/delivery-rig.ts';
import { allowAmbiguousAttempts, untilAllSend } from '../delivery/steps.ts';
import type { RollingRow, RollingRun } from '../rolling/rolling-row.ts';
import { measureUntil, noteRecovery, runFor } from '../steps.ts';
import { besideSecond, TWO } from './two.ts';

/** Sessions on the bus last 6 s. */
const FROZEN_MS = 2 * SEND_LEASE_MS;
const WITHIN_MS = 700;
/** Postgres ends a transaction that a frozen process left open after 5 s. */
const ACCEPTS_WITHIN_MS = 8_000;
const READ_WITHIN_MS = 20_000;
const SETTLED_WITHIN_MS = 30_000;
const SENDS_WITHIN_MS = 10_000;

export const processFrozen: RollingRow = {
  id: 'P17',
  fault:
    'one of two processes with every service frozen for at least twice the lease of a send, and thawed',
  brokers: 1,
  cutsOff: true,
  inject: (run) =>
    besideSecond(run, async () => {
      for (let round = 0; round < run.plan.kills; round += 1)
        for (const name of TWO) await freeze(run, name);
    }),
};

/** The other process must do the work of the frozen one before it is thawed. */
async function freeze(run: RollingRun, name: string): Promise<void> {
  const { supervisor, bus } = run.rig;
  await runFor(run, 0, WITHIN_MS);
  allowAmbiguousAttempts(run, SENT_CHANNELS);
  const from = performance.now();
  supervisor.kill(name, 'SIGSTOP');
  try {
    const [acceptsMs, readMs, settledMs] = await Promise.all([
      untilAccepts(run, TWO.find((other) => other !== name) ?? ''),
      untilRead(bus, 2 * READ_WITHIN_MS),
      untilSettled(run),
    ]);
    noteRecovery(run, {
      what: 'the other process accepts a batch',
      ms: acceptsMs,
      msMax: ACCEPTS_WITHIN_MS,
    });
    noteRecovery(run, {
      what: 'it has read what was in ingest at the freeze',
      ms: readMs,
      msMax: READ_WITHIN_MS,
    });
    noteRecovery(run, {
      what: 'what was open at the freeze has an outcome',
      ms: settledMs,
      msMax: SETTLED_WITHIN_MS,
    });
    await runFor(run, Math.max(0, FROZEN_MS - (performance.now() - from)));
  } finally {
    supervisor.kill(name, 'SIGCONT');
    run.frozen.push({ from, to: performance.now() });
  }
  const thawedAt = performance.now();
  await untilAllSend(run);
  noteRecovery(run, {
    what: 'each channel sends after the thaw',
    ms: performance.now() - thawedAt,
    msMax: SENDS_WITHIN_MS,
  });
}

/** Milliseconds until a process answers 200 to a batch that is sent to it alone. */
async function untilAccepts({ rig, senders }: RollingRun, name: string): Promise<number | null> {
  const url = rig.balancers.gateway.instances[name] ?? '';
  const message = { type: 'action', time: Date.now(), customName: 'page_viewed' };
  return measureUntil(
    async () => {
      const answer = await fetch(`${url}/`, {
        method: 'POST',
        headers: { ...senders[0]?.headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          customUserId: 'user-0',
          messages: [{ ...message, id: `${name}-${performance.now()}` }],
        }),
        signal: AbortSignal.timeout(ACCEPTS_WITHIN_MS),
      }).catch(() => undefined);
      await answer?.body?.cancel();
      return answer?.status === 200;
    },
    { msMax: ACCEPTS_WITHIN_MS },
  );
}

/** Milliseconds until each delivery that is open now has an outcome. */
async function untilSettled({ rig: { db }, senders }: RollingRun): Promise<number | null> {
  const applicationIds = senders.map(({ id }) => id);
  const open = await listOpen(db, applicationIds);
  return measureUntil(
    async () => {
      await endWaits(db, applicationIds);
      return (await countStillOpen(db, open)) === 0;
    },
    { msMax: SETTLED_WITHIN_MS },
  );
}
