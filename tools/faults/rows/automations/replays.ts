import { AUTOMATIONS_GROUP, TOPICS, USER_CHANGES } from '@tidings/contracts/topics';
import { resetCursors } from '../../net/reset-cursors.ts';
import { resetOffsets } from '../../net/reset-offsets.ts';
import { readDecisions, readStoredRuns } from '../../oracles/automations/stored-runs.ts';
import { readPositions, untilRead } from '../../oracles/ingest/lag.ts';
import { CONSUMERS } from '../../rigs/ingest-rig.ts';
import { measureUntil, noteRecovery, runFor } from '../steps.ts';
import type { AutomationsRow, AutomationsRun } from './automations-row.ts';
import { countUnreadChanges } from './steps.ts';

const READ_WITHIN_MS = 300_000;

export const allReadAgain: AutomationsRow = {
  id: 'A21',
  fault: 'the whole topic of events read again, and all changes of people',
  brokers: 1,
  async inject(run) {
    await runFor(run, 0);
  },
  async afterwards(run) {
    const before = await fingerprint(run);
    await readEventsAgain(run);
    await compare(run, { before, what: 'reading all events again' });
    await readChangesAgain(run);
    await compare(run, { before, what: 'reading all changes again' });
  },
};

async function readEventsAgain(run: AutomationsRun): Promise<void> {
  const { rig } = run;
  // Offsets can be reset only while the group has no members.
  await Promise.all(CONSUMERS.map((name) => rig.supervisor.remove(name)));
  if (rig.kafkaNodes.length > 0) await resetOffsets(rig.addresses.kafkaBrokers, CONSUMERS);
  else await resetCursors(rig.db.sql, { topic: TOPICS.ingest, groups: CONSUMERS });
  const unread = (await Promise.all(CONSUMERS.map((name) => readPositions(rig.bus, name)))).flatMap(
    (positions) => [...positions.values()],
  );
  const records = unread.reduce((sum, { committed, end }) => sum + Number(end - committed), 0);
  await Promise.all(CONSUMERS.map((name) => rig.supervisor.add({ name, program: name })));
  noteRecovery(run, {
    what: `${records} records of both consumers read again`,
    ms: await untilRead(rig.bus, READ_WITHIN_MS),
    msMax: READ_WITHIN_MS,
  });
  await untilNoChanges(run, 'changes after it read');
  if (records < (run.load?.carts.requests.length ?? 0))
    run.violations.push({
      oracle: 'stored once',
      what: `only ${records} records were read again: the fault had no effect`,
    });
}

async function readChangesAgain(run: AutomationsRun): Promise<void> {
  const again = await resetCursors(run.rig.db.sql, {
    topic: USER_CHANGES.topic,
    groups: [AUTOMATIONS_GROUP],
  });
  await untilNoChanges(run, `${again} changes read again`);
  if (again < (run.load?.carts.requests.length ?? 0))
    run.violations.push({
      oracle: 'stored once',
      what: `only ${again} changes were read again: the fault had no effect`,
    });
}

async function untilNoChanges(run: AutomationsRun, what: string): Promise<void> {
  const msMax = READ_WITHIN_MS;
  const isRead = async (): Promise<boolean> => (await countUnreadChanges(run)) === 0;
  noteRecovery(run, { what, ms: await measureUntil(isRead, { msMax }), msMax });
}

async function fingerprint({ rig, sender }: AutomationsRun): Promise<Record<string, string>> {
  const stored = {
    ...(await readStoredRuns(rig.db, sender.id)),
    ...(await readDecisions(rig.db, sender.id)),
  };
  return Object.fromEntries(
    Object.entries(stored).map(([name, rows]) => [
      name,
      JSON.stringify(rows.map((row) => JSON.stringify(row)).toSorted()),
    ]),
  );
}

async function compare(
  run: AutomationsRun,
  { before, what }: { readonly before: Record<string, string>; readonly what: string },
): Promise<void> {
  const after = await fingerprint(run);
  for (const [table, print] of Object.entries(before))
    if (after[table] !== print)
      run.violations.push({ oracle: 'stored once', what: `${what} changed the ${table}` });
}
