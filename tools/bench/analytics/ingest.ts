import type { BenchInstallation, Form } from '../installation/bench-installation.ts';
import type { PartReport } from '../report/figures.ts';
import { median } from '../report/median.ts';
import type { Asked } from '../segments/ask.ts';
import { LONGEST_FUNNEL, rangeOf } from './funnels.ts';

const RATIO_MAX = 1.2;
const REQUESTS_PER_SECOND = 200;
const MESSAGES = 10;
const CONNECTIONS_MAX = 500;
/** The API answers them within its 15 s, also while it has a third of the cores. */
const DAYS = 10;
const PAIRS = { full: 3, quick: 1 };
const DURATIONS = {
  full: { warmUpMs: 5_000, measuredMs: 20_000 },
  quick: { warmUpMs: 500, measuredMs: 2_000 },
};

/** Acceptance of events while a question about all of them runs all the time, beside none, in turn. */
export async function measureIngest(
  asked: Asked,
  {
    bench,
    isQuick,
    form,
  }: { readonly bench: BenchInstallation; readonly isQuick: boolean; readonly form: Form },
): Promise<PartReport> {
  const size = isQuick ? 'quick' : 'full';
  const alone: number[] = [];
  const beside: number[] = [];
  let questions = 0;
  for (let pair = 0; pair < PAIRS[size]; pair += 1) {
    console.error('ingest alone …');
    alone.push(await acceptedP99Ms(bench, DURATIONS[size]));
    console.error('ingest beside questions …');
    const stop = askAllTheTime(asked);
    beside.push(await acceptedP99Ms(bench, DURATIONS[size]));
    questions += await stop();
  }
  const ratios = beside.map((ms, pair) => ms / (alone[pair] ?? NaN));
  return {
    title: `Acceptance of ${REQUESTS_PER_SECOND} requests a second of ${MESSAGES} events (${form})`,
    figures: [
      { name: 'p99, without a question', value: median(alone), unit: 'ms' },
      {
        name: 'p99, while a funnel is asked all the time',
        value: median(beside),
        unit: 'ms',
        note: `${questions} answers`,
      },
      {
        name: 'beside each other',
        value: median(ratios),
        unit: 'ratio',
        goal: { atMost: RATIO_MAX },
      },
    ],
    data: { alone, beside, questions },
  };
}

async function acceptedP99Ms(
  bench: BenchInstallation,
  durations: { readonly warmUpMs: number; readonly measuredMs: number },
): Promise<number> {
  const { streams } = await bench.generator.run({
    streams: [
      {
        name: 'events',
        target: bench.target({ messagesPerRequest: MESSAGES }),
        arrival: {
          type: 'open',
          requestsPerSecond: REQUESTS_PER_SECOND,
          connectionsMax: CONNECTIONS_MAX,
        },
      },
    ],
    ...durations,
  });
  const [result] = streams;
  if (result === undefined || result.accepted < result.due)
    throw new Error('Not all requests were accepted.');
  return result.latency.p99Ms;
}

/** Asks one question after the other. Stopping returns how many were answered. */
function askAllTheTime(asked: Asked): () => Promise<number> {
  let isStopped = false;
  let answers = 0;
  const asking = (async () => {
    while (!isStopped) {
      await asked.post('funnels/result', { ...LONGEST_FUNNEL, ...rangeOf(Date.now(), DAYS) });
      answers += 1;
    }
  })();
  asking.catch(() => undefined); // Reported by stopping.
  return async () => {
    isStopped = true;
    await asking;
    return answers;
  };
}
