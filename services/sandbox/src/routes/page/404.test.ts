import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test.each(['/nothing', '/index.html', '/../package.json', '/%2e%2e/package.json', '/api/nothing'])(
  '%s is not found',
  async (path) => {
    await using sandbox = await startTestSandbox();

    const response = await sandbox.request('GET', path);

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  },
);
