/** @slow */

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { effectsOf } from '@tidings/channel-worker/testing/error-effects';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import { eventually } from '@tidings/testing';
import type { ProviderError, Provocation } from './provider-error.ts';
import {
  createSubject,
  readSubject,
  sendSubject,
  startErrorRig,
  TIMEOUT_MS,
  type ErrorRig,
  type ProviderChannel,
} from './rig.ts';
import { PROVIDER_ERRORS } from './rows/index.ts';
import { asText, type TableRow } from './table.ts';

/** Maximum time of a provider callback on a busy machine. */
const UPDATED_WITHIN_MS = 20_000;
/** States that a later status update sets. */
const UPDATED_STATES: readonly (DeliveryState | undefined)[] = ['delivered', 'expired'];

let rig: ErrorRig;
const seen: TableRow[] = [];

beforeAll(async () => {
  rig = await startErrorRig();
}, 60_000);
afterEach(() => rig.call('DELETE', '/api/faults'));
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
  if (process.env['SHOW_PROVIDER_ERRORS']) process.stderr.write(`\n${asText(seen)}\n`);
});

async function provoke(
  { channel, provocation }: ProviderError,
  address: string | null,
): Promise<void> {
  if ('fault' in provocation)
    await rig.call('POST', '/api/faults', { channel, rate: 1, ...provocation.fault });
  if ('isGone' in provocation)
    await rig.call(
      'DELETE',
      channel === 'APP_PUSH'
        ? `/push/tokens/${address}`
        : `/push/subscriptions/${(JSON.parse(address ?? '{}') as { subscriptionId: string }).subscriptionId}`,
    );
}

const settingsOf = (provocation: Provocation) => ({
  ...('settings' in provocation && { settings: provocation.settings }),
  isUnreachable: 'isUnreachable' in provocation,
});

test.each(
  PROVIDER_ERRORS.map(
    (error) => [error.channel, error.provider ?? 'default', error.signal, error] as const,
  ),
)(
  '%s (%s): %s',
  async (name, _provider, signal, error) => {
    const channel = name as ProviderChannel;
    const { effect, provider } = error;
    const subject = await createSubject(rig, channel, {
      ...settingsOf(error.provocation),
      ...(provider !== undefined && { provider }),
    });
    await provoke(error, subject.address);

    const { result, begunAt } = await sendSubject(rig, channel, subject);
    const isReportedLater = result.status === 'sent' || UPDATED_STATES.includes(effect.delivery);
    const read = await eventually(
      async () => {
        const now = await readSubject(rig.db, channel, subject);
        if (isReportedLater && now.delivery !== effect.delivery)
          throw new Error(`it is ${now.delivery}, and not told yet`);
        return now;
      },
      { timeoutMs: UPDATED_WITHIN_MS },
    );

    const { dueAt, readAt, delivery, ...rest } = read;
    const observed = {
      status: result.status,
      delivery,
      inTheEnd: isReportedLater ? delivery : effectsOf(channel, result).last,
      ...rest,
    };
    const { waitSeconds, ...expected } = effect;
    expect(observed).toEqual(expected);
    expect(result.isUnmapped ?? false).toBe(false);
    const [from, to] = waitSeconds ?? [-Infinity, Infinity];
    expect((dueAt - begunAt) / 1_000).toBeGreaterThanOrEqual(from);
    expect((dueAt - readAt) / 1_000).toBeLessThanOrEqual(to);
    seen.push({
      channel: name,
      ...(provider !== undefined && { provider }),
      signal,
      effect: {
        ...expected,
        ...observed,
        ...(waitSeconds && { waitSeconds }),
      } as TableRow['effect'],
    });
  },
  TIMEOUT_MS + 2 * UPDATED_WITHIN_MS,
);
