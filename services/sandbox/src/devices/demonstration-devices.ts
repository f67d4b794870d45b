import { AppError, type Clock, type Ids, type Logger } from '@tidings/platform';
import type { FaultTable } from '../faults/fault-table.ts';
import type { MessageStore } from '../messages/message-store.ts';
import { signIn } from '../routes/shop/back-end.ts';
import type { ShopConnection } from '../routes/shop/connection.ts';
import type { ReceivedMessage } from '../messages/message.ts';
import type { IssuedSubscription } from '../providers/web-push/issue-subscription.ts';
import { runDevice } from './device.ts';
import { deviceIdOf } from './device-ids.ts';
import { createPushReceipts } from './push-receipts.ts';
import { createSdkClient, type SdkClient } from './sdk-client.ts';

/**
 * How a device is reached: over its own connection, by a web push subscription, or by an FCM token.
 */
export const DEVICE_KINDS = ['none', 'web_push', 'fcm'] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

type NewDevice = {
  readonly customUserId: string;
  readonly kind: DeviceKind;
  /** A device of kind `none` that an earlier sandbox had; default: a new one. */
  readonly deviceId?: string | undefined;
  /** Creates a browser subscription. */
  readonly subscribe: (applicationServerKey: string) => IssuedSubscription;
};

/** Devices of the shop's customers. In memory only; a restarted sandbox has none. */
export interface DemonstrationDevices {
  /**
   * Resolves when the service has registered the device. From then on the device listens for
   * messages, or sends receipts for its pushes.
   * @throws AppError `unavailable`, `conflict`
   */
  add(shop: ShopConnection, device: NewDevice): Promise<{ readonly deviceId: string }>;
  /** Called when a push was stored. */
  arrived(message: ReceivedMessage): void;
  /** Disconnects all devices. */
  close(): Promise<void>;
}

/** Each holds a connection; beyond this the oldest is closed. */
const DEVICES_MAX = 100;

export type DevicesContext = {
  readonly store: MessageStore;
  readonly faults: FaultTable;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly devicesMax?: number;
};

export function createDemonstrationDevices({
  devicesMax = DEVICES_MAX,
  ...ctx
}: DevicesContext): DemonstrationDevices {
  const running = new Map<AbortController, Promise<void>>();

  const start = (customUserId: string, deviceId: string, calls: SdkClient): void => {
    const ending = new AbortController();
    const run = runDevice({ ...ctx, deviceId, customUserId, calls, signal: ending.signal }).finally(
      () => running.delete(ending),
    );
    running.set(ending, run);
    const listening = [...running.keys()].filter(({ signal }) => !signal.aborted);
    if (listening.length > devicesMax) listening[0]?.abort();
  };
  const pushed = createPushReceipts(ctx.logger);
  let isClosed = false;
  return {
    async add(shop, { customUserId, kind, deviceId: known, subscribe }) {
      const calls = createSdkClient(shop);
      const { userToken } = await signIn(shop, customUserId, ctx);
      const { address, ...reach } = await decideReach(kind, {
        calls,
        subscribe,
        token: `phone-${ctx.ids.uuid()}`,
      });
      const deviceId =
        address === undefined ? (known ?? `sandbox-${ctx.ids.uuid()}`) : deviceIdOf(address);
      // Added before the service registers the device, since a push may arrive at once.
      if (address !== undefined) pushed.add(address, calls);
      const { status } = await calls
        .post('devices', { deviceId, kind, ...reach, userToken })
        .catch(notThere);
      if (status === 403)
        throw new AppError(
          'conflict',
          'The service rejects the user token of the sandbox: the secret has changed since the start. Restart the installation.',
        );
      if (status !== 200)
        throw new AppError(
          'unavailable',
          `The device could not be registered: the service returned ${status}.`,
        );
      if (isClosed) throw new AppError('unavailable', 'The sandbox is shutting down.');
      if (address === undefined) start(customUserId, deviceId, calls);
      return { deviceId };
    },
    arrived: (message) => pushed.arrived(message),
    async close() {
      isClosed = true;
      for (const ending of running.keys()) ending.abort();
      await Promise.all([...running.values(), pushed.close()]);
    },
  };
}

type Reach = {
  readonly address?: string;
  readonly subscription?: Pick<IssuedSubscription, 'endpoint' | 'keys'>;
  readonly token?: string;
};

async function decideReach(
  kind: DeviceKind,
  {
    calls,
    subscribe,
    token,
  }: Pick<NewDevice, 'subscribe'> & { readonly calls: SdkClient; readonly token: string },
): Promise<Reach> {
  if (kind === 'none') return {};
  if (kind === 'fcm') return { address: token, token };
  const { body } = await calls.get('config').catch(notThere);
  const { vapidPublicKey } = (body ?? {}) as { readonly vapidPublicKey?: unknown };
  if (typeof vapidPublicKey !== 'string')
    throw new AppError(
      'conflict',
      'No browser can subscribe: the application has no WEB_PUSH settings.',
    );
  const { subscriptionId, endpoint, keys } = subscribe(vapidPublicKey);
  return { address: subscriptionId, subscription: { endpoint, keys } };
}

function notThere(cause: unknown): never {
  throw new AppError(
    'unavailable',
    'The device could not be registered: the service is not running.',
    { cause },
  );
}
