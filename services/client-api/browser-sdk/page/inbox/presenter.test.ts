import { expect, test } from '@jest/globals';
import { openStorage } from '../storage.ts';
import { createPresenter, type Leaving } from './presenter.ts';

/** A screen whose messages leave when the test says so. */
function start(storage = openStorage('a:', undefined)) {
  const receipts: string[] = [];
  const problems: string[] = [];
  const onScreen: {
    readonly id: string;
    readonly display: () => void;
    readonly leave: (leaving: Leaving) => void;
  }[] = [];
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
  return { presenter, receipts, problems, onScreen, shown: () => onScreen.map(({ id }) => id) };
}
const offered = (deliveryId: string) => ({ deliveryId, body: 'Hello' });
const settle = () =>
  new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(() => resolve())));

test('one message at a time, each with its receipts', async () => {
  const { presenter, onScreen, receipts, shown } = start();
  presenter.offer(offered('one'));
  onScreen[0]?.display();
  onScreen[0]?.leave('dismissed');
  await presenter.free();
  presenter.offer(offered('two'));

  expect(shown()).toEqual(['one', 'two']);
  expect(receipts).toEqual(['one displayed', 'one dismissed']);
});

test('what comes beside an open message is not held, and may be offered again', async () => {
  const { presenter, onScreen, shown } = start();
  let isFree = false;
  presenter.offer(offered('one'));
  presenter.offer(offered('two'));
  void presenter.free()?.then(() => (isFree = true));
  onScreen[0]?.display();
  await settle();
  expect(isFree).toBe(false);

  onScreen[0]?.leave('ended');
  await settle();
  expect([isFree, presenter.free(), shown()]).toEqual([true, undefined, ['one']]);

  presenter.offer(offered('two'));
  expect(shown()).toEqual(['one', 'two']);
});

test('a message that is offered again, while it is shown or when it was, comes once', async () => {
  const storage = openStorage('a:', undefined);
  const { presenter, onScreen, receipts, shown } = start(storage);
  presenter.offer(offered('one'));
  onScreen[0]?.display();
  presenter.offer(offered('one'));
  onScreen[0]?.leave('ended');
  await settle();
  presenter.offer(offered('one'));
  presenter.offer(offered('two'));
  onScreen[1]?.display();
  onScreen[1]?.leave('ended');
  await settle();

  const later = start(storage);
  later.presenter.offer(offered('two'));

  expect(shown()).toEqual(['one', 'two']);
  // Its receipt was lost, or it would not have come.
  expect([
    receipts.filter((receipt) => receipt === 'one displayed').length,
    later.shown(),
    later.receipts,
  ]).toEqual([2, [], ['two displayed']]);
});

test('a message that the page could not show is none that was shown', async () => {
  const { presenter, onScreen, receipts, problems, shown } = start();
  presenter.offer(offered('one'));
  onScreen[0]?.leave('failed');
  await settle();
  presenter.offer(offered('one'));

  expect([shown(), problems, receipts]).toEqual([['one', 'one'], ['frame_blocked'], []]);
});

test('another person’s message leaves the screen', async () => {
  const { presenter, receipts, shown } = start();
  presenter.offer(offered('one'));
  presenter.clear();
  await presenter.free();
  presenter.offer(offered('two'));

  expect([shown(), receipts]).toEqual([['one', 'two'], []]);
});

test.each([null, 7, 'text', {}, { deliveryId: 'd' }, { deliveryId: 'd', body: '' }, { body: 'x' }])(
  'what is no message is left alone: %j',
  (value) => {
    const { presenter, shown } = start();

    presenter.offer(value);

    expect(shown()).toEqual([]);
  },
);
