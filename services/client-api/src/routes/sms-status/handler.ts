import { readChannelSettings } from '@tidings/accounts/channel-settings';
import { isE164, twilioNews } from '@tidings/contracts';
import { applyProviderNews, findDeliveryOwner } from '@tidings/delivery/provider-news';
import { suppressAddress } from '@tidings/people/suppressions';
import { Counter, isUuid, mountRoute } from '@tidings/platform';
import type { Express, RequestHandler } from 'express';
import { inCallbackSpan } from '../../callback-span.ts';
import type { ClientApiDependencies } from '../../dependencies.ts';
import { formOf, isSignedFor, readForm, wrongSignature } from '../../twilio-request.ts';

const callbacksTotal = new Counter({
  name: 'tidings_provider_callbacks_total',
  help: 'Callbacks of providers about deliveries, by what they changed.',
  labelNames: ['provider', 'result'] as const,
});

const NO_NEWS = { state: undefined, suppression: undefined };
const MESSAGE_SID = /^[A-Za-z0-9]{1,64}$/;

/**
 * `POST /cb/sms/twilio/status?d=…`: what became of a message. Late, repeated and out of order are the rule: each says
 * where the message is by now, and an outcome only moves on.
 */
export function mountSmsStatus(app: Express, deps: ClientApiDependencies): void {
  const { db, box, signer, publicBaseUrl } = deps;
  const receive: RequestHandler = async (req, res) => {
    const { d: signedId } = req.query;
    const attempt = typeof signedId === 'string' ? attemptOf(signer.open(signedId)) : null;
    const owner = attempt && (await findDeliveryOwner(db.sql, attempt.deliveryId));
    const settings =
      owner?.channel === 'SMS'
        ? await readChannelSettings(db, box, { applicationId: owner.applicationId, channel: 'SMS' })
        : null;
    if (attempt === null || settings === null || !isSignedFor(settings, req, publicBaseUrl)) {
      callbacksTotal.inc({ provider: 'twilio', result: 'refused' });
      throw wrongSignature();
    }

    const {
      MessageStatus: status = '',
      MessageSid: sid = '',
      ErrorCode: errorCode,
      To: to = '',
    } = formOf(req);
    const code = errorCode !== undefined && /^\d{1,6}$/.test(errorCode) ? Number(errorCode) : null;
    const { suppression, ...news } = twilioNews(status, code) ?? NO_NEWS;
    // The number that the message went to, whatever the user's is by now.
    if (suppression !== undefined && isE164(to))
      await suppressAddress(db.sql, {
        applicationId: settings.applicationId,
        channel: 'SMS',
        address: to,
        reason: suppression,
      });
    const isChanged =
      news.state !== undefined &&
      (await inCallbackSpan(
        { channel: 'SMS', deliveryId: attempt.deliveryId, traceparent: owner?.traceparent },
        (span) => {
          const providerCode = String(code ?? status);
          span.set({ 'tidings.outcome': news.state, 'tidings.provider_code': providerCode });
          return applyProviderNews(db, {
            ...attempt,
            ...news,
            providerCode,
            ...(MESSAGE_SID.test(sid) ? { providerId: sid } : {}),
          });
        },
      ));
    callbacksTotal.inc({ provider: 'twilio', result: isChanged ? 'changed' : 'nothing_new' });
    res.status(204).end();
  };
  mountRoute(app, '/cb/sms/twilio/status', { POST: [readForm, receive] });
}

/** The attempt that the worker signed into the address. */
function attemptOf(
  parts: readonly string[] | null,
): { readonly deliveryId: string; readonly fence: number } | null {
  const [deliveryId = '', fence = ''] = parts ?? [];
  return isUuid(deliveryId) && /^\d{1,9}$/.test(fence)
    ? { deliveryId, fence: Number(fence) }
    : null;
}
