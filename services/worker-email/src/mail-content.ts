import { isHtmlBody, UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts';
import { convert } from 'html-to-text';
import { parseHtmlTemplate, type HtmlTemplate } from './html-template.ts';
import type { MailLinks } from './mail-links.ts';

const TEXT_OPTIONS = {
  wordwrap: 78,
  // The body is untrusted: deeper nesting is dropped.
  limits: { maxDepth: 200 },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'skip' },
  ],
};

/** A campaign's body, parsed once for all its e-mails. */
type Template = { readonly html: HtmlTemplate | null; readonly text: string };

const templates = new WeakMap<object, Template>();

/** The content of one e-mail: HTML if the body is HTML, and always text. */
export type MailContent = { readonly html?: string; readonly text: string };

/** Renders one e-mail. `tracking` adds the open pixel and tracked links. */
export function buildContent(
  message: Readonly<Record<string, unknown>>,
  links: MailLinks,
  { isTracked }: { readonly isTracked: boolean },
): MailContent {
  const { html, text } = parseTemplate(message);
  const plain = links.hasBase
    ? text.replaceAll(UNSUBSCRIBE_PLACEHOLDER, () => links.unsubscribe ?? '')
    : text;
  return html === null
    ? { text: plain }
    : { html: renderHtml(html, links, isTracked && links.hasBase), text: plain };
}

/** The content shared by all e-mails of a campaign. */
export function parseTemplate(message: Readonly<Record<string, unknown>>): Template {
  const known = templates.get(message);
  if (known !== undefined) return known;
  const body = String(message['body']);
  const template: Template = isHtmlBody(body)
    ? { html: parseHtmlTemplate(body), text: convert(body, TEXT_OPTIONS) }
    : { html: null, text: body };
  templates.set(message, template);
  return template;
}

function renderHtml(
  { pieces, linkCount }: HtmlTemplate,
  links: MailLinks,
  isTracked: boolean,
): string {
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
