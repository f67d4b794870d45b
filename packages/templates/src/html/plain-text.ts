import { convert } from 'html-to-text';

const TEXT_OPTIONS = {
  wordwrap: 78,
  // The body is untrusted: deeper nesting is dropped.
  limits: { maxDepth: 200 },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'skip' },
  ],
};

/** HTML as a mail shows it to readers without HTML. Marks of values stay. */
export const toPlainText = (html: string): string => convert(html, TEXT_OPTIONS);
