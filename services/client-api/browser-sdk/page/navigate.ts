/** Schemes that lead somewhere; the others run, or read. */
const LEADING = ['http:', 'https:', 'mailto:', 'tel:', 'sms:'];

/** Follows a link of a message as if it stood in the page. */
export function openAddress(href: string, isNewWindow: boolean): void {
  const url = leadingUrl(href, document.baseURI);
  if (url === undefined) return;
  if (isNewWindow) open(url, '_blank', 'noopener');
  else location.assign(url);
}

export function leadingUrl(href: string, base: string): string | undefined {
  try {
    const url = new URL(href, base);
    return LEADING.includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
