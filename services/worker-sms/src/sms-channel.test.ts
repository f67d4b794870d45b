import { describe, expect, test } from '@jest/globals';
import { createEgress } from '@tidings/egress';
import { systemIds } from '@tidings/platform';
import type { SmsProvider } from './providers/sms-provider.ts';
import { outgoingSms, TEST_CONFIG } from './providers/twilio/testing/twilio.ts';
import { createSmsChannel } from './sms-channel.ts';

/** A provider that notes what it sends. */
function noting(name: string, findOutcome?: SmsProvider['findOutcome']) {
  const sent: (string | undefined)[] = [];
  const create = (): SmsProvider => ({
    async send({ statusCallback }) {
      sent.push(statusCallback?.split('?')[0]);
      return { status: 'sent', providerCode: name };
    },
    ...(findOutcome !== undefined && { findOutcome }),
  });
  return { create, sent };
}

function channelWith(registry: Parameters<typeof createSmsChannel>[2]) {
  const channel = createSmsChannel(
    TEST_CONFIG,
    { egress: createEgress({ egressAllowedNetworks: [] }), concurrency: 1 },
    registry,
  );
  return { ...channel, [Symbol.asyncDispose]: async () => channel.close?.() };
}
const sms = (settings: Readonly<Record<string, unknown>>) => outgoingSms('', { settings });

describe('the settings of a delivery choose the provider', () => {
  test('by name, with its own callback URL; without a name it is Twilio', async () => {
    const [twilio, other] = [noting('twilio'), noting('other')];
    await using channel = channelWith({ twilio, other });

    expect(await channel.send(sms({}))).toMatchObject({ providerCode: 'twilio' });
    expect(await channel.send(sms({ provider: 'twilio' }))).toMatchObject({
      providerCode: 'twilio',
    });
    expect(await channel.send(sms({ provider: 'other' }))).toMatchObject({ providerCode: 'other' });
    expect(twilio.sent).toEqual(Array(2).fill('https://tidings.example/cb/sms/twilio/status'));
    expect(other.sent).toEqual(['https://tidings.example/cb/sms/other/status']);
  });

  test.each(['later', 'constructor'])(
    '%j, which this version does not have: the delivery waits, and its value is not repeated',
    async (provider) => {
      await using channel = channelWith({ twilio: noting('twilio') });

      const result = await channel.send(sms({ provider }));

      expect(result).toMatchObject({ status: 'configuration', reason: 'provider_rejected' });
      expect(JSON.stringify(result)).not.toContain(provider);
    },
  );
});

test('an unknown outcome is looked for at the provider, and not where there is no polling', async () => {
  const polling = noting('twilio', async () => ({ state: 'delivered', providerId: 'SM1' }));
  await using channel = channelWith({ twilio: polling, other: noting('other') });
  const find = (settings: Readonly<Record<string, unknown>>) =>
    channel.outcomePoller?.find(
      {
        ...sms(settings),
        profile: {},
        testAddress: null,
        account: null,
        createdAt: 0,
        unknownSince: 0,
        rivals: 0,
        deliveryId: systemIds.uuid(),
      },
      async () => new Set<string>(),
    );

  expect(await find({})).toEqual({ state: 'delivered', providerId: 'SM1' });
  expect(await find({ provider: 'other' })).toBeNull();
});
