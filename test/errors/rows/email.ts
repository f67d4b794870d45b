import {
  ambiguous,
  failing,
  invalid,
  limited,
  misconfigured,
  rejected,
  type Effect,
  type ProviderError,
} from '../provider-error.ts';

/** Replies to RCPT TO, before the mail. */
const recipient = (reply: string, effect: Effect): ProviderError => ({
  channel: 'EMAIL',
  signal: reply,
  provocation: { fault: { kind: 'reject', ...readCodes(reply) } },
  effect,
});
/** Replies after the mail. */
const content = (reply: string, effect: Effect): ProviderError => ({
  channel: 'EMAIL',
  signal: `${reply}, after DATA`,
  provocation: { fault: { kind: 'status', ...readCodes(reply) } },
  effect,
});
const readCodes = (reply: string) => ({
  status: Number(reply.slice(0, 3)),
  code: reply.split(' ')[1],
});

const WAIT = [0, 60] as const;
const GREYLISTED = [300, 330] as const;

/** SMTP: server replies (RFC 5321, RFC 3463), and connection failures. */
export const EMAIL_ERRORS: readonly ProviderError[] = [
  ...['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1'].map((code) =>
    recipient(`550 ${code} no such mailbox`, invalid('invalid_address', 'suppressed')),
  ),
  recipient('552 5.2.2 mailbox full', failing(WAIT)),
  recipient('452 4.2.2 mailbox full', failing(WAIT)),
  recipient('450 4.2.0 greylisted', failing(GREYLISTED)),
  recipient('451 4.2.0 greylisted', failing(GREYLISTED)),
  content('452 4.3.1 disk full', failing(WAIT)),
  recipient('550 5.0.0 refused', rejected()),
  content('552 5.3.4 too big', rejected('payload_too_large')),
  content('554 5.6.3 conversion', rejected()),
  content('554 5.7.1 spam', rejected()),
  content('535 5.7.8 wrong credentials', misconfigured('provider_auth')),
  content('530 5.7.0 authenticate first', misconfigured('provider_auth')),
  content('550 5.7.26 DMARC', misconfigured('provider_auth')),
  content('550 5.7.27 SPF', misconfigured('provider_auth')),
  recipient('421 4.3.2 try later', limited()),
  recipient('450 4.7.28 too many', limited()),
  {
    channel: 'EMAIL',
    signal: 'connection refused',
    provocation: { isUnreachable: true },
    effect: failing(WAIT),
  },
  {
    channel: 'EMAIL',
    signal: 'no TLS where TLS is due',
    provocation: { settings: { security: 'tls' } },
    effect: failing(WAIT),
  },
  {
    channel: 'EMAIL',
    signal: 'connection lost before the mail',
    provocation: { fault: { kind: 'reset' } },
    effect: failing(WAIT),
  },
  {
    channel: 'EMAIL',
    signal: 'connection lost after the final dot',
    provocation: { fault: { kind: 'drop_reply' } },
    effect: ambiguous,
  },
];
