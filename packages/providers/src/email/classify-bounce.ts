import type { Bounce } from '@tidings/contracts/push/bounces';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import type { BounceRule } from './bounce-rule.ts';
import { CODE_RULES } from './code-rules.ts';
import { NO_MAILBOX_RULES } from './no-mailbox-rules.ts';
import { OVERRIDING_RULES } from './overriding-rules.ts';
import { readReplyCodes } from './reply-codes.ts';

/** A refusal of a mail server, as its reply or a report says it. */
export type Refusal = {
  /** The reply, the diagnostic of a report, or words that quote one. */
  readonly text: string;
  /** Of a report's own field. The text has it if it is absent or unspecific. */
  readonly status?: string;
  /** The reply to MAIL: it says nothing about a mailbox. */
  readonly isOfSender?: boolean;
};

/** What a name says itself: the address of a block list, and the fault of Exchange’s resolver. */
const TELLING = /spamhaus|spamcop|dnsbl|sorbs|recip(?:ient)?notfound/;

export type ClassifiedBounce = {
  readonly bounce: Bounce;
  /** RFC 3463; empty where there is none. */
  readonly status: string;
  readonly reason: DeliveryReason;
};

/** A text can be a megabyte long. */
const CHARS_READ = 4_000;
/** What the reply was to, as Exim and Postfix say it. */
const OF_SENDER = /\b(?:after|reply to) (?:pipelined )?mail from\b/i;
/** `5.0.0`, which says nothing but that it is permanent. */
const UNSPECIFIC = /^(?:[45]\.0\.0)?$/;
const TOO_BIG = /^[45]\.(?:2\.3|3\.4)$/;
const TOO_BIG_PHRASES = /too large|too big|size/;
/** What names persons, hosts and codes. */
const NAMES =
  /resolver\.\S+|<[^<>\s]*>|https?:\/\/\S+|[^\s<>()[\]"']+@[^\s<>()[\]"',;]+|\[[^\]\s]*\]|\b(?:[a-z\d-]+\.)+[a-z\d-]+\b|\b[45]\d{2}[ -](?:\d\.\d{1,3}\.\d{1,3}\b)?/g;

/**
 * Says what the refusal of a mail server means: at RCPT, in a report, and in a mail that quotes one.
 * Codes come from status fields and from the start of replies alone. Of what contradicts, what does
 * not suppress wins.
 */
export function classifyBounce({ text, status, isOfSender = false }: Refusal): ClassifiedBounce {
  const codes = readReplyCodes(text.slice(0, CHARS_READ));
  const own = status ?? '';
  const code = UNSPECIFIC.test(own) ? codes.status || own : own;
  const words = codes.words
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(NAMES, (name) => TELLING.exec(name)?.[0] ?? ' ')
    .replaceAll(/\s+/g, ' ');
  const isPermanent = !code.startsWith('4') && (codes.reply ?? 500) >= 500;
  const found =
    firstOf(OVERRIDING_RULES, { code, words }) ??
    (isPermanent ? firstOf(NO_MAILBOX_RULES, { code, words }) : undefined) ??
    firstOf(CODE_RULES, { code, words }) ??
    (isPermanent ? { class: 'unknown', phrase: '' } : { class: 'temporary', phrase: '' });
  const isAboutSender = isOfSender || OF_SENDER.test(text.slice(0, CHARS_READ));
  const bounce = {
    class: isAboutSender && found.class === 'no_mailbox' ? ('refused' as const) : found.class,
    evidence: evidenceOf(code === '' ? String(codes.reply ?? '') : code, found.phrase),
  };
  const isTooBig = TOO_BIG.test(code) || TOO_BIG_PHRASES.test(found.phrase);
  return { bounce, status: code, reason: reasonOf(bounce, { isTooBig, isPermanent }) };
}

type Found = Pick<BounceRule, 'class'> & { readonly phrase: string };

function firstOf(
  rules: readonly BounceRule[],
  { code, words }: { readonly code: string; readonly words: string },
): Found | undefined {
  for (const { class: each, codes, phrases } of rules) {
    if (codes !== undefined && !codes.some((known) => isCode(code, known))) continue;
    const phrase = phrases?.find((known) => words.includes(known));
    if (phrases === undefined || phrase !== undefined) return { class: each, phrase: phrase ?? '' };
  }
  return undefined;
}

const isCode = (code: string, known: string): boolean =>
  known.endsWith('.') ? code.startsWith(known) : code === known;

const evidenceOf = (code: string, phrase: string): string =>
  [code, phrase === '' ? '' : `"${phrase}"`].filter((each) => each !== '').join(' ') || 'no code';

function reasonOf(
  bounce: Bounce,
  { isTooBig, isPermanent }: { readonly isTooBig: boolean; readonly isPermanent: boolean },
): DeliveryReason {
  if (bounce.class === 'no_mailbox') return 'invalid_address';
  if (bounce.class === 'mailbox_full' || bounce.class === 'temporary' || !isPermanent)
    return 'provider_unavailable';
  return bounce.class === 'refused' && isTooBig ? 'payload_too_large' : 'provider_rejected';
}
