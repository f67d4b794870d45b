/** Allowed schemes. Others can run code or read data. */
const LEADING = ['http:', 'https:', 'mailto:', 'tel:', 'sms:'];

/** Opens a link of a message as if it were in the page. */
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
