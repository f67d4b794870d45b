import { FRAME_VERSION } from '../frame/contract.ts';
import { call, type Access } from '../shared/api.ts';
import { textField } from '../shared/json.ts';
import {
  deleteReceipts,
  readReceipts,
  writeSettings,
  type Receipt,
} from '../shared/worker-storage.ts';
import type {
  TidingsAttributes,
  TidingsEventName,
  TidingsOptions,
  TidingsPush,
  TidingsResult,
  TidingsUserFields,
} from '../tidings.d.ts';
import { createIdentity } from './identity.ts';
import { nextTime, randomId } from './ids.ts';
import { createScreen } from './inbox/card.ts';
import { startInbox } from './inbox/inbox.ts';
import { openAddress } from './navigate.ts';
import { createOutbox, type Message } from './outbox.ts';
import { createPush } from './push.ts';
import { createSender } from './sender.ts';
import { openStorage } from './storage.ts';

/** The SDK after initialisation. */
export interface Client {
  readonly push: TidingsPush;
  start(): Promise<TidingsResult>;
  identify(userToken: string): Promise<TidingsResult>;
  logout(): Promise<TidingsResult>;
  setUser(fields: TidingsUserFields): void;
  track(event: TidingsEventName, attributes?: TidingsAttributes): void;
  revenue(event: TidingsEventName, amount: number, currency: string): void;
}

const SERVICE_WORKER = '/tidings-sw.js';

export function createClient(options: TidingsOptions & { readonly baseUrl: string }): Client {
  const access: Access = {
    baseUrl: options.baseUrl,
    applicationId: options.applicationId,
    clientKey: options.clientKey,
  };
  const onProblem = (code: string, detail?: string): void => options.onProblem?.({ code, detail });
  const storage = openStorage(`tidings:${access.applicationId}:`);
  const outbox = createOutbox(storage);
  const identity = createIdentity({
    access,
    storage,
    onChange: () => {
      inbox?.restart();
      sender?.wake();
    },
  });
  const sender = createSender({
    access,
    outbox,
    deviceId: identity.deviceId,
    person: identity.person,
    onProblem,
  });
  const addMessage = (type: Message['type'], fields: object): void => {
    const time = nextTime(storage);
    outbox.add(time, {
      person: identity.person(),
      message: { type, id: randomId(), time, ...fields },
    });
    sender.wake();
  };
  const addReceipt = (receipt: Receipt): void => {
    outbox.add(receipt.at, { receipt });
    sender.wake();
  };
  const vapidPublicKey = async (): Promise<string | undefined> => {
    const answer = await call(access, '/sdk/v1/config', { method: 'GET' });
    return answer.status === 'ok' ? textField(answer.body, 'vapidPublicKey') : undefined;
  };
  const settings = () => ({ ...access, deviceId: identity.deviceId() });
  const push = createPush({
    serviceWorker: options.serviceWorker ?? SERVICE_WORKER,
    settings,
    vapidPublicKey,
    register: identity.register,
  });
  const register = async (isForgotten = false): Promise<TidingsResult> =>
    identity.register(await push.target(), isForgotten);
  const inbox =
    options.showMessages === false
      ? undefined
      : startInbox({
          access,
          storage,
          identity,
          onReceipt: (deliveryId, event) => addReceipt({ deliveryId, event, at: Date.now() }),
          onUnknown: () => void register(true),
          onProblem,
          screen: createScreen({
            frameUrl: `${access.baseUrl}/sdk/v1/frame.html?${FRAME_VERSION}`,
            closeLabel: options.closeLabel ?? 'Close',
            onClick(href, isNewWindow) {
              sender.onExit();
              openAddress(href, isNewWindow);
            },
          }),
        });

  const onLeave = (): void => void (document.hidden && sender.onExit());
  document.addEventListener('visibilitychange', onLeave);
  addEventListener('pagehide', sender.onExit);

  return {
    push,
    async start() {
      sender.wake();
      await writeSettings(settings());
      // Receipts that the service worker could not send while offline.
      const kept = await readReceipts();
      kept.forEach(addReceipt);
      await deleteReceipts(kept);
      const result = await register();
      await push.renew();
      return result;
    },
    identify: identity.identify,
    logout: identity.logout,
    setUser: (fields) => addMessage('user', fields),
    track: (event, attributes) => addMessage('action', { ...nameOf(event), attributes }),
    revenue: (event, amount, currency) =>
      addMessage('revenue', { ...nameOf(event), revenue: amount, currency }),
  };
}

const nameOf = (event: TidingsEventName) =>
  typeof event === 'string' ? { customName: event } : { name: event.slug };
