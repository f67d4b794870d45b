import { findUnsubscribePlaces } from './unsubscribe-places.ts';

/**
 * Stands for the recipient's unsubscribe URL in a body that all mails share. Unlike the placeholder it
 * has no blanks, so that plain text does not break it, and no template or value can hold it.
 */
export const UNSUBSCRIBE_MARK = '\uFDD0u\uFDD1';

/** Plain text has headings in capitals. */
const MARKS = /\uFDD0[uU]\uFDD1/;

/** A body with the mark in the place of each placeholder. */
export const markUnsubscribe = (body: string, isHtml: boolean): string =>
  findUnsubscribePlaces(body, isHtml)
    .pieces.map((piece) => piece ?? UNSUBSCRIBE_MARK)
    .join('');

/** The texts before, between and behind the marks. */
export const splitAtUnsubscribe = (text: string): readonly string[] => text.split(MARKS);
