import { afterAll, expect, test } from '@jest/globals';
import { callSdk, createSdkApplication, createTestDevice } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi({ inbox: { subscribersMax: 0 } });
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each(['messages', 'messages/stream'])(
  '%s: 400, 404 and 503, readable by pages',
  async (path) => {
    const own = await createSdkApplication(api.db);
    const { deviceId } = await createTestDevice(api.db, own);
    const ask = async (query: string) => {
      const { status, problem } = await callSdk(api, `${path}${query}`, { headers: own.headers });
      return [status, problem.code, problem.errors?.[0]?.pointer];
    };

    expect(await ask('')).toEqual([400, 'validation_failed', '/deviceId']);
    expect(await ask('?deviceId=')).toEqual([400, 'validation_failed', '/deviceId']);
    expect(await ask('?deviceId=a%00b')).toEqual([400, 'validation_failed', '/deviceId']);
    expect(await ask(`?deviceId=${'x'.repeat(129)}`)).toEqual([
      400,
      'validation_failed',
      '/deviceId',
    ]);
    expect(await ask(`?deviceId=${deviceId}&channel=SMS`)).toEqual([
      400,
      'validation_failed',
      '/channel',
    ]);
    for (const limit of ['0', '11', '1.5', ''])
      expect(await ask(`?deviceId=${deviceId}&limit=${limit}`)).toEqual([
        400,
        'validation_failed',
        '/limit',
      ]);
    expect(await ask('?deviceId=unheard-of')).toEqual([404, 'not_found', undefined]);
    expect(await ask(`?deviceId=${deviceId}`)).toEqual([503, 'unavailable', undefined]);
  },
);
