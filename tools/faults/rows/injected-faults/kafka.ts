import { eventually } from '@tidings/testing';
import type { Run } from '../../fault-row.ts';
import { runFor, listPids } from '../steps.ts';

/** Services without a Kafka client. */
const WITHOUT_KAFKA: readonly string[] = ['client-api', 'webhooks', 'scheduler', 'sandbox'];
/** Longest response timeout of a client on a new connection. */
const SILENT_MS_MIN = 15_000;
const STARTED_WITHIN_MS = 40_000;
const GATEWAY_WITHIN_MS = 150_000;
const READY_WITHIN_MS = 30_000;

function servicesWithKafka({ rig }: Run): readonly string[] {
  return rig.supervisor
    .list()
    .map(({ name }) => name)
    .filter((name) => !WITHOUT_KAFKA.includes(name));
}

export type SilentStart = { readonly from: number; readonly backAt: number };

/**
 * Freezes Kafka, kills every service with a Kafka client, and thaws Kafka once all have run as new
 * processes for a while. They start while a broker accepts connections and does not respond.
 * `meanwhile` runs when the gateway is ready.
 */
export async function startWhileKafkaIsSilent(
  run: Run,
  meanwhile: () => Promise<void>,
): Promise<SilentStart> {
  const { rig, plan } = run;
  const [kafka] = rig.kafkaNodes;
  if (kafka === undefined) throw new Error('this row needs a Kafka of its own');
  const names = servicesWithKafka(run);
  const before = listPids(run);

  kafka.kill('SIGSTOP');
  const from = performance.now();
  try {
    for (const name of names) rig.supervisor.kill(name, 'SIGKILL');
    await eventually(
      () => {
        const after = listPids(run);
        const same = names.filter((name) => after.get(name) === before.get(name));
        if (same.length > 0) throw new Error(`${same.join(', ')} did not exit`);
      },
      { timeoutMs: STARTED_WITHIN_MS },
    );
    // Each start waits up to 60 s. All services start at once, which takes longer on a busy
    // machine.
    await eventually(() => rig.supervisor.ready('gateway'), { timeoutMs: GATEWAY_WITHIN_MS });
    await meanwhile();
    await runFor(run, Math.max(SILENT_MS_MIN, plan.outageMs));
  } finally {
    kafka.kill('SIGCONT');
  }
  return { from, backAt: performance.now() };
}

/** Healthy: each service soon reports alive and ready. */
export async function checkReady({ rig, violations }: Run): Promise<void> {
  await Promise.all(
    rig.supervisor.list().map(async ({ name, metricsUrl }) => {
      try {
        await eventually(
          () =>
            Promise.all(
              ['healthz', 'readyz'].map((path) => ask(metricsUrl.replace(/metrics$/, path))),
            ),
          { timeoutMs: READY_WITHIN_MS, intervalMs: 200 },
        );
      } catch (error) {
        violations.push({
          oracle: 'healthy',
          what: `${name}: ${error instanceof Error ? error.message : String(error)}`,
        });
      }
    }),
  );
}

async function ask(url: string): Promise<void> {
  const answer = await fetch(url);
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`${new URL(url).pathname} is ${answer.status}`);
}
