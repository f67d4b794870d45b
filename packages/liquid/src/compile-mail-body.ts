import { LIMITS } from '@tidings/contracts/limits';
import { UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts/push/links';
import { isHtmlMessage, type MailMessage } from '@tidings/mail-body/is-html';
import { UNSUBSCRIBE_END } from '@tidings/mail-body/placeholders';
import { findUnsubscribePlaces } from '@tidings/mail-body/unsubscribe-places';
import type { CompiledText } from './compile-text.ts';
import { checkPlaces } from './html/check-places.ts';
import { createHtmlRenderer } from './html/render-html.ts';
import { fillMarks } from './html/marks.ts';
import { isTemplateText, parseText } from './engine/parse-text.ts';
import type { ParseOptions } from './engine/parse-options.ts';
import { positionsIn } from './engine/positions.ts';
import { RenderFault } from './engine/render-fault.ts';
import { TextFault } from './engine/text-fault.ts';

/** The body of one mail: HTML or text that many mails share, and the values of this one. */
export type MailBody = {
  /** With marks for values (`html/marks.ts`). The same object for bodies of the same structure. */
  readonly message: { readonly body: string; readonly format?: MailMessage['format'] };
  /** Values as they stand in HTML, and in plain text. */
  readonly html: readonly string[];
  readonly text: readonly string[];
};

/** `{{unsubscribeUrl}}` is filled in when the mail is composed. */
const KEPT = UNSUBSCRIBE_PLACEHOLDER.slice(2, -2);

/**
 * Compiles the body of a mail. Values stay apart, because composing a mail costs much more than
 * filling them in. Null if it holds no output and no tag.
 * @throws TextFault
 */
export function compileMailBody(
  source: string,
  { format, ...options }: Pick<MailMessage, 'format'> & Omit<ParseOptions, 'kept'> = {},
): CompiledText<MailBody> | null {
  if (!isTemplateText(source)) return null;
  const parsed = parseText(source, { ...options, kept: KEPT });
  const isHtml = (body: string): boolean => isHtmlMessage({ body, format });
  const isHtmlSource = isHtml(parsed.texts.join(''));
  if (isHtmlSource) checkPlaces(parsed);
  if (options.isAccepted !== true) checkUnsubscribeEnd(source, isHtmlSource);
  const render = createHtmlRenderer(parsed, isHtml);
  const messages = new WeakMap<object, MailBody['message']>();
  return {
    variables: parsed.variables,
    size: parsed.size,
    render: (scope) => {
      const { skeleton, values } = render(scope);
      let message = messages.get(skeleton);
      if (message === undefined)
        messages.set(skeleton, (message = { body: skeleton.body, format }));
      checkSize(message.body.length, values.html);
      return { message, ...values };
    },
  };
}

/**
 * Whether the mail is sent as HTML. Its values do not count: they are escaped in HTML, and would
 * stand as they are in plain text.
 */
export const isHtmlMail = ({ message }: Pick<MailBody, 'message'>): boolean =>
  isHtmlMessage(message);

/** The body of a mail as one text, as it is sent but for the unsubscribe URL. */
export const joinMailBody = ({ message, html }: MailBody): string => fillMarks(message.body, html);

/** Looks at the source: what a tag of Liquid puts behind the placeholder is not known. */
function checkUnsubscribeEnd(source: string, isHtml: boolean): void {
  const { brokenAt } = findUnsubscribePlaces(source, isHtml);
  if (brokenAt === null) return;
  const { line, column } = positionsIn(source)(brokenAt);
  throw new TextFault('unsafe_place', UNSUBSCRIBE_END, { getPosition: () => [line, column] });
}

/** Characters are at least as many bytes, so this is cheap and never too strict. */
function checkSize(shared: number, values: readonly string[]): void {
  let chars = shared;
  for (const value of values) chars += value.length;
  if (chars > LIMITS.emailBodyBytesMax)
    throw new RenderFault('too_long', `body has more than ${LIMITS.emailBodyBytesMax} bytes`);
}
