import { grantOf } from '@tidings/access';
import { noteReceiptsEndpoint } from '@tidings/api-spec/endpoints/devices';
import { isInboxChannel } from '@tidings/contracts/channels/channels';
import { isDeviceChannel } from '@tidings/contracts/channels/device-channels';
import type {
  MessageReceipt,
  MessageReceiptsBody,
  ReceiptResult,
} from '@tidings/contracts/client-side';
import { confirmLeases, findOwnDeliveries, type OwnDelivery } from '@tidings/delivery/inbox';
import type { DeliveryUpdate } from '@tidings/delivery/outcome-rules';
import { readDevice } from '@tidings/people/devices/devices';
import type { RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import type { SdkGuard } from '../../sdk/sdk-guard.ts';
import { noSuchDevice } from '../../sdk/no-such-device.ts';
import { bodyReader } from '../../sdk/valid-body.ts';

const readBody = bodyReader<MessageReceiptsBody>(noteReceiptsEndpoint);

const isInbox = ({ channel }: OwnDelivery): boolean => isInboxChannel(channel);
/**
 * Whether devices report about this channel: they show the message themselves, or it is pushed to
 * them.
 */
const isConfirmable = (own: OwnDelivery): boolean => isInbox(own) || isDeviceChannel(own.channel);

/**
 * `POST /sdk/v1/receipts`: what happened to messages of the device's user. Repeats change nothing.
 * Each receipt has its own result, so a rejected one does not affect the others.
 */
export function handleReceipts(
  deps: Pick<ClientApiDependencies, 'db' | 'deliveryUpdates'>,
  { authorizeWithBody, countDevice }: SdkGuard,
): RequestHandler[] {
  const { db, deliveryUpdates } = deps;
  const note: RequestHandler = async (req, res) => {
    const { deviceId, receipts } = readBody(req.body);
    await countDevice(res, deviceId);
    const device = await readDevice(db.sql, {
      applicationId: grantOf(res).applicationId,
      deviceId,
    });
    if (device === null) throw noSuchDevice();
    const own = await findOwnDeliveries(
      db,
      device,
      receipts.map((receipt) => receipt.deliveryId.toLowerCase()),
    );

    const noted = new Map<MessageReceipt, DeliveryUpdate>();
    const confirmed: MessageReceipt[] = [];
    for (const receipt of receipts) {
      const delivery = own.get(receipt.deliveryId.toLowerCase());
      if (delivery === undefined || !isConfirmable(delivery)) continue;
      // For inbox channels, `received` confirms the lease but is no success yet: the message must
      // still be shown.
      if (receipt.event === 'received' && isInbox(delivery)) confirmed.push(receipt);
      else noted.set(receipt, toUpdate(receipt));
    }
    const isNew = await confirmLeases(
      db,
      { userId: device.userId, deviceId },
      confirmed.map(({ deliveryId }) => deliveryId.toLowerCase()),
    );
    const results = noted.size === 0 ? [] : await deliveryUpdates.apply([...noted.values()]);
    const resultOf = new Map([...noted.keys()].map((receipt, index) => [receipt, results[index]]));
    const statusOf = (receipt: MessageReceipt): ReceiptResult['status'] => {
      if (confirmed.includes(receipt))
        return isNew.has(receipt.deliveryId.toLowerCase()) ? 'noted' : 'nothing_new';
      const result = resultOf.get(receipt);
      return result === undefined ? 'not_found' : result === 'changed' ? 'noted' : result;
    };
    res.json({
      results: receipts.map((receipt): ReceiptResult => ({
        deliveryId: receipt.deliveryId,
        event: receipt.event,
        status: statusOf(receipt),
      })),
    });
  };
  return [authorizeWithBody, note];
}

function toUpdate({ deliveryId, event, buttonIndex, at }: MessageReceipt): DeliveryUpdate {
  return {
    deliveryId: deliveryId.toLowerCase(),
    outcome: event === 'received' ? 'delivered' : event,
    ...(at != null && { at }),
    ...(buttonIndex != null && { detail: `button ${buttonIndex}` }),
  };
}
