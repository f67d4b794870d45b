import { expect, test } from '@jest/globals';
import { act } from '../../testing/act.ts';
import { CONNECTION, connectShop } from '../../testing/shop-connection.ts';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test.each([
  [{ act: 'eaten' }, '/act'],
  [{ act: 'clicked', choice: -1 }, '/choice'],
  [{ act: 'clicked', to: '' }, '/to'],
])('%j is no act', async (deed, pointer) => {
  await using sandbox = await startTestSandbox();

  expect(await act(sandbox, deed)).toMatchObject({
    status: 400,
    body: { errors: [expect.objectContaining({ pointer })] },
  });
});

test.each([
  ['opened', undefined],
  ['clicked', undefined],
  ['clicked', 1],
  ['dismissed', undefined],
])('a mail of which the service can be told nothing is not %s (%j)', async (name, choice) => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);
  // What leads elsewhere is not fetched: nothing listens there.
  await sandbox.send({
    ...campaignMail('ada@example.com', 'c1', 'd1'),
    html: `<a href="https://elsewhere.example/t/c/x">x</a>${name === 'clicked' ? '' : CONNECTION.baseUrl}`,
  });

  expect(await act(sandbox, { act: name, ...(choice !== undefined && { choice }) })).toMatchObject({
    status: 400,
    body: { errors: [expect.objectContaining({ pointer: '/act' })] },
  });
});
