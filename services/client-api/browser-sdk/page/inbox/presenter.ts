import type { ReceiptEvent } from '../../shared/worker-storage.ts';
import type { Storage } from '../storage.ts';
import { parseMessage, type InboxMessage } from './message.ts';

/** How a message was closed. `failed`: it was never shown. */
export type CloseReason = 'clicked' | 'dismissed' | 'ended' | 'failed';
export type Screen = {
  /**
   * Shows a message. `left` resolves when it is closed; `onShown` is called once it is visible.
   */
  readonly show: (
    message: InboxMessage,
    onShown: () => void,
  ) => { readonly left: Promise<CloseReason>; readonly close: () => void };
};

export type PresenterOptions = {
  readonly storage: Storage;
  readonly screen: Screen;
  readonly onReceipt: (deliveryId: string, event: ReceiptEvent) => void;
  readonly onProblem: (code: string) => void;
};

export interface Presenter {
  /**
   * Shows the message at once, or ignores it: a message queued here would still be here when its
   * lease expires and another device gets it.
   */
  show(value: unknown): void;
  /** Resolves when no message is shown. */
  free(): Promise<unknown> | undefined;
  /** Closes the current message: it was for the previous user. */
  clear(): void;
}

const NAME = 'shown';
const REMEMBERED_MAX = 200;

/**
 * Shows one message at a time, and each message once per browser, even if the service delivers it
 * again.
 */
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
      // The service does not know yet that it was displayed.
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
