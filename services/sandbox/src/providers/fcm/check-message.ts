import {
  APP_PUSH_PAYLOAD_BYTES_MAX,
  isDeviceToken,
} from '@tidings/contracts/channels/push-notifications';
import { BAD_TOKEN, invalidField, TOO_BIG, type FcmRejection } from './rejections.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an FCM v1 message that the sandbox reads. */
export type FcmMessage = {
  readonly token: string;
  readonly notification: Fields;
  readonly data: Readonly<Record<string, string>>;
  readonly android: Fields;
  readonly apns: Fields;
};

const RESERVED_KEY = /^(from|message_type|gcm$|gcm\.|google\.)/;
const DURATION = /^(\d{1,12})(\.\d{1,9})?s$/;
const TTL_SECONDS_MAX = 2_419_200;
const APNS_COLLAPSE_BYTES_MAX = 64;

/** The message of a request, or the rejection that FCM would return. */
export function readFcmMessage(body: unknown): FcmMessage | FcmRejection {
  const given = asObject(asObject(body)['message']);
  const { token } = given;
  if (typeof token !== 'string' || token === '')
    return invalidField('message', 'Recipient of the message is not set.');
  if (!isDeviceToken(token)) return BAD_TOKEN;
  const [notification, data, android, apns] = [
    given['notification'],
    given['data'],
    given['android'],
    given['apns'],
  ].map(asObject) as [Fields, Fields, Fields, Fields];
  const message = {
    token,
    notification,
    data: data as Readonly<Record<string, string>>,
    android,
    apns,
  };
  return findRejection(message) ?? message;
}

function findRejection({
  notification,
  data,
  android,
  apns,
}: FcmMessage): FcmRejection | undefined {
  for (const [key, value] of Object.entries(data)) {
    if (typeof value !== 'string') return invalidField(`message.data[${key}]`, 'must be a string');
    if (RESERVED_KEY.test(key))
      return invalidField('message.data', `Invalid data payload key: ${key}`);
  }
  const { ttl } = android;
  if (ttl !== undefined && !(Number(DURATION.exec(asText(ttl))?.[1]) <= TTL_SECONDS_MAX))
    return invalidField('message.android.ttl', 'must be a duration of 28 days at most');
  const collapseId = asObject(apns['headers'])['apns-collapse-id'];
  if (collapseId !== undefined && Buffer.byteLength(asText(collapseId)) > APNS_COLLAPSE_BYTES_MAX)
    return invalidField('message.apns.headers', 'apns-collapse-id must be 64 bytes or less');
  if (Buffer.byteLength(JSON.stringify({ notification, data })) > APP_PUSH_PAYLOAD_BYTES_MAX)
    return TOO_BIG;
  return undefined;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
const asObject = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
