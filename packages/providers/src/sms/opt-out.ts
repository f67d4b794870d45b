import type { OptOutKeyword } from './callback-provider.ts';

/** The opt-out and opt-in keywords that carriers demand (CTIA, Messaging Principles, 5.1). */
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

/** The keyword that an inbound message consists of. */
export function parseOptOutKeyword(text: string): OptOutKeyword | null {
  const word = text.trim().toUpperCase();
  if (STOP_WORDS.has(word)) return 'stop';
  if (START_WORDS.has(word)) return 'start';
  return HELP_WORDS.has(word) ? 'help' : null;
}
