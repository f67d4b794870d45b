import {
  unknownPlaceholders,
  type Channel,
  type PushMessage,
  type Warning,
} from '@tidings/contracts';

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
