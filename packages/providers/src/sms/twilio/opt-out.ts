import type { OptOutKeyword } from '../callback-provider.ts';

/** The words by which phones stop and start messages (twilio.com/docs, "Twilio support for opt-out keywords"). */
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

/** What a message asks for: by Twilio's own reading where it says one (words of other languages), else by the word alone. */
export function parseOptOutKeyword(
  body: string,
  optOutType: string | undefined,
): OptOutKeyword | null {
  const word = (optOutType ?? body).trim().toUpperCase();
  if (STOP_WORDS.has(word)) return 'stop';
  if (START_WORDS.has(word)) return 'start';
  return HELP_WORDS.has(word) ? 'help' : null;
}
