import { eventually } from '@tidings/testing';
import type { Run } from '../../fault-row.ts';
import { runFor, pidsOf } from '../steps.ts';

/** The only services without a client of Kafka. */
const WITHOUT_KAFKA: readonly string[] = ['client-api', 'webhooks', 'scheduler', 'sandbox'];
/** The longest that a client waits for an answer on a new connection. */
const SILENT_MS_MIN = 15_000;
const STARTED_WITHIN_MS = 40_000;
const GATEWAY_WITHIN_MS = 150_000;
const READY_WITHIN_MS = 30_000;

export function servicesWithKafka({ rig }: Run): readonly string[] {
  return rig.supervisor
    .list()
    .map(({ name }) => name)
    .filter((name) => !WITHOUT_KAFKA.includes(name));
}

export type SilentStart = { readonly from: number; readonly backAt: number };

/**
 * Freezes Kafka, kills every service that has a client of it, and wakes Kafka once all have been new processes for a
 * while: they start while a broker accepts connections and answers nothing. `meanwhile` is done when the gateway is back.
 */
export async function startWhileKafkaIsSilent(
  run: Run,
  meanwhile: () => Promise<void>,
): Promise<SilentStart> {
  const { rig, plan } = run;
  const [kafka] = rig.kafkaNodes;
  if (kafka === undefined) throw new Error('this row needs a Kafka of its own');
  const names = servicesWithKafka(run);
  const before = pidsOf(run);

  kafka.kill('SIGSTOP');
  const from = performance.now();
  try {
    for (const name of names) rig.supervisor.kill(name, 'SIGKILL');
    await eventually(
      () => {
        const after = pidsOf(run);
        const same = names.filter((name) => after.get(name) === before.get(name));
        if (same.length > 0) throw new Error(`${same.join(', ')} did not die`);
      },
      { timeoutMs: STARTED_WITHIN_MS },
    );
    // Each waits for 60 s. All services start at once, which a busy machine takes longer for.
    await eventually(() => rig.supervisor.ready('gateway'), { timeoutMs: GATEWAY_WITHIN_MS });
    await meanwhile();
    await runFor(run, Math.max(SILENT_MS_MIN, plan.outageMs));
  } finally {
    kafka.kill('SIGCONT');
  }
  return { from, backAt: performance.now() };
}

/** Healthy: each service says that it is alive and ready, soon after. */
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
