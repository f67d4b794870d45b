import { accountsOf, readChannelSettings } from '@tidings/accounts/channel-settings';
import { isE164 } from '@tidings/contracts/channels/addresses';
import { applyStatusUpdate, findDeliveryOwner } from '@tidings/delivery/status-updates';
import { suppressAddress } from '@tidings/people/suppressions';
import { mountRoute } from '@tidings/http/app';
import { Counter, isUuid } from '@tidings/platform';
import { buildCallbackPath } from '@tidings/providers/callback-path';
import type { SmsCallbackProvider } from '@tidings/providers/sms/callback-provider';
import type { Express, RequestHandler } from 'express';
import { inCallbackSpan } from '../../callback-span.ts';
import type { ClientApiDependencies } from '../../dependencies.ts';
import {
  isOfProvider,
  readCallback,
  readCallbackBody,
  wrongSignature,
} from '../../provider-request.ts';

const callbacksTotal = new Counter({
  name: 'tidings_provider_callbacks_total',
  help: 'Provider callbacks about deliveries, by result.',
  labelNames: ['provider', 'result'] as const,
});

const NO_NEWS = { state: undefined, suppression: undefined };

/**
 * `POST /cb/sms/{provider}/status?d=…`: the status of a message. Callbacks may be late, repeated
 * and out of order; a status only moves forward.
 */
export function mountSmsStatus(
  app: Express,
  [name, provider]: readonly [name: string, provider: SmsCallbackProvider],
  deps: ClientApiDependencies,
): void {
  const { db, box, signer } = deps;
  const receive: RequestHandler = async (req, res) => {
    const callback = readCallback(req, provider, deps);
    const { d: signedId } = req.query;
    const attempt = typeof signedId === 'string' ? readAttempt(signer.open(signedId)) : null;
    const owner = attempt && (await findDeliveryOwner(db.sql, attempt.deliveryId));
    const settings =
      owner?.channel === 'SMS'
        ? await readChannelSettings(db, box, { applicationId: owner.applicationId, channel: 'SMS' })
        : null;
    if (
      attempt === null ||
      settings === null ||
      !accountsOf(settings).some(
        (account) => isOfProvider(account, name) && callback.isSigned(account),
      )
    ) {
      callbacksTotal.inc({ provider: name, result: 'refused' });
      throw wrongSignature();
    }

    const { update: told, address, providerCode, providerId } = callback.readStatus();
    const { suppression, ...news } = told ?? NO_NEWS;
    // The number that the message was sent to; the user's current number may differ.
    if (suppression !== undefined && isE164(address))
      await suppressAddress(db.sql, {
        applicationId: settings.applicationId,
        channel: 'SMS',
        address,
        reason: suppression,
      });
    const isChanged =
      news.state !== undefined &&
      (await inCallbackSpan(
        { channel: 'SMS', deliveryId: attempt.deliveryId, traceparent: owner?.traceparent },
        (span) => {
          span.set({ 'tidings.outcome': news.state, 'tidings.provider_code': providerCode });
          return applyStatusUpdate(db, {
            ...attempt,
            ...news,
            providerCode,
            ...(providerId === undefined ? {} : { providerId }),
          });
        },
      ));
    callbacksTotal.inc({ provider: name, result: isChanged ? 'changed' : 'nothing_new' });
    res.status(204).end();
  };
  const path = buildCallbackPath({ channel: 'sms', provider: name, kind: 'status' });
  mountRoute(app, path, { POST: [readCallbackBody, receive] });
}

/** The send attempt that the worker signed into the callback URL. */
function readAttempt(
  parts: readonly string[] | null,
): { readonly deliveryId: string; readonly fence: number } | null {
  const [deliveryId = '', fence = ''] = parts ?? [];
  return isUuid(deliveryId) && /^\d{1,9}$/.test(fence)
    ? { deliveryId, fence: Number(fence) }
    : null;
}
