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
