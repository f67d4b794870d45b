import {
  unknownPlaceholders,
  WARNINGS_MAX,
  type Channel,
  type PushMessage,
  type Warning,
} from '@tidings/contracts';

const CHANNEL_UNTESTED: Warning = {
  code: 'channel_untested',
  pointer: '/channel',
  detail:
    'No test send of this channel has succeeded; it is sent all the same, as the application has it.',
};

/** The warnings of a push, with the one about its channel first where there is cause for it. */
export function withChannelWarning(
  warnings: readonly Warning[],
  isUntested: boolean,
): readonly Warning[] {
  return isUntested ? [CHANNEL_UNTESTED, ...warnings].slice(0, WARNINGS_MAX) : warnings;
}

/** Two braces side by side are in no JSON but in its texts, where they may be escaped. */
const BRACES = /\{\{|\\u007b/i;

/** A warning for each text with a placeholder that nothing fills in; `text` is the request's body. */
export function placeholderWarnings(
  channel: Channel,
  message: PushMessage,
  text: string,
): readonly Warning[] {
  if (!BRACES.test(text)) return [];
  return unknownPlaceholders(channel, message).map((pointer) => ({
    code: 'unknown_placeholder',
    pointer,
    detail: 'This text has a {{…}} that nothing fills in. It is sent as these letters.',
  }));
}
