import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import { signWebhook, type HttpRequest } from '@tidings/egress';
import { stringifyExactJson } from '@tidings/platform';

/** The settings of an application's WEB_HOOK channel. */
type HookSettings = { readonly url?: string };
type HookMessage = {
  readonly body: unknown;
  readonly title?: string;
  readonly url?: string;
  readonly method?: 'POST' | 'PUT' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly customContent?: unknown;
};

export type Hook = Pick<HttpRequest, 'method' | 'url' | 'headers'> & { readonly body: string };

/** RFC 9110, 5.1 and 5.5, without non-ASCII bytes, which receivers decode differently. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** Headers of the connection, or set by us. */
const OUR_HEADERS =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|content-type|user-agent|webhook-.*)$/i;

/**
 * Builds the signed request of one delivery, or the result if it is invalid. `nowMs` is the time of
 * this attempt.
 */
export function buildHook(delivery: OutgoingDelivery, nowMs: number): Hook | SendResult {
  const { deliveryId, campaignId, customUserId, serviceUserId, secrets } = delivery;
  const message = delivery.message as HookMessage;
  const url = message.url ?? (delivery.settings as HookSettings).url;
  if (url === undefined)
    return refused('no_url', 'neither the message nor the settings have a url');
  const headers = Object.entries(message.headers ?? {});
  if (
    headers.some(([name, value]) => !HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) ||
    !HEADER_VALUE.test(message.contentType ?? '')
  ) {
    return refused('invalid_header', 'a header of the message cannot be sent');
  }
  const live = [secrets['secret'], secrets['previousSecret']].filter(
    (secret) => secret !== undefined,
  );
  if (live.length === 0)
    return {
      status: 'configuration',
      reason: 'provider_auth',
      providerCode: 'no_secret',
      providerMessage: 'the settings have no secret',
    };
  const body = stringifyExactJson({
    campaignId,
    deliveryId,
    channel: 'WEB_HOOK',
    recipient: { customUserId, serviceUserId },
    title: message.title ?? null,
    body: message.body,
    customContent: message.customContent ?? null,
    sentAt: nowMs,
  });
  return {
    method: message.method ?? 'POST',
    url,
    headers: {
      ...Object.fromEntries(headers.filter(([name]) => !OUR_HEADERS.test(name))),
      'Content-Type': message.contentType ?? 'application/json',
      'User-Agent': 'Tidings/1',
      ...signWebhook(live, { id: deliveryId, timestampSeconds: Math.floor(nowMs / 1000), body }),
    },
    body,
  };
}

function refused(providerCode: string, providerMessage: string): SendResult {
  return { status: 'permanent', reason: 'provider_rejected', providerCode, providerMessage };
}
