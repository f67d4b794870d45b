import { AppError, type Clock, type Ids, type Logger } from '@tidings/platform';
import type { FaultTable } from '../faults/fault-table.ts';
import type { MessageStore } from '../messages/message-store.ts';
import { signIn } from '../routes/shop/back-end.ts';
import type { ShopConnection } from '../routes/shop/connection.ts';
import { runDevice } from './device.ts';
import { sdkCallsOf, type SdkCalls } from './sdk-calls.ts';

/** Devices of the shop's customers. In memory only: a restarted sandbox has none. */
export interface DemonstrationDevices {
  /** Resolves when the service knows the device; it listens from then on. @throws AppError `unavailable` */
  add(shop: ShopConnection, customUserId: string): Promise<{ readonly deviceId: string }>;
  /** Ends all of them. */
  close(): Promise<void>;
}

/** Each holds a connection; beyond this the oldest ends. */
const DEVICES_MAX = 100;

export type DevicesContext = { readonly store: MessageStore; readonly faults: FaultTable; readonly logger: Logger; readonly clock: Clock; readonly ids: Ids; readonly devicesMax?: number };

export function createDemonstrationDevices({ devicesMax = DEVICES_MAX, ...ctx }: DevicesContext): DemonstrationDevices {
  const running = new Map<AbortController, Promise<void>>();

  const start = (customUserId: string, deviceId: string, calls: SdkCalls): void => {
    const ending = new AbortController();
    const run = runDevice({ ...ctx, deviceId, customUserId, calls, signal: ending.signal }).finally(() => running.delete(ending));
    running.set(ending, run);
    const listening = [...running.keys()].filter(({ signal }) => !signal.aborted);
    if (listening.length > devicesMax) listening[0]?.abort();
  };
  let isClosed = false;
  return {
    async add(shop, customUserId) {
      const deviceId = `sandbox-${ctx.ids.uuid()}`;
      const calls = sdkCallsOf(shop);
      const { userToken } = await signIn(shop, customUserId, ctx);
      const { status } = await calls.post('devices', { deviceId, kind: 'none', userToken }).catch((cause: unknown) => {
        throw new AppError('unavailable', 'The device could not be registered: the service is not there.', { cause });
      });
      if (status !== 200) throw new AppError('unavailable', `The device could not be registered: the service answered ${status}.`);
      if (isClosed) throw new AppError('unavailable', 'The sandbox is ending.');
      start(customUserId, deviceId, calls);
      return { deviceId };
    },
    async close() {
      isClosed = true;
      for (const ending of running.keys()) ending.abort();
      await Promise.all(running.values());
    },
  };
}
