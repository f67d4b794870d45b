import { isUuid } from '@tidings/platform';

const WITHOUT_DASHES = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;
/** What surrounds an id in logs, code and letters. */
const AROUND = /^[\s"'`<({[]+|[\s"'`>)}\].,;:]+$/g;

/** What stands between the groups of one: any dash, or the spaces of a table. */
const BETWEEN = /[\s\u2010-\u2015-]/g;

/** A UUID as it is stored, from any usual writing, with or without dashes; null if it is none. */
export function readPastedUuid(text: string): string | null {
  const digits = withoutMarks(text).replaceAll(BETWEEN, '');
  if (!WITHOUT_DASHES.test(digits)) return null;
  const id = digits.replace(WITHOUT_DASHES, '$1-$2-$3-$4-$5').toLowerCase();
  return isUuid(id) ? id : null;
}

const EVENT_ID = /^evt_[0-9a-f]{32}$/;

/** The id of a webhook event; null if it is none. */
export function readPastedEventId(text: string): string | null {
  const id = withoutMarks(text).toLowerCase();
  return EVENT_ID.test(id) ? id : null;
}

/**
 * An id of a message, which callers choose: any text. Words and addresses are not looked up as
 * ids.
 */
export function readPastedMessageId(text: string): string | null {
  const id = withoutMarks(text);
  return /\d/.test(id) && !/[\s@]/.test(id) ? id : null;
}

/** Without the marks that surround an id. */
export const withoutMarks = (text: string): string => text.replaceAll(AROUND, '');

/** Milliseconds: ids are UUIDs of version 7, which start with their time. */
export const timeOfId = (id: string): number =>
  Number.parseInt(id.replace('-', '').slice(0, 12), 16);
