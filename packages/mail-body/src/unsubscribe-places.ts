import { LINK_ATTRIBUTES, outlookPart, readHtml, type HtmlAttribute } from './read-html.ts';

/** Where the body of a mail has `{{unsubscribeUrl}}`. */
export type UnsubscribePlaces = {
  /** The body in order; null stands for the recipient's URL. */
  readonly pieces: readonly (string | null)[];
  /** Readers see one of them: as a link, the target of a form, or text. */
  readonly isShown: boolean;
  /** Position of one that continues as another address: `{{unsubscribeUrl}}/x`, `{{unsubscribeUrl}}{{x}}`. Null: none. */
  readonly brokenAt: number | null;
};

const NAME = 'unsubscribeUrl';
const BLANK = '(?:\\s|%20|&nbsp;|&#160;)*';
/**
 * Editors of mails write blanks inside of the braces, encode them as part of a URL, and put a scheme
 * before what they take for a host.
 */
const PLACE_SOURCE = `(?:(?:https?:)?//)?(?:\\{{2,3}-?|%7[Bb]%7[Bb])${BLANK}${NAME}${BLANK}(?:-?\\}{2,3}|%7[Dd]%7[Dd])`;
const PLACES = new RegExp(PLACE_SOURCE, 'g');
const PLACE_AT_START = new RegExp(`^\\s*${PLACE_SOURCE}`);

/** The URL has no query of its own: a parameter behind it begins one. */
const PARAMETER = /^&(?:amp;)?(?=[\w.~-]+=)/;
/** Before the beginning of a URL in text. */
const BEFORE_URL = /[\s"'<>()[\]]$/;
/** Behind the URL it would be read as a part of the token. A full stop may end a sentence. */
const CONTINUES = /^[\w./~%-]/;
const CONTINUES_IN_TEXT = /^(?:[\w/~%-]|\.\w|\{\{)/;

const SHOWN_LINKS: ReadonlySet<string> = new Set([
  'a href',
  'area href',
  'form action',
  'button formaction',
  'input formaction',
]);
const HIDDEN_TAGS = new Set(['script', 'style', 'title', 'template']);

/** How many characters of a link are the placeholder that it begins with; 0: it does not. */
export const unsubscribeStart = (link: string): number =>
  PLACE_AT_START.exec(link)?.[0].length ?? 0;

/** Finds the places of `{{unsubscribeUrl}}` in the body of a mail. */
export function findUnsubscribePlaces(body: string, isHtml: boolean): UnsubscribePlaces {
  if (!body.includes(NAME)) return { pieces: [body], isShown: false, brokenAt: null };
  const pieces: (string | null)[] = [];
  if (!isHtml) {
    const brokenAt = addText(body, pieces);
    return { pieces, isShown: pieces.includes(null), brokenAt };
  }
  const { links, texts } = findInHtml(body);
  let isShown = texts.some(({ from, to }) => body.slice(from, to).search(PLACES) >= 0);
  let brokenAt: number | null = null;
  let done = 0;
  for (const { attribute, isShown: isLinkShown } of links) {
    const inText = addText(body.slice(done, attribute.start), pieces);
    if (inText !== null) brokenAt ??= done + inText;
    done = attribute.end;
    isShown ||= isLinkShown;
    if (!addLink(attribute, pieces)) brokenAt ??= attribute.start;
  }
  const inText = addText(body.slice(done), pieces);
  if (inText !== null) brokenAt ??= done + inText;
  return { pieces, isShown, brokenAt };
}

/** The body of a mail with this URL in all its places. */
export const fillUnsubscribeUrl = (body: string, isHtml: boolean, url: string): string =>
  findUnsubscribePlaces(body, isHtml)
    .pieces.map((piece) => piece ?? url)
    .join('');

type Found = {
  readonly links: { readonly attribute: HtmlAttribute; readonly isShown: boolean }[];
  readonly texts: { readonly from: number; readonly to: number }[];
};

/** Links with the placeholder, and texts, also in what only Outlook reads. */
function findInHtml(html: string): Found {
  const found: Found = { links: [], texts: [] };
  let hiddenTag = '';
  const addLinks = (part: string, offset: number, isOutlook: boolean): void => {
    readHtml(part, {
      onAttribute(attribute) {
        const { tag, name, value, start, end, isFirst } = attribute;
        if (!LINK_ATTRIBUTES.has(name) || value.search(PLACES) < 0) return;
        found.links.push({
          attribute: { ...attribute, start: start + offset, end: end + offset },
          isShown: !isOutlook && isFirst && SHOWN_LINKS.has(`${tag} ${name}`),
        });
      },
      onComment(from, to) {
        const inner = isOutlook ? null : outlookPart(part.slice(from, to));
        if (inner === null) return;
        addLinks(part.slice(from + inner.from, from + inner.to), from + inner.from, true);
      },
      ...(!isOutlook && {
        onOpenTag(tag: string) {
          if (hiddenTag === '' && HIDDEN_TAGS.has(tag)) hiddenTag = tag;
        },
        onCloseTag(tag: string) {
          if (tag === hiddenTag) hiddenTag = '';
        },
        onText(from: number, to: number) {
          if (hiddenTag === '') found.texts.push({ from, to });
        },
      }),
    });
  };
  addLinks(html, 0, false);
  return found;
}

/**
 * Adds a text, which may be HTML without links that have the placeholder. Returns the position of the
 * first URL that continues as another address; null: none.
 */
function addText(text: string, pieces: (string | null)[]): number | null {
  let done = 0;
  let brokenAt: number | null = null;
  for (const { 0: place, index } of text.matchAll(PLACES)) {
    const before = text.slice(done, index);
    pieces.push(before, null);
    done = index + place.length;
    if (CONTINUES_IN_TEXT.test(text.slice(done, done + 2))) brokenAt ??= index;
    const isStart = index === 0 || BEFORE_URL.test(text.slice(index - 1, index));
    const [parameter] = (isStart && PARAMETER.exec(text.slice(done, done + 100))) || [];
    if (parameter === undefined) continue;
    pieces.push('?');
    done += parameter.length;
  }
  pieces.push(text.slice(done));
  return brokenAt;
}

/** Adds the attribute of a link, in double quotes. False: the URL continues as another address. */
function addLink({ name, value }: HtmlAttribute, pieces: (string | null)[]): boolean {
  pieces.push(`${name}="`);
  const atStart = unsubscribeStart(value);
  const rest = value.slice(atStart);
  if (atStart > 0) pieces.push(null);
  const inRest = addText(escapeValue(atStart > 0 ? rest.replace(/^&/, '?') : rest), pieces);
  pieces.push('"');
  return inRest === null && (atStart === 0 || !CONTINUES.test(rest));
}

/** In what Outlook reads of a comment, `-->` would end it. */
const escapeValue = (value: string): string =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
