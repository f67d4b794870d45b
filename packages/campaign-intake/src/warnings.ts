import type { Channel } from '@tidings/contracts/channels/channels';
import { WARNINGS_MAX, type Warning } from '@tidings/contracts/errors/error-codes';
import type { PushMessage } from '@tidings/contracts/push/push';
import { unknownPlaceholders } from '@tidings/mail-body/placeholders';

const CHANNEL_UNTESTED: Warning = {
  code: 'channel_untested',
  pointer: '/channel',
  detail:
    'No test send on this channel has succeeded yet. The campaign is sent anyway, with the current settings.',
};

/** The warnings of a push. The channel warning comes first, if there is one. */
export function withChannelWarning(
  warnings: readonly Warning[],
  isUntested: boolean,
): readonly Warning[] {
  return isUntested ? [CHANNEL_UNTESTED, ...warnings].slice(0, WARNINGS_MAX) : warnings;
}

/** In JSON these occur only in strings, where braces may be escaped. */
const BRACES = /\{[{%]|\\u007b/i;

/** Whether a text of the request may have a placeholder. `text` is its body. */
export const mayHoldBraces = (text: string): boolean => BRACES.test(text);

/** A warning for each text with an unknown placeholder. `text` is the request body. */
export function placeholderWarnings(
  channel: Channel,
  message: PushMessage,
  text: string,
): readonly Warning[] {
  if (!mayHoldBraces(text)) return [];
  return unknownPlaceholders(channel, message).map((pointer) => ({
    code: 'unknown_placeholder',
    pointer,
    detail:
      'This text contains an unknown {{…}} placeholder, or a block. It is sent literally. Send "personalize": true to fill in values, or a template to use blocks.',
  }));
}
