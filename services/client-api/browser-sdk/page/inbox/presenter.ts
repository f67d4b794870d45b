import type { ReceiptEvent } from '../../shared/worker-notes.ts';
import type { Storage } from '../storage.ts';
import { parseMessage, type InboxMessage } from './message.ts';

/** How a message left the screen; `failed`: it never was there. */
export type Leaving = 'clicked' | 'dismissed' | 'ended' | 'failed';
export type Screen = {
  /** Puts it there; resolves when it has left. `onDisplayed`: it can be seen now. */
  readonly show: (message: InboxMessage, onDisplayed: () => void) => { readonly left: Promise<Leaving>; readonly close: () => void };
};

export type PresenterOptions = {
  readonly storage: Storage;
  readonly screen: Screen;
  readonly onReceipt: (deliveryId: string, event: ReceiptEvent) => void;
  readonly onProblem: (code: string) => void;
};

export interface Presenter {
  offer(value: unknown): void;
  /** Nothing new comes to the screen until `resume`; what is there stays. */
  rest(): void;
  resume(): void;
  /** They were somebody else's. */
  clear(): void;
}

const NAME = 'shown';
const REMEMBERED_MAX = 200;

/** Shows one message after the other, each once in this browser, whatever is offered again. */
export function createPresenter({ storage, screen, onReceipt, onProblem }: PresenterOptions): Presenter {
  let waiting: InboxMessage[] = [];
  let current: { readonly deliveryId: string; readonly close: () => void } | undefined;
  let isResting = true;
  const shown = (): string[] => (storage.get(NAME) ?? '').split(' ').filter((id) => id !== '');
  const remember = (deliveryId: string): void => storage.set(NAME, [...shown(), deliveryId].slice(-REMEMBERED_MAX).join(' '));

  function next(): void {
    if (isResting || current !== undefined) return;
    const message = waiting.shift();
    if (message === undefined) return;
    const { deliveryId } = message;
    // Another tab may have shown it while it waited here.
    if (shown().includes(deliveryId)) return next();
    const { left, close } = screen.show(message, () => {
      remember(deliveryId);
      onReceipt(deliveryId, 'displayed');
    });
    current = { deliveryId, close };
    void left.then((leaving) => {
      current = undefined;
      if (leaving === 'clicked' || leaving === 'dismissed') onReceipt(deliveryId, leaving);
      if (leaving === 'failed') onProblem('frame_blocked');
      next();
    });
  }

  return {
    offer(value) {
      const message = parseMessage(value);
      if (message === undefined) return;
      const { deliveryId } = message;
      if (current?.deliveryId === deliveryId || waiting.some((other) => other.deliveryId === deliveryId)) return;
      // The service has not heard of it yet.
      if (shown().includes(deliveryId)) onReceipt(deliveryId, 'displayed');
      else waiting.push(message);
      next();
    },
    rest() {
      isResting = true;
      waiting = [];
    },
    resume() {
      isResting = false;
    },
    clear() {
      waiting = [];
      current?.close();
    },
  };
}
