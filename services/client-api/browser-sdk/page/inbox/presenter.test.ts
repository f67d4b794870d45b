import { expect, test } from '@jest/globals';
import { openStorage } from '../storage.ts';
import { createPresenter, type Leaving } from './presenter.ts';

/** A screen whose messages leave when the test says so. */
function start(storage = openStorage('a:', undefined)) {
  const receipts: string[] = [];
  const problems: string[] = [];
  const onScreen: { readonly id: string; readonly display: () => void; readonly leave: (leaving: Leaving) => void }[] = [];
  const presenter = createPresenter({
    storage,
    screen: {
      show(message, onDisplayed) {
        let leave: (leaving: Leaving) => void = () => {};
        const left = new Promise<Leaving>((resolve) => (leave = resolve));
        onScreen.push({ id: message.deliveryId, display: onDisplayed, leave });
        return { left, close: () => leave('ended') };
      },
    },
    onReceipt: (deliveryId, event) => receipts.push(`${deliveryId} ${event}`),
    onProblem: (code) => problems.push(code),
  });
  presenter.resume();
  return { presenter, receipts, problems, onScreen, shown: () => onScreen.map(({ id }) => id) };
}
const offered = (deliveryId: string) => ({ deliveryId, body: 'Hello' });
const settle = () => new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(() => resolve())));

test('one message at a time, each with its receipts', async () => {
  const { presenter, onScreen, receipts, shown } = start();
  presenter.offer(offered('one'));
  presenter.offer(offered('two'));
  expect(shown()).toEqual(['one']);

  onScreen[0]?.display();
  onScreen[0]?.leave('dismissed');
  await settle();

  expect(shown()).toEqual(['one', 'two']);
  expect(receipts).toEqual(['one displayed', 'one dismissed']);
});

test('a message that is offered again, while it waits, is shown, or was shown, comes once', async () => {
  const storage = openStorage('a:', undefined);
  const { presenter, onScreen, receipts, shown } = start(storage);
  for (const id of ['one', 'one', 'two', 'two']) presenter.offer(offered(id));
  onScreen[0]?.display();
  onScreen[0]?.leave('ended');
  await settle();
  presenter.offer(offered('one'));
  onScreen[1]?.display();
  onScreen[1]?.leave('ended');
  await settle();

  const later = start(storage);
  later.presenter.offer(offered('two'));

  expect(shown()).toEqual(['one', 'two']);
  // Its receipt was lost, or it would not have come.
  expect([receipts.filter((receipt) => receipt === 'one displayed').length, later.shown(), later.receipts]).toEqual([2, [], ['two displayed']]);
});

test('a message that the page could not show is none that was shown', async () => {
  const { presenter, onScreen, receipts, problems, shown } = start();
  presenter.offer(offered('one'));
  onScreen[0]?.leave('failed');
  await settle();
  presenter.offer(offered('one'));

  expect([shown(), problems, receipts]).toEqual([['one', 'one'], ['frame_blocked'], []]);
});

test('a resting tab shows nothing, and what waited is left to another', () => {
  const { presenter, shown } = start();
  presenter.rest();
  presenter.offer(offered('one'));
  presenter.resume();
  presenter.offer(offered('two'));

  expect(shown()).toEqual(['one']);
});

test.each([null, 7, 'text', {}, { deliveryId: 'd' }, { deliveryId: 'd', body: '' }, { body: 'x' }])('what is no message is left alone: %j', (value) => {
  const { presenter, shown } = start();

  presenter.offer(value);

  expect(shown()).toEqual([]);
});
