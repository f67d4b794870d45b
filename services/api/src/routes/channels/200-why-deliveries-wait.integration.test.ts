import { describe, expect, test } from '@jest/globals';
import { pauseChannel } from '@tidings/delivery/channel-pauses';
import { recordOpenBreaker } from '@tidings/channel-breakers/open-breakers';
import { EMAIL_SETTINGS } from '../../testing/email-settings.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { get, put, sendTest } from '../../testing/email-channel.ts';

describe('GET channels/{channel} returns why deliveries wait', () => {
  const pause = ({ db, tenant: { applicationId } }: TestApi, version: number) =>
    pauseChannel(db.sql, {
      applicationId,
      channel: 'EMAIL',
      version,
      reason: 'provider_auth',
      providerCode: '535 5.7.8',
      providerMessage: '535 Bad credentials',
    });
  const shownPause = {
    reason: 'provider_auth',
    providerCode: '535 5.7.8',
    providerMessage: '535 Bad credentials',
    pausedAt: expect.any(Number),
  };

  test('rejected settings, until they are replaced', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);
    await pause(api, 1);
    expect((await get(api)).body).toMatchObject({ status: 'untested', pause: shownPause });

    expect((await put(api, EMAIL_SETTINGS)).body).not.toHaveProperty('pause');

    expect((await get(api)).body).not.toHaveProperty('pause');
  });

  test('until a test send succeeds; a failed one changes nothing', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);
    await pause(api, 1);

    await sendTest(api, { state: 'failed', reason: 'provider_auth' });
    expect((await get(api)).body).toMatchObject({ pause: shownPause });
    await sendTest(api, { state: 'sent' });

    expect((await get(api)).body).not.toHaveProperty('pause');
  });

  test('an open breaker, as reported by workers for these settings', async () => {
    await using api = await startTestApi();
    const { applicationId } = api.tenant;
    await put(api, EMAIL_SETTINGS);
    expect((await get(api)).body).not.toHaveProperty('breaker');
    for (const owner of ['one', 'two']) {
      await recordOpenBreaker(api.db.sql, {
        applicationId,
        channel: 'EMAIL',
        receiver: '',
        owner,
        version: 1,
        cause: 'failures',
        probeInMs: 30_000,
      });
    }

    expect((await get(api)).body).toMatchObject({
      breaker: {
        cause: 'failures',
        openedAt: expect.any(Number),
        probeAt: expect.any(Number),
        workers: 2,
      },
    });
    expect((await put(api, EMAIL_SETTINGS)).body).not.toHaveProperty('breaker');
  });
});
