import type { Channel } from '@tidings/contracts/channels/channels';
import {
  FIELD_ERRORS_MAX,
  WARNINGS_MAX,
  type FieldError,
} from '@tidings/contracts/errors/error-codes';
import { UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts/push/links';
import type { PushMessage } from '@tidings/contracts/push/push';
import { isHtmlMessage, type MailMessage } from './is-html.ts';
import { fillUnsubscribeUrl, findUnsubscribePlaces } from './unsubscribe-places.ts';

/** `{{…}}`, or the tag of a block. */
const PLACEHOLDER = /\{\{[^{}]{1,200}\}\}|\{%-? {0,9}block [^{}]{1,200}%\}/;
/**
 * Bounds the work: a message may have millions of values and names of any length. Long names are
 * not repeated in warnings.
 */
const VALUES_MAX = 10_000;
const NAME_CHARS_MAX = 256;

/** Whether the mail shows an unsubscribe link. */
export const hasUnsubscribeLink = (message: MailMessage): boolean =>
  typeof message.body === 'string' &&
  findUnsubscribePlaces(message.body, isHtmlMessage(message)).isShown;

/** Pointers to the texts of a message with an unknown `{{…}}` or a block, which is sent literally. */
export const unknownPlaceholders = (channel: Channel, message: PushMessage): readonly string[] =>
  findTexts(channel, message, { isWanted: (text) => PLACEHOLDER.test(text), max: WARNINGS_MAX });

/** `unsubscribeUrl` in any letter case, or with more beside it. */
const UNSUBSCRIBE = /\{\{[^{}]{0,100}unsubscribeurl[^{}]{0,100}\}\}/i;

/**
 * Faults of a message that is sent as it is written: `{{unsubscribeUrl}}` where nothing fills it in,
 * or where the URL would be broken. The message of a hook is data of another system.
 */
export function unsubscribeFaults(channel: Channel, message: PushMessage): FieldError[] {
  if (channel === 'WEB_HOOK') return [];
  const faults = findTexts(channel, message, {
    isWanted: (text) => UNSUBSCRIBE.test(text),
    max: FIELD_ERRORS_MAX,
  }).map((pointer): FieldError => ({
    pointer,
    code: 'unknown_variable',
    expected: `${UNSUBSCRIBE_PLACEHOLDER} in the body of an e-mail alone`,
  }));
  const { body } = message;
  if (channel !== 'EMAIL' || typeof body !== 'string') return faults;
  return findUnsubscribePlaces(body, isHtmlMessage(message)).brokenAt === null
    ? faults
    : [...faults, { pointer: '/message/body', code: 'unsafe_place', expected: UNSUBSCRIBE_END }];
}

/** What may follow the placeholder. */
export const UNSUBSCRIBE_END = `no letter, digit, slash or value directly behind ${UNSUBSCRIBE_PLACEHOLDER}`;

/** Pointers to the wanted texts of a message, without what is filled in. */
function findTexts(
  channel: Channel,
  message: PushMessage,
  { isWanted, max }: { readonly isWanted: (text: string) => boolean; readonly max: number },
): string[] {
  const found: string[] = [];
  const waiting: { readonly pointer: string; readonly value: unknown }[] = [
    { pointer: '/message', value: message },
  ];
  for (let looked = 0; looked < VALUES_MAX && found.length < max; looked += 1) {
    const next = waiting.pop();
    if (next === undefined) break;
    const { pointer, value } = next;
    if (typeof value === 'string') {
      const isMailBody = channel === 'EMAIL' && pointer === '/message/body';
      const text = isMailBody ? fillUnsubscribeUrl(value, isHtmlMessage(message), ' ') : value;
      if (isWanted(text)) found.push(pointer);
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).slice(0, VALUES_MAX - waiting.length);
      waiting.push(
        ...entries
          .map(([key, child]) => ({
            pointer: toChildPointer(pointer, key),
            value: child as unknown,
          }))
          .toReversed(),
      );
    }
  }
  return found;
}

/** A JSON pointer with one more step (RFC 6901). */
function toChildPointer(pointer: string, key: string): string {
  return key.length > NAME_CHARS_MAX
    ? pointer
    : `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
