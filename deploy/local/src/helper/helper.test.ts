import { afterEach, expect, test } from '@jest/globals';
import { startHelper, type Helper } from './helper.ts';

const helpers: Helper[] = [];
afterEach(async () => {
  for (const helper of helpers.splice(0)) await helper.end();
});

function start(signal?: AbortSignal): Helper {
  const helper = startHelper({ env: { PATH: process.env['PATH'] }, signal });
  helpers.push(helper);
  return helper;
}

test('a task has its result, and one that fails its message', async () => {
  const helper = start();

  const { oneProcess } = await helper.run('readServiceTables', undefined);

  expect(oneProcess.services.map(({ name }) => name)).toEqual(['tidings', 'sandbox']);
  await expect(helper.run('ensureCertificate', '/nowhere/certificate.json')).rejects.toThrow(
    /ENOENT.*\/nowhere\/certificate\.json/,
  );
});

test('when the start is aborted, its tasks are too', async () => {
  const stopping = new AbortController();
  const helper = start(stopping.signal);
  const running = helper.run('readServiceTables', undefined);

  stopping.abort();

  await expect(running).rejects.toThrow('the helper of the start ended');
});

test('after its end it takes no task', async () => {
  const helper = start();

  await helper.end();

  await expect(helper.run('readOutgoingCalls', undefined)).rejects.toThrow('has ended');
});
