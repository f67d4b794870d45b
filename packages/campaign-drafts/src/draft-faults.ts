import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { stringifyExactJson } from '@tidings/platform';
import { findContentFaults, type ContentRules } from '@tidings/validation';
import type { DraftContent } from './drafts.ts';

/** The content itself, `segment` and its condition, or `message`. */
const LEVELS_ABOVE_MESSAGE = 4;

/**
 * Why a content cannot be stored: it is too large or too deep, or has text that Postgres does not
 * take. What a push would lack is no fault.
 */
export function findDraftFaults(content: DraftContent): readonly FieldError[] {
  const text = stringifyExactJson(content);
  if (Buffer.byteLength(text) > LIMITS.draftBytesMax)
    return [
      {
        pointer: RULES.pointer,
        code: 'too_long',
        expected: `at most ${LIMITS.draftBytesMax} bytes`,
      },
    ];
  return findContentFaults(content, text, RULES);
}

/** Lone surrogates are faults anywhere: a draft is changed by people, who would see U+FFFD. */
const RULES: ContentRules = {
  pointer: '/content',
  levelsAbove: LEVELS_ABOVE_MESSAGE,
  isId: () => true,
  expectedNumber: () => 'a Double',
  partOf: () => ({ part: 0, levels: 0 }),
};
