import { callApi } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { resetOffsets } from '../../net/reset-offsets.ts';
import { CONSUMERS } from '../../rigs/ingest-rig.ts';
import { readPositions, untilRead } from '../../oracles/ingest/lag.ts';
import { fingerprints } from '../../oracles/ingest/stored.ts';
import type { IngestRow, IngestRun } from './ingest-row.ts';
import { poisonOnce } from './poison-mix.ts';
import { runFor, noteRecovery } from '../steps.ts';

const READ_WITHIN_MS = 120_000;
const POISON = 6;
const REPLAYS = 3;
const REPLAYED_WITHIN_MS = 30_000;

export const wholeTopicAgain: IngestRow = {
  id: 'I21',
  fault: 'whole topic reprocessed, dead letters replayed',
  brokers: 1,
  needsKafka: true,
  mustAccept: true,
  async inject(run) {
    for (let n = 0; n < POISON; n += 1) {
      await poisonOnce(run);
      await runFor(run, 100, 500);
    }
    await runFor(run, run.plan.outageMs / 2);
  },
  async afterwards(run) {
    const { rig } = run;
    const before = await fingerprints(rig.db);
    // Offsets can be reset only while the group has no members.
    await Promise.all(CONSUMERS.map((name) => rig.supervisor.remove(name)));
    await resetOffsets(rig.addresses.kafkaBrokers, CONSUMERS);
    const unread = (
      await Promise.all(CONSUMERS.map((name) => readPositions(rig.bus, name)))
    ).flatMap((positions) => [...positions.values()]);
    if (!unread.some(({ committed, end }) => committed < end))
      run.violations.push({
        oracle: 'stored once',
        what: 'the offsets were not reset: the fault had no effect',
      });
    await Promise.all(CONSUMERS.map((name) => rig.supervisor.add({ name, program: name })));
    noteRecovery(run, {
      what: 'whole topic reprocessed',
      ms: await untilRead(rig.bus, READ_WITHIN_MS),
      msMax: READ_WITHIN_MS,
    });
    await compare(run, { before, what: 'reprocessing the whole topic' });
    for (let time = 1; time <= REPLAYS; time += 1) await replayDeadLetters(run, time);
    await compare(run, { before, what: 'replaying the dead letters' });
  },
};

type DeadLetter = {
  readonly id: string;
  readonly applicationId: string;
  readonly status: string;
  readonly replays: number;
};

/** Dead letters of this run's applications; the API does not return the others. */
async function readDeadLetters({ rig, applications }: IngestRun): Promise<readonly DeadLetter[]> {
  const { rows } = await rig.db.sql.query<DeadLetter>(
    'select id, application_id as "applicationId", status, replays from dead_letters where application_id = any($1)',
    [applications.map(({ id }) => id)],
  );
  return rows;
}

/** Replays each by the API, and waits until its consumer has rejected it again. */
async function replayDeadLetters(run: IngestRun, time: number): Promise<void> {
  const { apiUrl, adminHeaders } = run.rig;
  const letters = await readDeadLetters(run);
  if (letters.length === 0)
    run.violations.push({
      oracle: 'dead letters',
      what: 'no dead letter to replay: the fault had no effect',
    });
  for (const { id, applicationId } of letters) {
    await callApi(
      { baseUrl: apiUrl, headers: { ...adminHeaders, 'X-Application-Id': applicationId } },
      { method: 'POST', path: `/api/v1/dead-letters/${id}/replay` },
    );
  }
  await eventually(
    async () => {
      const open = (await readDeadLetters(run)).filter(
        ({ status, replays }) => status !== 'waiting' || replays !== time,
      );
      if (open.length > 0)
        throw new Error(
          `${open.length} dead letters did not return after replay ${time}: ${JSON.stringify(open[0])}`,
        );
    },
    { timeoutMs: REPLAYED_WITHIN_MS, intervalMs: 100 },
  );
}

async function compare(
  { rig, violations }: IngestRun,
  { before, what }: { readonly before: Readonly<Record<string, string>>; readonly what: string },
): Promise<void> {
  const after = await fingerprints(rig.db);
  for (const [table, print] of Object.entries(before)) {
    if (after[table] !== print)
      violations.push({
        oracle: 'stored once',
        what: `${what} changed ${table}: ${print} → ${after[table]}`,
      });
  }
}
