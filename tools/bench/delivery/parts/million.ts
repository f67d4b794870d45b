import { workerName } from '@tidings/contracts/topics';
import { costFigures } from '../../installation/costs.ts';
import { watchMemory } from '../../installation/memory-watch.ts';
import { mebibytes, type PartReport } from '../../report/figures.ts';
import type { DeliveryBench } from '../context.ts';
import { sendCampaign, type SentCampaign } from '../send-campaign.ts';

const CHANNEL = 'EMAIL';
/** A push has at most 100,000 recipients. */
export const PUSHES = 10;
const LAST_OF_FIRST_LEAST_PERCENT = 85;
const WORKER_MEMORY_MOST_MIB = 200;

/** A million recipients as ten pushes, one after the other: does the rate last, does memory grow? */
export async function measureMillion(run: DeliveryBench): Promise<PartReport> {
  const recipients = run.sizes.millionPush;
  const memory = watchMemory([run.bench.metricsUrl(workerName(CHANNEL))]);
  const sent: SentCampaign[] = [];
  for (let push = 0; push < PUSHES; push += 1) {
    console.error(`  ${recipients} by ${CHANNEL}, ${push + 1} of ${PUSHES} …`);
    sent.push(await sendCampaign(run, { channel: CHANNEL, recipients, from: push * recipients }));
  }
  const [workerBytes = NaN] = await memory.stop();
  const rates = sent.map(({ perSecond }) => perSecond);
  const [first = NaN, last = NaN] = [rates.at(0), rates.at(-1)];
  return {
    title: `${PUSHES} pushes to ${recipients} recipients each by ${CHANNEL}`,
    figures: [
      {
        name: 'rate of the last push : first',
        value: (last / first) * 100,
        unit: 'percent',
        goal: { atLeast: LAST_OF_FIRST_LEAST_PERCENT },
        note: `deliveries a second: ${rates.map((rate) => rate.toFixed(0)).join(', ')}`,
      },
      { name: 'first push, deliveries', value: first, unit: 'perSecond' },
      { name: 'last push, deliveries', value: last, unit: 'perSecond' },
      {
        name: 'maximum memory of the worker',
        value: mebibytes(workerBytes),
        unit: 'mebibytes',
        goal: { atMost: WORKER_MEMORY_MOST_MIB },
      },
      ...costFigures(
        sent.map(({ costs }) => costs),
        'delivery',
      ),
    ],
    data: { sent, workerBytes },
  };
}
