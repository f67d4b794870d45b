import { Tokenizer } from 'htmlparser2';

export type HtmlAttribute = {
  /** In lower case. */
  readonly tag: string;
  readonly name: string;
  /** Decoded. */
  readonly value: string;
  /** Positions of the attribute, with its name and quotes. */
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
  /** Browsers use the first of two. */
  readonly isFirst: boolean;
};

/** What is reported of HTML. Positions are indexes of its characters. */
export type HtmlHandlers = {
  /** At the end of an opening tag that does not close itself. */
  readonly onOpenTag?: (tag: string) => void;
  /** @param nameStart position behind `</` */
  readonly onCloseTag?: (tag: string, nameStart: number) => void;
  readonly onAttribute?: (attribute: HtmlAttribute) => void;
  readonly onText?: (from: number, to: number) => void;
  readonly onComment?: (from: number, to: number) => void;
};

/** Attributes that hold a link. */
export const LINK_ATTRIBUTES: ReadonlySet<string> = new Set([
  'href',
  'xlink:href',
  'src',
  'action',
  'formaction',
  'background',
  'poster',
  'cite',
  'longdesc',
]);

const UNQUOTED = 1;
const nothing = (): void => undefined;

/** Reads HTML as a browser does: no tags within comments, scripts or attribute values. */
export function readHtml(
  html: string,
  {
    onOpenTag = nothing,
    onCloseTag = nothing,
    onAttribute = nothing,
    onText = nothing,
    onComment = nothing,
  }: HtmlHandlers,
): void {
  let tag = '';
  let name = '';
  let start = 0;
  let value = '';
  const names = new Set<string>();
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(from, to) {
        tag = html.slice(from, to).toLowerCase();
        names.clear();
      },
      onopentagend: () => onOpenTag(tag),
      onclosetag: (from, to) => onCloseTag(html.slice(from, to).toLowerCase(), from),
      onattribname(from, to) {
        name = html.slice(from, to).toLowerCase();
        start = from;
        value = '';
      },
      onattribdata(from, to) {
        value += html.slice(from, to);
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint);
      },
      onattribend(quote, end) {
        const isQuoted = (quote as number) > UNQUOTED;
        onAttribute({ tag, name, value, start, end, isQuoted, isFirst: !names.has(name) });
        names.add(name);
      },
      ontext: onText,
      oncomment: (from, to, endChars) => onComment(from, to - endChars),
      onselfclosingtag: nothing,
      oncdata: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      ontextentity: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}

const CONDITION = /^\[if\s[^\]]{1,200}\]>/i;
const CONDITION_END = /<!\[endif\]$/i;

/**
 * The part of a comment that Outlook reads as HTML: of `<!--[if mso]>…<![endif]-->` what stands
 * between. Null: an ordinary comment.
 * @param comment without its `<!--` and `-->`
 */
export function outlookPart(
  comment: string,
): { readonly from: number; readonly to: number } | null {
  const [condition] = CONDITION.exec(comment) ?? [];
  const end = CONDITION_END.exec(comment);
  return condition === undefined || end === null || end.index < condition.length
    ? null
    : { from: condition.length, to: end.index };
}
