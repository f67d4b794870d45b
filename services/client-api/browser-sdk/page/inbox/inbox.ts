import type { Access } from '../../shared/api.ts';
import type { ReceiptEvent } from '../../shared/worker-storage.ts';
import type { Identity } from '../identity.ts';
import type { Storage } from '../storage.ts';
import { listen } from './listen.ts';
import { createPresenter, type Screen } from './presenter.ts';
import { whileActiveTab } from './active-tab.ts';

export type InboxOptions = {
  readonly access: Access;
  readonly storage: Storage;
  readonly identity: Pick<Identity, 'deviceId' | 'person'>;
  readonly screen: Screen;
  readonly onReceipt: (deliveryId: string, event: ReceiptEvent) => void;
  readonly onUnknown: () => void;
  readonly onProblem: (code: string) => void;
};

export interface Inbox {
  /** Call when the user changed. */
  restart(): void;
}

/** Receives and shows messages while this tab is the active one and the device is registered. */
export function startInbox({
  access,
  storage,
  identity,
  screen,
  onReceipt,
  onUnknown,
  onProblem,
}: InboxOptions): Inbox {
  const presenter = createPresenter({ storage, screen, onReceipt, onProblem });
  let isActiveTab = false;
  let listening: AbortController | undefined;
  const stopListening = (): void => {
    listening?.abort();
    listening = undefined;
  };
  const startListening = (): void => {
    stopListening();
    if (!isActiveTab || identity.person().serviceUserId === undefined) return;
    listening = new AbortController();
    const { signal } = listening;
    void listen({
      access,
      deviceId: identity.deviceId(),
      signal,
      free: presenter.free,
      onMessage: (message) => signal.aborted || presenter.show(message),
      onUnknown,
      onProblem,
    });
  };
  whileActiveTab(`tidings-show-${access.applicationId}`, {
    start() {
      isActiveTab = true;
      startListening();
    },
    stop() {
      isActiveTab = false;
      stopListening();
    },
  });
  return {
    restart() {
      presenter.clear();
      startListening();
    },
  };
}
