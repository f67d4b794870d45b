/** What a `User-Agent` header says (RFC 9110, 10.1.5): products, and comments about them. */
export type UserAgent = {
  /** Names of products, without versions; of comments those that have one. */
  readonly products: readonly string[];
  /** What follows `compatible;` in a comment, up to its version: what the program really is. */
  readonly compatibles: readonly string[];
  /** Other parts of comments: systems, models of devices, parts of a browser. */
  readonly details: readonly string[];
  /** Whether a web address says whose program it is. Robots have one, browsers do not. */
  readonly hasContact: boolean;
};

/** A longer header is no browser's. */
const CHARS_MAX = 1_000;
const COMMENT = /\(([^()]*(?:\([^()]*\)[^()]*)*)\)?/g;
const CONTACT = /https?:\/\/|\bwww\./i;
/** A product inside of a comment. `Pixel 7 Build/TQ3A` is a device. */
const VERSIONED = /^[\w.-]+\/\d/;
/** What browsers of apps write in brackets, as `[LinkedInApp]` or `[FBAN/FBIOS;…]`. */
const BRACKETS = /\[[^\]]*\]?/g;

export function parseUserAgent(header: string): UserAgent {
  const text = header.slice(0, CHARS_MAX);
  const comments = [...text.matchAll(COMMENT)].map(([, comment = '']) =>
    comment.split(/[;,]/).map((part) => part.trim()),
  );
  const compatibles: string[] = [];
  const details: string[] = [];
  const inside: string[] = [];
  for (const parts of comments) {
    const claim = parts.findIndex((part) => part.toLowerCase() === 'compatible');
    const own = claim < 0 ? undefined : parts[claim + 1];
    if (own !== undefined) compatibles.push(nameOf(own));
    details.push(...parts.filter((_part, index) => claim < 0 || index > claim + 1));
    // A proxy says whose it is: `(via ggpht.com GoogleImageProxy)`.
    inside.push(
      ...parts.filter((part) => VERSIONED.test(part)).map(nameOf),
      ...parts.filter((part) => /^via\s/i.test(part)),
    );
  }
  const products = text
    .replaceAll(COMMENT, ' ')
    .replaceAll(BRACKETS, ' ')
    .split(/[\s;]+/)
    .filter((word) => word !== '' && !CONTACT.test(word))
    .map(nameOf);
  return {
    products: [...products, ...compatibles, ...inside],
    compatibles,
    details,
    hasContact: CONTACT.test(text),
  };
}

const nameOf = (product: string): string => product.replace(/[/\s:].*$/s, '');
