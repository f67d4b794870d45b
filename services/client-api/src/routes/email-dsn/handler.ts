import { rejectCredentials } from '@tidings/access';
import { readChannelSettings } from '@tidings/accounts/channel-settings';
import { applyDeliveryUpdates } from '@tidings/delivery/delivery-updates';
import { logDeliveryEvent } from '@tidings/delivery/log-delivery-event';
import { findSubscriber, suppressAddress } from '@tidings/people/suppressions';
import { mountRoute } from '@tidings/http/app';
import { createClientAddressReader } from '@tidings/http/client-address';
import { requestValue } from '@tidings/http/request-value';
import { AppError, Counter, isUuid, type AttemptId } from '@tidings/platform';
import { classifyBounce } from '@tidings/providers/email/classify-bounce';
import express, { type Express, type RequestHandler } from 'express';
import { createHash, timingSafeEqual } from 'node:crypto';
import { inCallbackSpan } from '../../callback-span.ts';
import type { ClientApiDependencies } from '../../dependencies.ts';
import { parseReport, type MailReport, type ParsedReport } from './report.ts';

const reportsTotal = new Counter({
  name: 'tidings_mail_reports_total',
  help: 'Returned e-mails by kind: bounce, delay, complaint, other.',
  labelNames: ['kind'] as const,
});

/** The application that the request's credentials belong to. */
const mailApplication = requestValue<string>('mailApplication');

/** Reports contain the headers of the mail, and at most all of it. */
const MAIL_BYTES_MAX = 1024 * 1024;
const DIAGNOSTIC_CHARS_MAX = 300;
/** Bounds the search for addresses: a diagnostic can be a megabyte long. */
const DIAGNOSTIC_CHARS_READ = 2_000;
const MAILBOX_IN_TEXT = /[^\s<>()"'=;,@]{1,254}@[^\s<>()"'=;,]{1,254}/g;

/**
 * `POST /cb/email/dsn`: a raw e-mail that arrived at a return address or from a mailbox provider's
 * feedback loop. The mail server posts it with Basic authentication: the application id and the
 * `bounceSecret` of its EMAIL settings. The delivery is named by the token that worker-email signed
 * into the return address and a header. Without a valid token nothing changes. Wrong secrets are
 * slowed down.
 */
export function mountEmailDsn(app: Express, deps: ClientApiDependencies): void {
  const doorkeeper = {
    wrongKeys: deps.access.wrongKeys,
    clientAddressOf: createClientAddressReader(deps.access.trustedProxies),
  };
  const authenticate: RequestHandler = async (req, res, next) => {
    const { user, password } = readCredentials(req.headers.authorization);
    const applicationId = isUuid(user) ? user.toLowerCase() : null;
    const settings =
      applicationId === null
        ? null
        : await readChannelSettings(deps.db, deps.box, { applicationId, channel: 'EMAIL' });
    if (settings === null || !isSame(password, settings.secrets?.['bounceSecret'])) {
      throw await rejectCredentials({ req, res }, doorkeeper, {
        applicationId,
        detail: 'The credentials are invalid.',
      });
    }
    mailApplication.set(res, settings.applicationId);
    next();
  };
  const receive: RequestHandler = async (req, res) => {
    const { report, tokens, recipients } = await parseReport(
      Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0),
    ).catch((error: unknown) => {
      throw new AppError('validation_failed', 'The body is not an e-mail.', { cause: error });
    });
    const kind =
      report === null
        ? 'none'
        : await apply(deps, {
            applicationId: mailApplication.of(res),
            report,
            tokens,
            recipients,
          });
    reportsTotal.inc({ kind });
    // The same response for every e-mail, so that callers cannot probe. It tells the mail server
    // not to retry.
    res.status(204).end();
  };
  mountRoute(app, '/cb/email/dsn', {
    POST: [authenticate, express.raw({ type: () => true, limit: MAIL_BYTES_MAX }), receive],
  });
}

type Told = { readonly applicationId: string; readonly report: MailReport } & Pick<
  ParsedReport,
  'tokens' | 'recipients'
>;

async function apply(
  { db, links }: ClientApiDependencies,
  { applicationId, report, tokens, recipients }: Told,
): Promise<string> {
  const attempt = tokens.map((token) => links.bounce(token)).find((opened) => opened !== null);
  const recipient = attempt && (await findSubscriber(db.sql, attempt.deliveryId));
  if (attempt === undefined || !recipient || recipient.applicationId !== applicationId)
    return 'unknown_mail';
  // The profile may have a new address by now. Reports name the address that the mail was sent to.
  const { currentEmail } = recipient;
  const address = [...(currentEmail === null ? [] : [currentEmail]), ...recipients].find(
    (candidate) => attempt.isTo(candidate),
  );
  const suppress = async (reason: 'suppressed_bounce' | 'suppressed_complaint'): Promise<void> => {
    if (address !== undefined)
      await suppressAddress(db.sql, { applicationId, channel: 'EMAIL', address, reason });
  };
  return inCallbackSpan(
    { channel: 'EMAIL', deliveryId: attempt.deliveryId, traceparent: recipient.traceparent },
    async (span) => {
      const kind =
        report.type === 'complaint'
          ? await applyComplaint(db, { attempt, report, suppress })
          : await applyBounce(db, { attempt, report, suppress });
      span.set({ 'tidings.outcome': kind });
      return kind;
    },
  );
}

type ReportTold<T extends MailReport['type']> = {
  readonly attempt: AttemptId;
  readonly report: Extract<MailReport, { type: T }>;
  readonly suppress: (reason: 'suppressed_bounce' | 'suppressed_complaint') => Promise<void>;
};

async function applyComplaint(
  db: ClientApiDependencies['db'],
  { attempt, report, suppress }: ReportTold<'complaint'>,
): Promise<string> {
  // Other RFC 5965 feedback types do not express that a person wants no more mail.
  if (report.feedbackType !== 'abuse' && report.feedbackType !== 'opt-out') return 'other_feedback';
  await suppress('suppressed_complaint');
  await applyDeliveryUpdates(db, [{ deliveryId: attempt.deliveryId, outcome: 'complained' }]);
  return 'complaint';
}

async function applyBounce(
  db: ClientApiDependencies['db'],
  { attempt, report, suppress }: ReportTold<'bounce'>,
): Promise<string> {
  if (report.action === 'arrived') return 'arrived';
  const { bounce, status, reason } = classifyBounce({
    text: report.diagnostic,
    status: report.status,
  });
  const providerCode = status === '' ? 'no_status' : status;
  // Servers often repeat the address. It is personal data of the profile, so it is removed here.
  const detail = report.diagnostic
    .slice(0, DIAGNOSTIC_CHARS_READ)
    .replaceAll(MAILBOX_IN_TEXT, '…')
    .replaceAll('\0', '')
    .slice(0, DIAGNOSTIC_CHARS_MAX)
    .toWellFormed();
  // The mail server still tries.
  if (report.action === 'delayed') {
    await logDeliveryEvent(db.sql, {
      deliveryId: attempt.deliveryId,
      event: 'delivery.bounce_delayed',
      providerCode,
      detail,
      bounce,
    });
    return 'soft_bounce';
  }
  // A full mailbox empties, and a refusal is about the sender or the message.
  const isHard = bounce.class === 'no_mailbox';
  if (isHard) await suppress('suppressed_bounce');
  await applyDeliveryUpdates(db, [
    {
      ...attempt,
      outcome: 'bounced',
      reason,
      providerCode,
      providerMessage: detail,
      bounce,
    },
  ]);
  return isHard ? 'hard_bounce' : 'failed_bounce';
}

function readCredentials(header: string | undefined): {
  readonly user: string;
  readonly password: string;
} {
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '') ?? [];
  const [, user = '', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return { user, password };
}

/** Constant-time comparison, through hashes of equal length. */
function isSame(given: string, expected: string | undefined): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return (
    timingSafeEqual(hash(given), hash(expected ?? '')) && expected !== undefined && expected !== ''
  );
}
