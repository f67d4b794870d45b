import { Marked, type Tokens } from 'marked';
import { escapeText, trusted, type Html } from './html.ts';

/** Where a link of a document leads on these pages; undefined: to nothing here, so that its text stands alone. */
export type LinkTarget = (href: string) => string | undefined;

/** A Markdown document as markup. Markup inside of it is shown as text, and each heading has the id that GitHub gives it. */
export function renderMarkdown(source: string, targetOf: LinkTarget): Html {
  const ids = new Map<string, number>();
  const marked = new Marked({ gfm: true, async: false });
  marked.use({
    renderer: {
      // Comments are for generators; other markup is shown as text.
      html: ({ text }) => (/^<!--[^]*-->\s*$/.test(text) ? '' : escapeText(text)),
      heading({ tokens, depth, text }) {
        const id = headingId(text, ids);
        return `<h${depth} id="${escapeText(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(href);
        return target === undefined ? text : `<a href="${escapeText(target)}">${text}</a>`;
      },
      image({ href, text }) {
        const target = targetOf(href);
        if (target === undefined) return escapeText(text);
        return `<img src="${escapeText(target)}" alt="${escapeText(text)}">`;
      },
      code({ text, lang }: Tokens.Code) {
        const block = `<pre tabindex="0"><code>${escapeText(text)}</code></pre>`;
        // A block without a language is output, which readers do not copy.
        return lang === undefined || lang === ''
          ? `${block}\n`
          : `<div class="code"><button type="button" class="copy">Copy</button>${block}</div>\n`;
      },
      table(token) {
        // A table wider than the page scrolls by itself.
        const renderCell = (cell: Tokens.TableCell, tag: string): string =>
          `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`;
        const head = token.header.map((cell) => renderCell(cell, 'th')).join('');
        const rows = token.rows.map(
          (row) => `<tr>${row.map((cell) => renderCell(cell, 'td')).join('')}</tr>`,
        );
        return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>\n`;
      },
    },
  });
  return trusted(marked.parse(source) as string);
}

/** A sentence or two of Markdown, without blocks and links. */
export function renderInline(source: string): Html {
  const marked = new Marked({ gfm: true, async: false });
  marked.use({
    renderer: {
      html: ({ text }) => escapeText(text),
      link({ tokens }) {
        return this.parser.parseInline(tokens);
      },
    },
  });
  return trusted(marked.parseInline(source) as string);
}

/** As GitHub makes it: lower case, no punctuation, spaces as hyphens, a number for the second of a name. */
function headingId(text: string, ids: Map<string, number>): string {
  const base = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const count = ids.get(base) ?? 0;
  ids.set(base, count + 1);
  return count === 0 ? base : `${base}-${count}`;
}
