import { isHtmlMessage } from '@tidings/mail-body/is-html';
import type { OutgoingDelivery, PersonalParts } from '@tidings/channel-worker';
import { markUnsubscribe, splitAtUnsubscribe } from '@tidings/mail-body/unsubscribe-mark';
import { fillMarks, hasMarks } from '@tidings/liquid/marks';
import { toPlainText } from '@tidings/liquid/plain-text';
import { renderPool } from '@tidings/templates/process-pool';
import { parseHtmlTemplate, type HtmlTemplate } from './html-template.ts';
import { requireUnsubscribe, type MailLinks } from './mail-links.ts';
import { personalLink } from './personal-link.ts';

/** A campaign's body, parsed once for all its e-mails. Both parts have marks. */
type Template = {
  readonly html: HtmlTemplate | null;
  readonly text: string;
  /** It shows each recipient an unsubscribe URL. */
  readonly hasUnsubscribe: boolean;
};

const templates = new WeakMap<object, Template>();
/** Of bodies whose conversion takes long. */
const texts = new WeakMap<object, string>();
const converting = new WeakMap<object, Promise<void>>();

/** Up to here the worst HTML takes some 15 ms. */
const CONVERTED_AT_ONCE_CHARS_MAX = 8_000;

/**
 * Converts a large body to plain text in a thread, before `parseTemplate` needs it: the worst takes
 * half a second, and one application may have a body for each mail. Without a text if it takes too
 * long. Undefined: nothing to wait for.
 */
export function prepareText({
  applicationId,
  message,
}: Pick<OutgoingDelivery, 'applicationId' | 'message'>): Promise<void> | undefined {
  const body = String(message['body']);
  const isQuick = body.length <= CONVERTED_AT_ONCE_CHARS_MAX || !isHtmlMessage(message);
  if (isQuick || templates.has(message) || texts.has(message)) return undefined;
  const underway = converting.get(message);
  if (underway !== undefined) return underway;
  const conversion = renderPool
    .toPlainText({ applicationId, html: markUnsubscribe(body, true) })
    .then(
      (text) => void texts.set(message, text),
      // No thread could be started: `parseTemplate` converts it. To throw would say that the mail may
      // have been sent.
      () => undefined,
    )
    .finally(() => converting.delete(message));
  converting.set(message, conversion);
  return conversion;
}

/** The content of one e-mail: HTML if the body is HTML, and always text. */
export type MailContent = { readonly html?: string; readonly text: string };

/** Renders one e-mail. `tracking` adds the open pixel and tracked links. */
export function buildContent(
  message: Readonly<Record<string, unknown>>,
  links: MailLinks,
  { isTracked, personal }: Pick<OutgoingDelivery, 'isTracked' | 'personal'>,
): MailContent {
  const { html, text } = parseTemplate(message);
  const plain = fillText(text, personal?.text ?? [], links);
  return html === null
    ? { text: plain }
    : {
        html: renderHtml(html, {
          links,
          values: personal ?? { html: [], text: [] },
          isTracked: isTracked && links.hasBase,
        }),
        text: plain,
      };
}

/** The content shared by all e-mails of a campaign. */
export function parseTemplate(message: Readonly<Record<string, unknown>>): Template {
  const known = templates.get(message);
  if (known !== undefined) return known;
  const source = String(message['body']);
  const isHtml = isHtmlMessage({ ...message, body: source });
  const body = markUnsubscribe(source, isHtml);
  const parts = isHtml
    ? { html: parseHtmlTemplate(body), text: texts.get(message) ?? toPlainText(body) }
    : { html: null, text: body };
  const template = { ...parts, hasUnsubscribe: splitAtUnsubscribe(body).length > 1 };
  templates.set(message, template);
  return template;
}

/** A text with its values and the recipient's URL. */
function fillText(text: string, values: readonly string[], links: MailLinks): string {
  const [first = '', ...others] = splitAtUnsubscribe(text);
  return others.reduce(
    (filled, next) => filled + requireUnsubscribe(links) + fillMarks(next, values),
    fillMarks(first, values),
  );
}

function renderHtml(
  { pieces, linkCount }: HtmlTemplate,
  {
    links,
    values,
    isTracked,
  }: {
    readonly links: MailLinks;
    readonly values: Pick<PersonalParts, 'html' | 'text'>;
    readonly isTracked: boolean;
  },
): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return fillText(piece, values.html, links);
      if (!isTracked) return fillMarks(piece.original, values.html);
      if ('link' in piece) {
        const link = hasMarks(piece.link) ? personalLink(piece.link, values.text) : piece.link;
        return link === null
          ? fillMarks(piece.original, values.html)
          : `href="${links.click(link, linkCount)}"`;
      }
      return `<img src="${links.open()}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`;
    })
    .join('');
}
