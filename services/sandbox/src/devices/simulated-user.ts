import { isInboxChannel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { LINK_PATHS } from '@tidings/contracts/push/links';
import { AppError } from '@tidings/platform';
import type { StoredMessage } from '../messages/message.ts';
import type { ShopConnection } from '../routes/shop/connection.ts';
import { deviceIdOf, pushAddressOf } from './device-ids.ts';
import { createSdkClient } from './sdk-client.ts';

/**
 * What a user does with a message: open an e-mail and follow its links; see, click and dismiss any
 * other message.
 */
export const USER_ACTIONS = ['opened', 'displayed', 'clicked', 'dismissed'] as const;
export type ActionName = (typeof USER_ACTIONS)[number];

/** `choice`: index (from 0) of the clicked link of an e-mail, or button of a notification. */
export type UserAction = { readonly action: ActionName; readonly choice?: number };
/** Target of the click; null if there is none. */
export type ActionResult = { readonly leadsTo: string | null };

const CALL_TIMEOUT_MS = 15_000;
/** Headers of a desktop mail program. */
const HEADERS = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0',
};

/**
 * Performs an action on a received message as its reader would: requests the open pixel or a link
 * of an e-mail, or sends a device receipt.
 * @throws AppError `validation_failed` if the message does not support the action; `conflict` if
 * the device is not registered
 */
export function performAction(
  message: StoredMessage,
  userAction: UserAction,
  shop: ShopConnection,
): Promise<ActionResult> {
  const { channel } = message;
  if (channel === 'EMAIL') return readMail(message, userAction, shop);
  const isShownOnDevice =
    isInboxChannel(channel) || CHANNEL_DESCRIPTORS[channel].address.kind === 'device';
  if (isShownOnDevice) return sendReceipt(message, userAction, shop);
  throw actionNotPossible(message, userAction);
}

async function readMail(
  message: StoredMessage,
  userAction: UserAction,
  { baseUrl }: ShopConnection,
): Promise<ActionResult> {
  const { action, choice = 0 } = userAction;
  if (action !== 'opened' && action !== 'clicked') throw actionNotPossible(message, userAction);
  // Only links and the pixel that the service added; an e-mail may contain third-party links and
  // images.
  const url = findLinks(
    message,
    `${baseUrl}${action === 'opened' ? LINK_PATHS.open : LINK_PATHS.click}/`,
  )[action === 'opened' ? 0 : choice];
  if (url === undefined) throw actionNotPossible(message, userAction);
  const answer = await fetch(url, {
    redirect: 'manual',
    headers: HEADERS,
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  }).catch(serviceUnavailable);
  await answer.body?.cancel();
  if (answer.status >= 400)
    throw new AppError(
      'conflict',
      `The service returned ${answer.status}: the action was not counted.`,
    );
  return { leadsTo: answer.headers.get('location') };
}

/** Tokens consist of letters, digits and `.~_-`, so any other character ends the link. */
function findLinks({ data }: StoredMessage, prefix: string): readonly string[] {
  const { html } = data;
  const [, ...rests] = typeof html === 'string' ? html.split(prefix) : [];
  return rests.map((rest) => `${prefix}${/^[\w.~-]*/.exec(rest)?.[0] ?? ''}`);
}

async function sendReceipt(
  message: StoredMessage,
  userAction: UserAction,
  shop: ShopConnection,
): Promise<ActionResult> {
  const { action, choice } = userAction;
  if (action === 'opened' || message.deliveryId === null)
    throw actionNotPossible(message, userAction);
  const { data, to, deliveryId } = message;
  const deviceId =
    typeof data['deviceId'] === 'string' ? data['deviceId'] : deviceIdOf(pushAddressOf(to));
  const receipt = {
    deliveryId,
    event: action,
    ...(action === 'clicked' && choice !== undefined && { buttonIndex: choice }),
  };
  const { status, body } = await createSdkClient(shop)
    .post('receipts', { deviceId, receipts: [receipt] })
    .catch(serviceUnavailable);
  const [result] =
    (body as { readonly results?: readonly { readonly status: string }[] } | undefined)?.results ??
    [];
  if (status === 404 || result?.status === 'not_found')
    throw new AppError(
      'conflict',
      'The device is not registered for this recipient. Only devices created with POST /api/devices can send receipts.',
    );
  if (status >= 400)
    throw new AppError(
      'unavailable',
      `The service returned ${status}: the action was not counted.`,
    );
  return { leadsTo: action === 'clicked' ? clickTarget(message, choice) : null };
}

/** The target of the clicked button, or of the notification itself. */
function clickTarget({ channel, data }: StoredMessage, choice: number | undefined): string | null {
  const shown = (channel === 'WEB_PUSH' ? data['notification'] : data['data']) as
    | { readonly url?: unknown; readonly buttons?: unknown }
    | undefined;
  const buttons: unknown =
    typeof shown?.buttons === 'string' ? JSON.parse(shown.buttons) : shown?.buttons;
  const button =
    choice === undefined || !Array.isArray(buttons)
      ? undefined
      : (buttons[choice] as { readonly link?: unknown } | undefined);
  const target = button?.link ?? shown?.url;
  return typeof target === 'string' ? target : null;
}

function actionNotPossible({ channel }: StoredMessage, { action, choice }: UserAction): AppError {
  const what =
    choice === undefined
      ? `${channel} messages do not report ${action}`
      : `this ${channel} message has no such link or button`;
  return new AppError('validation_failed', `The action is not possible: ${what}.`, {
    errors: [{ pointer: '/action', code: 'invalid_value' }],
  });
}

function serviceUnavailable(cause: unknown): never {
  throw new AppError('unavailable', 'The service is not running.', { cause });
}
