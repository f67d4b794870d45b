import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { act, cancelAfter, checkStops, read, startUntil, untilOver } from './control.ts';
import type { Stop } from '../../oracles/delivery/stops.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';

const SHARES = [0.1, 0.5, 0.9];
/** So close to the end that the campaign may complete first. */
const NEARLY_ALL = 0.97;
const ON_ITS_WAY_MS = 20;

export const campaignsCanceled: DeliveryRow = {
  id: 'D19',
  fault: 'large campaigns canceled after 10, 50 and 90 %, twice, and just before completion',
  brokers: 1,
  // No other load, which would hide how soon it ends.
  isQuiet: true,
  async inject(run) {
    // Slow sends, so that a cancel finds some in flight.
    for (const channel of SENT_CHANNELS)
      run.rig.proxies.providers[channel].proxy.set({ delayMs: ON_ITS_WAY_MS });
    const stops: Stop[] = [];
    await Promise.all(
      SENT_CHANNELS.map(async (channel) => {
        for (const share of SHARES)
          stops.push(await cancelAfter(run, run.pushes.bulk(channel, 1), share));
        await raceTheFinish(run, channel);
      }),
    );
    checkStops(run, stops);
  },
};

/** It must be either canceled or completed. */
async function raceTheFinish(run: DeliveryRun, channel: SentChannel): Promise<void> {
  const started = await startUntil(run, run.pushes.bulk(channel, 1), NEARLY_ALL);
  const answer = await act(started, 'cancel');
  if (answer === 'done') run.canceled.add(started.campaignId);
  await untilOver(run, started);
  const { status } = await read(started);
  const expected = answer === 'done' ? 'canceled' : 'completed';
  if (status !== expected)
    run.violations.push({
      oracle: 'an outcome for everyone',
      what: `a cancel just before completion returned ${answer}, and the campaign is ${status}`,
    });
  run.notes.push(`${channel}, just before completion: ${answer === 'done' ? 'canceled' : answer}`);
}
