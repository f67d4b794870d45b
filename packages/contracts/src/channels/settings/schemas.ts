import { STORABLE_LINE } from '../../storable-text.ts';

export const line = (charsMax: number) =>
  ({
    type: 'string',
    maxLength: charsMax,
    pattern: STORABLE_LINE,
    description: 'text on one line',
  }) as const;

/** An http or https URL without credentials. Egress checks its address at connection. */
export const webAddress = (charsMax: number) =>
  ({
    type: 'string',
    maxLength: charsMax,
    pattern: '^https?://[^\\s\\p{Cc}\\ud800-\\udfff@\\\\/]+(?:/[^\\s\\p{Cc}\\ud800-\\udfff]*)?$',
    description: 'an http or https address',
  }) as const;

/** What an SMS is sent from. */
export const smsSender = {
  type: 'string',
  pattern: '^(\\+[1-9]\\d{6,14}|(?=[A-Za-z0-9 ]*[A-Za-z])[A-Za-z0-9 ]{1,11}|\\d{3,8})$',
  description: 'a number in E.164, a short code or a sender name',
} as const;
