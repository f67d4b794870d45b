import type { Clock, Logger } from '@tidings/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { withRetries } from '../with-retries.ts';
import { readReportKind, reportMail } from './report-mail.ts';

/** User and password of the SMTP client. */
export type SmtpAccount = { readonly user: string; readonly password: string };

type TakenMail = {
  readonly returnPath: string;
  readonly recipients: readonly string[];
  readonly raw: string;
  readonly account: SmtpAccount;
};

/** Sends bounce reports and complaints, as the mail server of the return address forwards them. */
export interface ReportSender {
  follow(mail: TakenMail): void;
  /** Aborts pending reports; they are lost. */
  close(): void;
}

const REPORTED_AFTER_MS = 1_000;
const REPORT_TIMEOUT_MS = 10_000;

/**
 * @param url endpoint for reports, called with the user and password of the mail's account; empty:
 * no reports
 */
export function createReportSender({
  url,
  clock,
  logger,
}: {
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
}): ReportSender {
  const closing = new AbortController();
  const { signal } = closing;
  const post = async (report: string, { user, password }: SmtpAccount): Promise<void> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'message/rfc822',
        Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      },
      body: report,
      signal: AbortSignal.any([signal, AbortSignal.timeout(REPORT_TIMEOUT_MS)]),
    });
    await answer.body?.cancel();
    if (answer.status >= 500) throw new Error(`the report returned ${answer.status}`);
    if (answer.status >= 400) logger.warn({ status: answer.status }, 'report of a mail rejected');
  };
  return {
    follow({ recipients, account, ...mail }) {
      for (const to of recipients) {
        const kind = readReportKind(to);
        // A mail without a return path is a report itself and gets no report (RFC 3464).
        if (kind === null || url === '' || mail.returnPath === '') continue;
        delay(REPORTED_AFTER_MS, undefined, { signal })
          .then(() => {
            const report = reportMail({ ...mail, kind, to, now: new Date(clock.now()) });
            return withRetries(() => post(report, account), signal);
          })
          .catch((error: unknown) => {
            if (!signal.aborted) logger.warn({ err: error }, 'report of a mail given up');
          });
      }
    },
    close: () => closing.abort(),
  };
}
