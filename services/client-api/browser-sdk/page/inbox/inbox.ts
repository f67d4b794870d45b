import type { Access } from '../../shared/api.ts';
import type { ReceiptEvent } from '../../shared/worker-notes.ts';
import type { Identity } from '../identity.ts';
import type { Storage } from '../storage.ts';
import { listen } from './listen.ts';
import { createPresenter, type Screen } from './presenter.ts';
import { takeTurns } from './turn.ts';

export type InboxOptions = {
  readonly access: Access;
  readonly storage: Storage;
  readonly identity: Pick<Identity, 'deviceId' | 'person'>;
  readonly screen: Screen;
  readonly onReceipt: (deliveryId: string, event: ReceiptEvent) => void;
  readonly onUnknownDevice: () => void;
  readonly onProblem: (code: string) => void;
};

export interface Inbox {
  /** Another person is here. */
  restart(): void;
}

/** Listens for messages and shows them, while it is this tab's turn and the service knows the device. */
export function startInbox({
  access,
  storage,
  identity,
  screen,
  onReceipt,
  onUnknownDevice,
  onProblem,
}: InboxOptions): Inbox {
  const presenter = createPresenter({ storage, screen, onReceipt, onProblem });
  let isOurTurn = false;
  let listening: AbortController | undefined;
  const stop = (): void => {
    listening?.abort();
    listening = undefined;
  };
  const start = (): void => {
    stop();
    if (!isOurTurn || identity.person().serviceUserId === undefined) return;
    listening = new AbortController();
    const { signal } = listening;
    void listen({
      access,
      deviceId: identity.deviceId(),
      signal,
      free: presenter.free,
      onMessage: (message) => signal.aborted || presenter.offer(message),
      onUnknownDevice,
      onProblem,
    });
  };
  takeTurns(`tidings-show-${access.applicationId}`, {
    take() {
      isOurTurn = true;
      start();
    },
    leave() {
      isOurTurn = false;
      stop();
    },
  });
  return {
    restart() {
      presenter.clear();
      start();
    },
  };
}
