import { accountsOf, listSmsSettingsWith } from '@tidings/accounts/channel-settings';
import { isE164 } from '@tidings/contracts/channels/addresses';
import { unsuppressAddress, suppressAddress, type Suppression } from '@tidings/people/suppressions';
import { mountRoute } from '@tidings/http/app';
import { Counter } from '@tidings/platform';
import { buildCallbackPath } from '@tidings/providers/callback-path';
import type { SmsCallbackProvider } from '@tidings/providers/sms/callback-provider';
import type { Express, RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import {
  isOfProvider,
  readCallback,
  readCallbackBody,
  wrongSignature,
} from '../../provider-request.ts';

const inboundTotal = new Counter({
  name: 'tidings_inbound_sms_total',
  help: 'Inbound SMS, by request: stop, start or something else.',
  labelNames: ['asked'] as const,
});

/**
 * `POST /cb/sms/{provider}/inbound`: a person replied to one of our numbers. STOP suppresses SMS
 * from the applications that use the number; START removes that. Repeats change nothing.
 */
export function mountSmsInbound(
  app: Express,
  [name, provider]: readonly [name: string, provider: SmsCallbackProvider],
  deps: ClientApiDependencies,
): void {
  const { db, box } = deps;
  const receive: RequestHandler = async (req, res) => {
    const callback = readCallback(req, provider, deps);
    const accounts = (await listSmsSettingsWith(db, box, callback.account)).flatMap((settings) =>
      accountsOf(settings).map((account) => ({
        ...account,
        applicationId: settings.applicationId,
      })),
    );
    // Applications may share an account, each with its own secret. Only those whose secret verifies
    // the signature get the message.
    const verified = accounts.filter(
      (account) => isOfProvider(account, name) && callback.isSigned(account),
    );
    if (verified.length === 0) throw wrongSignature();

    const { keyword, address, isSender } = callback.readInbound();
    inboundTotal.inc({ asked: keyword ?? 'something_else' });
    for (const { applicationId } of verified.filter(({ settings }) => isSender(settings))) {
      const suppression: Suppression = {
        applicationId,
        channel: 'SMS',
        address,
        reason: 'sms_stop',
      };
      if (keyword === 'stop' && isE164(address)) await suppressAddress(db.sql, suppression);
      if (keyword === 'start') await unsuppressAddress(db.sql, suppression);
    }
    res.type(provider.inboundAnswer.type).send(provider.inboundAnswer.body);
  };
  const path = buildCallbackPath({ channel: 'sms', provider: name, kind: 'inbound' });
  mountRoute(app, path, { POST: [readCallbackBody, receive] });
}
