import { convert, type FormatCallback } from 'html-to-text';

/** What stands beside each other is apart, also where the HTML has no blank between. */
const cell: FormatCallback = (element, walk, builder) => {
  builder.addInline(' ');
  walk(element.children, builder);
  builder.addInline(' ');
};

const CELLS = ['td', 'th', 'button', 'option'];
/** Those with lines of their own that the library does not know. */
const LINES = [
  'address',
  'body',
  'caption',
  'center',
  'dd',
  'details',
  'dl',
  'dt',
  'fieldset',
  'figcaption',
  'figure',
  'legend',
  'summary',
  'tr',
];
const LINE = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

const TEXT_OPTIONS = {
  wordwrap: 78,
  // The body is untrusted: deeper nesting is dropped.
  limits: { maxDepth: 200 },
  // All of it: readers of HTML also see what follows its end.
  baseElements: { selectors: [] },
  formatters: { cell },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'title', format: 'skip' },
    { selector: 'xml', format: 'skip' },
    ...LINES.map((selector) => ({ selector, format: 'block', options: LINE })),
    ...CELLS.map((selector) => ({ selector, format: 'cell' })),
  ],
};

/** HTML as a mail shows it to readers without HTML. Marks of values stay. */
export const toPlainText = (html: string): string => convert(html, TEXT_OPTIONS);
