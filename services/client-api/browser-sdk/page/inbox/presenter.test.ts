import { expect, test } from '@jest/globals';
import { openStorage } from '../storage.ts';
import { createPresenter, type CloseReason } from './presenter.ts';

/** A screen whose messages are closed by the test. */
function start(storage = openStorage('a:', undefined)) {
  const receipts: string[] = [];
  const problems: string[] = [];
  const onScreen: {
    readonly id: string;
    readonly display: () => void;
    readonly leave: (leaving: CloseReason) => void;
  }[] = [];
  const presenter = createPresenter({
    storage,
    screen: {
      show(message, onShown) {
        let leave: (leaving: CloseReason) => void = () => {};
        const left = new Promise<CloseReason>((resolve) => (leave = resolve));
        onScreen.push({ id: message.deliveryId, display: onShown, leave });
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
  presenter.show(offered('one'));
  onScreen[0]?.display();
  onScreen[0]?.leave('dismissed');
  await presenter.free();
  presenter.show(offered('two'));

  expect(shown()).toEqual(['one', 'two']);
  expect(receipts).toEqual(['one displayed', 'one dismissed']);
});

test('a message that arrives while another is open is not queued, and can be delivered again', async () => {
  const { presenter, onScreen, shown } = start();
  let isFree = false;
  presenter.show(offered('one'));
  presenter.show(offered('two'));
  void presenter.free()?.then(() => (isFree = true));
  onScreen[0]?.display();
  await settle();
  expect(isFree).toBe(false);

  onScreen[0]?.leave('ended');
  await settle();
  expect([isFree, presenter.free(), shown()]).toEqual([true, undefined, ['one']]);

  presenter.show(offered('two'));
  expect(shown()).toEqual(['one', 'two']);
});

test('a message that is delivered again, during or after its display, is shown once', async () => {
  const storage = openStorage('a:', undefined);
  const { presenter, onScreen, receipts, shown } = start(storage);
  presenter.show(offered('one'));
  onScreen[0]?.display();
  presenter.show(offered('one'));
  onScreen[0]?.leave('ended');
  await settle();
  presenter.show(offered('one'));
  presenter.show(offered('two'));
  onScreen[1]?.display();
  onScreen[1]?.leave('ended');
  await settle();

  const later = start(storage);
  later.presenter.show(offered('two'));

  expect(shown()).toEqual(['one', 'two']);
  // Its receipt was lost: otherwise the service would not deliver it again.
  expect([
    receipts.filter((receipt) => receipt === 'one displayed').length,
    later.shown(),
    later.receipts,
  ]).toEqual([2, [], ['two displayed']]);
});

test('a message that could not be shown does not count as shown', async () => {
  const { presenter, onScreen, receipts, problems, shown } = start();
  presenter.show(offered('one'));
  onScreen[0]?.leave('failed');
  await settle();
  presenter.show(offered('one'));

  expect([shown(), problems, receipts]).toEqual([['one', 'one'], ['frame_blocked'], []]);
});

test('a message of another user is closed', async () => {
  const { presenter, receipts, shown } = start();
  presenter.show(offered('one'));
  presenter.clear();
  await presenter.free();
  presenter.show(offered('two'));

  expect([shown(), receipts]).toEqual([['one', 'two'], []]);
});

test.each([null, 7, 'text', {}, { deliveryId: 'd' }, { deliveryId: 'd', body: '' }, { body: 'x' }])(
  'an invalid message is ignored: %j',
  (value) => {
    const { presenter, shown } = start();

    presenter.show(value);

    expect(shown()).toEqual([]);
  },
);
