import { startBareServer } from '../start-bare-server.ts';
import { readProcess } from '../../installation/process-metrics.ts';
import type { Target } from '../../load/plan.ts';
import { type Figure, type Goal, type PartReport } from '../../report/figures.ts';
import { shareOfMachine } from '../../report/machine.ts';
import { median } from '../../report/median.ts';
import type { IngestBench } from '../ingest-bench.ts';

const BATCHES: readonly { readonly messages: number; readonly goal?: Goal | undefined }[] = [
  { messages: 1, goal: { atMost: 2.9 } },
  { messages: 10, goal: { atMost: 2.2 } },
  { messages: 100, goal: { atMost: 1.8 } },
];
const CONNECTIONS = 50;
const MICROSECONDS = 1_000_000;

type Measured = {
  readonly cpuMicrosecondsPerRequest: number;
  readonly requestsPerSecond: number;
  readonly notAccepted: number;
  readonly generatorShare: number;
};
type Round = { readonly bare: Measured; readonly gateway: Measured; readonly ratio: number };
type Side = { readonly target: Partial<Target>; readonly cpuSeconds: () => Promise<number> };

/**
 * CPU per request of the gateway, compared with a server that only parses the JSON. Short
 * alternating rounds compensate for changes of the machine; the median ratio is reported.
 */
export async function measureCpu(run: IngestBench): Promise<PartReport> {
  const { bench } = run;
  // Their CPU use would distort the gateway's.
  await bench.stopConsumers();
  const bare = await startBareServer();
  const sides = {
    bare: { target: { ...bare.address, headers: {} }, cpuSeconds: () => bare.cpuSeconds() },
    gateway: {
      target: {},
      cpuSeconds: async () => (await readProcess(bench.metricsUrl('gateway'))).cpuSeconds,
    },
  };
  try {
    const sizes: {
      readonly messages: number;
      readonly goal?: Goal | undefined;
      readonly rounds: readonly Round[];
    }[] = [];
    for (const { messages, goal } of BATCHES) {
      console.error(`  ${messages} messages a request …`);
      sizes.push({ messages, goal, rounds: await measureRounds(run, sides, messages) });
    }
    return {
      title:
        'CPU of the gateway (authentication, rate limit, validation, Kafka acknowledgement) compared with bare node:http + JSON.parse',
      figures: sizes.flatMap(({ messages, goal, rounds }) => listFigures(messages, rounds, goal)),
      data: sizes,
    };
  } finally {
    bare.stop();
  }
}

async function measureRounds(
  { bench, durations }: IngestBench,
  sides: Readonly<Record<'bare' | 'gateway', Side>>,
  messagesPerRequest: number,
): Promise<Round[]> {
  const measure = async ({ target, cpuSeconds }: Side): Promise<Measured> => {
    const stream = {
      name: 'cpu',
      target: bench.target({ ...target, messagesPerRequest }),
      arrival: { type: 'closed', connections: CONNECTIONS },
    } as const;
    const before = await cpuSeconds();
    const load = await bench.generator.run({
      streams: [stream],
      warmUpMs: 0,
      measuredMs: durations.cpuRoundMs,
    });
    const used = (await cpuSeconds()) - before;
    const [result] = load.streams;
    if (result === undefined || result.accepted === 0)
      throw new Error(`nothing was accepted: ${JSON.stringify(result)}`);
    return {
      cpuMicrosecondsPerRequest: (used * MICROSECONDS) / result.due,
      requestsPerSecond: result.accepted / load.seconds,
      notAccepted: result.due - result.accepted,
      generatorShare: shareOfMachine(load.cpuSeconds, load.seconds),
    };
  };
  const rounds: Round[] = [];
  // The first round is the warm-up.
  for (let round = 0; round <= durations.cpuRounds; round += 1) {
    const bare = await measure(sides.bare);
    const gateway = await measure(sides.gateway);
    if (round > 0)
      rounds.push({
        bare,
        gateway,
        ratio: gateway.cpuMicrosecondsPerRequest / bare.cpuMicrosecondsPerRequest,
      });
  }
  return rounds;
}

function listFigures(messages: number, rounds: readonly Round[], goal?: Goal): Figure[] {
  const ratios = rounds.map(({ ratio }) => ratio);
  const middle = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const gatewayCpu = middle(({ gateway }) => gateway.cpuMicrosecondsPerRequest);
  const notAccepted = rounds.reduce(
    (sum, { bare, gateway }) => sum + bare.notAccepted + gateway.notAccepted,
    0,
  );
  const at = `${messages} a request:`;
  return [
    {
      name: `${at} gateway : bare`,
      value: median(ratios),
      unit: 'ratio',
      goal,
      note: `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${rounds.length} rounds`,
    },
    {
      name: `${at} bare, per request`,
      value: middle(({ bare }) => bare.cpuMicrosecondsPerRequest),
      unit: 'microseconds',
    },
    { name: `${at} gateway, per request`, value: gatewayCpu, unit: 'microseconds' },
    { name: `${at} gateway, per event`, value: gatewayCpu / messages, unit: 'microseconds' },
    {
      name: `${at} bare, events`,
      value: middle(({ bare }) => bare.requestsPerSecond) * messages,
      unit: 'perSecond',
    },
    {
      name: `${at} gateway, events`,
      value: middle(({ gateway }) => gateway.requestsPerSecond) * messages,
      unit: 'perSecond',
      note: `${notAccepted} requests not accepted`,
    },
    {
      name: `${at} generator's share of the machine`,
      value: middle(({ gateway }) => gateway.generatorShare) * 100,
      unit: 'percent',
    },
  ];
}
