import { decodeBase64Url } from '../shared/base64.ts';
import { writeSettings, type WorkerSettings } from '../shared/worker-storage.ts';
import type {
  TidingsPush,
  TidingsPushResult,
  TidingsPushState,
  TidingsResult,
} from '../tidings.d.ts';
import type { PushTarget } from './identity.ts';

export type PushOptions = {
  readonly serviceWorker: string;
  readonly settings: () => WorkerSettings;
  /** The application's VAPID public key; undefined if web push is not configured. */
  readonly vapidPublicKey: () => Promise<string | undefined>;
  readonly register: (target: PushTarget) => Promise<TidingsResult>;
};

export interface PushClient extends TidingsPush {
  /** The current push subscription. */
  target(): Promise<PushTarget>;
  /** Subscribes again after a key change, without a prompt. */
  renew(): Promise<void>;
}

const isSupported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

export function createPush({
  serviceWorker,
  settings,
  vapidPublicKey,
  register,
}: PushOptions): PushClient {
  const find = async (): Promise<PushSubscription | null> => {
    const registration = isSupported()
      ? await navigator.serviceWorker.getRegistration()
      : undefined;
    return (await registration?.pushManager.getSubscription()) ?? null;
  };
  const state = async (): Promise<TidingsPushState> => {
    if (!isSupported()) return 'unsupported';
    if (Notification.permission !== 'granted') return Notification.permission;
    return (await find()) === null ? 'unsubscribed' : 'subscribed';
  };
  /** Returns errors as a result, with the push state. */
  const attempt = async (work: () => Promise<TidingsResult>): Promise<TidingsPushResult> => {
    const result = await work().catch((error: unknown) => ({ ok: false, reason: String(error) }));
    return { ...result, state: await state() };
  };

  /** Subscribes with the application's current key. A subscription belongs to one key. */
  async function move(): Promise<TidingsResult> {
    const key = await vapidPublicKey();
    if (key === undefined) return refused('channel_not_configured');
    await writeSettings({ ...settings(), vapidPublicKey: key });
    const { pushManager } = await readyRegistration(serviceWorker);
    const before = await pushManager.getSubscription();
    if (before !== null && hasKey(before, key)) return register(toTarget(before));
    await before?.unsubscribe();
    return register(
      toTarget(
        await pushManager.subscribe({
          userVisibleOnly: true,
          applicationServerKey: decodeBase64Url(key),
        }),
      ),
    );
  }

  return {
    state,
    subscribe: () =>
      attempt(async () => {
        if (!isSupported()) return refused('unsupported');
        // Before any await: browsers only prompt right after a user gesture.
        const permission = await Notification.requestPermission();
        return permission === 'granted' ? move() : refused(permission);
      }),
    unsubscribe: () =>
      attempt(async () => {
        await (await find())?.unsubscribe();
        return register({ kind: 'none' });
      }),
    async target() {
      const subscription = await find();
      return subscription === null ? { kind: 'none' } : toTarget(subscription);
    },
    async renew() {
      if ((await state()) === 'subscribed') await attempt(move);
    },
  };
}

const refused = (reason: string): TidingsResult => ({ ok: false, reason });

/** The page's existing worker. A page without one gets `serviceWorker`. */
async function readyRegistration(serviceWorker: string): Promise<ServiceWorkerRegistration> {
  const existing =
    (await navigator.serviceWorker.getRegistration()) ??
    (await navigator.serviceWorker.register(serviceWorker));
  return existing.active === null ? navigator.serviceWorker.ready : existing;
}

const toTarget = (subscription: PushSubscription): PushTarget => ({
  kind: 'web_push',
  subscription: subscription.toJSON(),
});

function hasKey({ options }: PushSubscription, key: string): boolean {
  // Some browsers do not expose the key.
  return (
    options?.applicationServerKey == null ||
    String(new Uint8Array(options.applicationServerKey)) === String(decodeBase64Url(key))
  );
}
