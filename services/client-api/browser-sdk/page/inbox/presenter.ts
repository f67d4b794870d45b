import type { ReceiptEvent } from '../../shared/worker-storage.ts';
import type { Storage } from '../storage.ts';
import { parseMessage, type InboxMessage } from './message.ts';

/** How a message left the screen; `failed`: it never was there. */
export type CloseReason = 'clicked' | 'dismissed' | 'ended' | 'failed';
export type Screen = {
  /** Puts it there; resolves when it has left. `onDisplayed`: it can be seen now. */
  readonly show: (
    message: InboxMessage,
    onDisplayed: () => void,
  ) => { readonly left: Promise<CloseReason>; readonly close: () => void };
};

export type PresenterOptions = {
  readonly storage: Storage;
  readonly screen: Screen;
  readonly onReceipt: (deliveryId: string, event: ReceiptEvent) => void;
  readonly onProblem: (code: string) => void;
};

export interface Presenter {
  /** Shows it at once or leaves it: what waited here would still be here when the service offers it to another device. */
  show(value: unknown): void;
  /** Resolves when the screen is free. */
  free(): Promise<unknown> | undefined;
  /** What is there was somebody else's. */
  clear(): void;
}

const NAME = 'shown';
const REMEMBERED_MAX = 200;

/** Shows one message at a time, each once in this browser, whatever is offered again. */
export function createPresenter({
  storage,
  screen,
  onReceipt,
  onProblem,
}: PresenterOptions): Presenter {
  let current: ReturnType<Screen['show']> | undefined;
  const shown = (): string[] => (storage.get(NAME) ?? '').split(' ').filter((id) => id !== '');
  const remember = (deliveryId: string): void =>
    storage.set(NAME, [...shown(), deliveryId].slice(-REMEMBERED_MAX).join(' '));

  return {
    show(value) {
      const message = parseMessage(value);
      if (message === undefined || current !== undefined) return;
      const { deliveryId } = message;
      // The service has not heard of it yet.
      if (shown().includes(deliveryId)) return onReceipt(deliveryId, 'displayed');
      current = screen.show(message, () => {
        remember(deliveryId);
        onReceipt(deliveryId, 'displayed');
      });
      void current.left.then((leaving) => {
        current = undefined;
        if (leaving === 'clicked' || leaving === 'dismissed') onReceipt(deliveryId, leaving);
        if (leaving === 'failed') onProblem('frame_blocked');
      });
    },
    free: () => current?.left,
    clear: () => current?.close(),
  };
}
