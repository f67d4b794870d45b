import type { StackComponent } from '@tidings/local';
import type { IngestRow, IngestRun } from './ingest-row.ts';
import { runFor } from '../steps.ts';
import { BACK_WITHIN_MS, noteFirstAccepted } from './steps.ts';

/**
 * Limit of 24 MiB of request bodies, times the memory per waiting body; measured: 92 MiB at 800
 * rejections per second.
 */
const GROWTH_BYTES_MAX = 120 * 1024 * 1024;

export const kafkaStopped: IngestRow = {
  id: 'I5',
  fault: 'Kafka stopped and started',
  brokers: 1,
  needsKafka: true,
  inject: (run) =>
    outage(run, {
      begin: (kafka) => kafka.stop(),
      end: (kafka) => kafka.start(),
    }),
};

export const kafkaFrozen: IngestRow = {
  id: 'I6',
  fault: 'Kafka frozen, its connections open',
  brokers: 1,
  needsKafka: true,
  inject: (run) =>
    outage(run, {
      begin: async (kafka) => kafka.kill('SIGSTOP'),
      end: async (kafka) => kafka.kill('SIGCONT'),
    }),
};

type Switch = {
  begin(kafka: StackComponent): Promise<void>;
  end(kafka: StackComponent): Promise<void>;
};

async function outage(run: IngestRun, { begin, end }: Switch): Promise<void> {
  const { rig, plan, outages } = run;
  const [kafka] = rig.kafkaNodes;
  if (kafka === undefined) throw new Error('this row needs a Kafka of its own');
  const before = gatewayPeak(run);

  await begin(kafka);
  const from = performance.now();
  await runFor(run, plan.outageMs / 2);
  await checkPush(run);
  await runFor(run, plan.outageMs / 2);
  const to = performance.now();
  await end(kafka);
  const backAt = performance.now();

  outages.push({ from, to });
  await noteFirstAccepted(run, {
    what: 'first 200 after the return of Kafka',
    from: backAt,
    msMax: BACK_WITHIN_MS,
  });
  const growth = gatewayPeak(run) - before;
  if (growth > GROWTH_BYTES_MAX)
    run.violations.push({
      oracle: 'healthy',
      what: `the gateway grew by ${Math.round(growth / 1024 / 1024)} MiB while Kafka was down`,
    });
}

/** A push needs only Postgres. */
async function checkPush({ rig, applications, violations }: IngestRun): Promise<void> {
  const body = JSON.stringify({
    recipients: ['unregistered'],
    channel: 'EMAIL',
    message: { title: 'Kafka is down', body: 'and a push is accepted' },
  });
  const answer = await fetch(`${rig.gatewayUrls.near}/push`, {
    method: 'POST',
    headers: { ...applications[0]?.headers, 'Content-Type': 'application/json' },
    body,
  });
  if (!answer.ok)
    violations.push({
      oracle: 'answers',
      what: `a push returned ${answer.status} while Kafka was down: ${(await answer.text()).slice(0, 300)}`,
    });
}

function gatewayPeak({ rig }: IngestRun): number {
  return rig.memory.peaks().get('gateway')?.most ?? 0;
}
