import {
  isDeviceToken,
  parseWebPushSubscription,
} from '@tidings/contracts/channels/push-notifications';
import type { DeviceRegistrationBody } from '@tidings/contracts/client-side';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { isTimeZone } from '@tidings/contracts/time-zones';
import type { DeviceAddress, DeviceFacts } from '@tidings/people/devices/devices';
import { notValid } from '../../sdk/valid-body.ts';

type IsPushEndpoint = (endpoint: string) => boolean;

/**
 * Validates a registration beyond its schema. @throws AppError `validation_failed` with all errors
 */
export function readFacts(
  body: DeviceRegistrationBody,
  isPushEndpoint: IsPushEndpoint,
): DeviceFacts {
  const faults: FieldError[] = [];
  const address = readAddress(body, isPushEndpoint, faults);
  const { kind, timeZone, locale } = body;
  if (timeZone != null && !isTimeZone(timeZone))
    faults.push({
      pointer: '/timeZone',
      code: 'invalid_value',
      expected: 'an IANA time zone, e.g. Europe/Berlin',
    });
  if (faults.length > 0) throw notValid(faults);
  return {
    kind,
    address,
    ...(timeZone !== undefined && { timeZone }),
    ...(locale !== undefined && { locale }),
  };
}

function readAddress(
  { kind, subscription, token }: DeviceRegistrationBody,
  isPushEndpoint: IsPushEndpoint,
  faults: FieldError[],
): DeviceAddress | null {
  if (kind !== 'web_push' && subscription != null)
    faults.push({
      pointer: '/subscription',
      code: 'unsupported_type',
      expected: 'only for the kind web_push',
    });
  if (kind !== 'fcm' && token != null)
    faults.push({
      pointer: '/token',
      code: 'unsupported_type',
      expected: 'only for the kind fcm',
    });
  switch (kind) {
    case 'none':
      return null;
    case 'fcm':
      if (token == null)
        faults.push({ pointer: '/token', code: 'required', expected: 'the FCM token of the app' });
      else if (!isDeviceToken(token))
        faults.push({ pointer: '/token', code: 'invalid_value', expected: 'an FCM token' });
      return token == null ? null : { text: token, identity: token };
    case 'web_push':
      return readSubscription(subscription, isPushEndpoint, faults);
  }
}

function readSubscription(
  given: DeviceRegistrationBody['subscription'],
  isPushEndpoint: IsPushEndpoint,
  faults: FieldError[],
): DeviceAddress | null {
  if (given == null) {
    faults.push({
      pointer: '/subscription',
      code: 'required',
      expected: 'the result of PushSubscription.toJSON()',
    });
    return null;
  }
  const subscription = parseWebPushSubscription(JSON.stringify(given));
  if (subscription === null) {
    faults.push({
      pointer: '/subscription',
      code: 'invalid_value',
      expected: 'the result of PushSubscription.toJSON(): endpoint, keys.p256dh and keys.auth',
    });
    return null;
  }
  if (!isPushEndpoint(subscription.endpoint))
    faults.push({
      pointer: '/subscription/endpoint',
      code: 'invalid_value',
      expected: 'a URL of a known push service',
    });
  return { text: JSON.stringify(subscription), identity: subscription.endpoint };
}
