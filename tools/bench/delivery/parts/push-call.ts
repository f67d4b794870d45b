import { join } from 'node:path';
import { startChild } from '../../child/start-child.ts';
import type { PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import { BODY, type DeliveryBench } from '../context.ts';
import type { PushCallPlan, PushCallResult } from '../push-calls.ts';

const TIMES_PLAIN_LEAST = 1.5;

/**
 * CPU per push of the worker's code, up to the request, compared with the web-push package; in
 * alternating rounds.
 */
export async function measurePushCall({ sizes }: DeliveryBench): Promise<PartReport> {
  const child = startChild<PushCallPlan, PushCallResult>(
    join(import.meta.dirname, '..', 'push-calls.ts'),
  );
  try {
    const { rounds } = await child.ask({
      rounds: sizes.rounds,
      calls: sizes.encrypted,
      body: BODY,
    });
    const ratios = rounds.map(
      ({ oursMicroseconds, plainMicroseconds }) => plainMicroseconds / oursMicroseconds,
    );
    return {
      title: `${sizes.encrypted} web pushes, built and encrypted`,
      figures: [
        {
          name: 'of the web-push package, per CPU second',
          value: median(ratios),
          unit: 'ratio',
          goal: { atLeast: TIMES_PLAIN_LEAST },
          note: `rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
        },
        {
          name: 'CPU of our call',
          value: median(rounds.map(({ oursMicroseconds }) => oursMicroseconds)),
          unit: 'microseconds',
          note: 'signed once per push service',
        },
        {
          name: 'CPU of web-push',
          value: median(rounds.map(({ plainMicroseconds }) => plainMicroseconds)),
          unit: 'microseconds',
          note: 'generateRequestDetails, signed once per push service',
        },
      ],
      data: { rounds },
    };
  } finally {
    child.stop();
  }
}
