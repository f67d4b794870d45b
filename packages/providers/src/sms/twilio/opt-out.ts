import type { OptOutKeyword } from '../callback-provider.ts';

/**
 * Twilio's opt-out and opt-in keywords (twilio.com/docs, "Twilio support for opt-out keywords").
 */
const STOP_WORDS = new Set([
  'STOP',
  'STOPALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'REVOKE',
  'OPTOUT',
]);
const START_WORDS = new Set(['START', 'YES', 'UNSTOP']);
const HELP_WORDS = new Set(['HELP', 'INFO']);

/**
 * The keyword of an inbound message. Uses Twilio's own classification if present, because it covers
 * other languages; else the text itself.
 */
export function parseOptOutKeyword(
  body: string,
  optOutType: string | undefined,
): OptOutKeyword | null {
  const word = (optOutType ?? body).trim().toUpperCase();
  if (STOP_WORDS.has(word)) return 'stop';
  if (START_WORDS.has(word)) return 'start';
  return HELP_WORDS.has(word) ? 'help' : null;
}
