import { expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { startWebhookReceiver } from './webhook-receiver.ts';

test('it answers what it holds when it is released, and what comes later at once', async () => {
  const receiver = await startWebhookReceiver();
  const send = async (id: string): Promise<number> => {
    const body = JSON.stringify({ id, type: 'message.sent', data: { deliveryId: id } });
    return (await fetch(receiver.url, { method: 'POST', body })).status;
  };
  const release = receiver.hold();
  const answers = [send('a'), send('b')];
  await eventually(() => expect(receiver.received.size).toBe(2));

  expect(receiver.unanswered).toBe(2);
  release();

  expect(await Promise.all([...answers, send('c')])).toEqual([204, 204, 204]);
  await eventually(() => expect(receiver.unanswered).toBe(0));
  await receiver.close();
});
