import { readSmsSettingsOfAccount, type ChannelSettings } from '@tidings/accounts/channel-settings';
import { isE164 } from '@tidings/contracts';
import { liftSuppression, suppressAddress, type Suppression } from '@tidings/people/suppressions';
import { Counter, mountRoute } from '@tidings/platform';
import type { Express, RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import { formOf, isSignedFor, readForm, wrongSignature } from '../../twilio-request.ts';
import { optOutWordOf } from './opt-out.ts';

const inboundTotal = new Counter({
  name: 'tidings_inbound_sms_total',
  help: 'Messages from phones, by what they asked for.',
  labelNames: ['asked'] as const,
});

/** No answer of ours: to STOP, START and HELP Twilio itself answers, and a second one would be one too many. */
const NO_ANSWER = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

/**
 * `POST /cb/sms/twilio/inbound`: a phone wrote to one of our numbers. STOP ends all messages of the applications that
 * send from it, START lifts that. Saying so again changes nothing.
 */
export function mountSmsInbound(
  app: Express,
  { db, box, publicBaseUrl }: ClientApiDependencies,
): void {
  const receive: RequestHandler = async (req, res) => {
    const form = formOf(req);
    const accounts = await readSmsSettingsOfAccount(db, box, form['AccountSid'] ?? '');
    // Applications may share an account; each holds a token of its own, and who cannot verify does not hear it.
    const verified = accounts.filter((settings) => isSignedFor(settings, req, publicBaseUrl));
    if (verified.length === 0) throw wrongSignature();

    const asked = optOutWordOf(form['Body'] ?? '', form['OptOutType']);
    inboundTotal.inc({ asked: asked ?? 'something_else' });
    const address = form['From'] ?? '';
    for (const { applicationId } of verified.filter((settings) => isSender(settings, form))) {
      const suppression: Suppression = {
        applicationId,
        channel: 'SMS',
        address,
        reason: 'sms_stop',
      };
      if (asked === 'stop' && isE164(address)) await suppressAddress(db.sql, suppression);
      if (asked === 'start') await liftSuppression(db.sql, suppression);
    }
    res.type('text/xml').send(NO_ANSWER);
  };
  mountRoute(app, '/cb/sms/twilio/inbound', { POST: [readForm, receive] });
}

/** Whether the application sends from the number, or from the messaging service, that the phone wrote to. */
function isSender(
  { settings }: ChannelSettings,
  { To, MessagingServiceSid }: Readonly<Record<string, string>>,
): boolean {
  const { from, messagingServiceSid } = settings as {
    readonly from?: string;
    readonly messagingServiceSid?: string;
  };
  return messagingServiceSid ? messagingServiceSid === MessagingServiceSid : from === To;
}
