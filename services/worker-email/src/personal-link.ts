import { isWebAddress } from '@tidings/contracts/push/links';
import { fillMarks } from '@tidings/liquid/marks';
import { LINK_CHARS_MAX } from './html-template.ts';

/** A link with the values of one mail, as it is tracked; null: it is not. */
export function personalLink(link: string, values: readonly string[]): string | null {
  const filled = fillMarks(link, values);
  const url = isWebAddress(filled) ? URL.parse(filled)?.href : undefined;
  return url === undefined || url.length > LINK_CHARS_MAX ? null : url;
}
