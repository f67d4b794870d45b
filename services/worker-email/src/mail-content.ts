import { isHtmlBody, UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts';
import { convert } from 'html-to-text';
import { htmlTemplateOf, type HtmlTemplate } from './html-template.ts';
import type { MailLinks } from './mail-links.ts';

const TEXT_OPTIONS = {
  wordwrap: 78,
  // A body is anybody's: whatever is nested deeper is left out.
  limits: { maxDepth: 200 },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'skip' },
  ],
};

/** The body of a campaign, read once: what all of its mails share. */
type Template = { readonly html: HtmlTemplate | null; readonly text: string };

const templates = new WeakMap<object, Template>();

/** What a mail says: as HTML where the body is HTML, and always as text. */
export type MailContent = { readonly html?: string; readonly text: string };

/** The content of one mail. `tracking`: whether it tells when it is opened, and its links when they are followed. */
export function contentOf(
  message: Readonly<Record<string, unknown>>,
  links: MailLinks,
  { isTracked }: { readonly isTracked: boolean },
): MailContent {
  const { html, text } = templateOf(message);
  const plain =
    links.unsubscribe === null ? text : text.replaceAll(UNSUBSCRIBE_PLACEHOLDER, links.unsubscribe);
  return html === null
    ? { text: plain }
    : { html: htmlOf(html, links, isTracked && links.canTrack), text: plain };
}

/** What all mails of a campaign say. */
export function templateOf(message: Readonly<Record<string, unknown>>): Template {
  const known = templates.get(message);
  if (known !== undefined) return known;
  const body = String(message['body']);
  const template: Template = isHtmlBody(body)
    ? { html: htmlTemplateOf(body), text: convert(body, TEXT_OPTIONS) }
    : { html: null, text: body };
  templates.set(message, template);
  return template;
}

function htmlOf({ pieces, linkCount }: HtmlTemplate, links: MailLinks, isTracked: boolean): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if ('place' in piece && piece.place === 'unsubscribe')
        return links.unsubscribe === null ? piece.original : `href="${links.unsubscribe}"`;
      if (!isTracked) return piece.original;
      if ('link' in piece) return `href="${links.click(piece.link, linkCount)}"`;
      return `<img src="${links.open()}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`;
    })
    .join('');
}
