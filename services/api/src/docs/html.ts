/** Markup that is safe to show: what was put into it is escaped. */
export type Html = { readonly html: string };
type Part = Html | string | number | undefined | readonly Part[];

/** Markup with values in it. Texts are escaped, markup and lists of markup are not; undefined is nothing. */
export function html(markup: TemplateStringsArray, ...values: readonly Part[]): Html {
  return { html: markup.map((text, index) => text + toText(values[index])).join('') };
}

/** Markup from a source that escapes by itself. */
export const trusted = (text: string): Html => ({ html: text });

export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function toText(value: Part): string {
  if (value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
  if (Array.isArray(value)) return (value as readonly Part[]).map(toText).join('');
  return (value as Html).html;
}
