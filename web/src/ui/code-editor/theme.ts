import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The tokens of the page are inherited here, light and dark. */
export const theme = EditorView.theme({
  '&': { color: 'var(--text)', fontSize: 'var(--size-read)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'inherit',
    lineHeight: '1.55',
    maxHeight: 'max(32rem, calc(var(--rows) * 1.55em))',
    overflow: 'auto',
  },
  '.cm-content': {
    minHeight: 'calc(var(--rows) * 1.55em + 0.6rem)',
    padding: '0.3rem 0',
    caretColor: 'var(--text)',
    overflowWrap: 'anywhere',
  },
  '.cm-line': { padding: '0 0.6rem' },
  '.cm-content:not(.prose)': {
    fontFamily: 'var(--mono)',
    fontSize: 'var(--size-ui)',
  },
  '.cm-gutters': {
    border: '0',
    background: 'transparent',
    color: 'var(--text-3)',
    fontFamily: 'var(--mono)',
    fontSize: 'var(--size-label)',
  },
  '.cm-placeholder': { color: 'var(--text-2)' },
  '.faulty-line': { background: 'var(--bad-soft)' },
  '.fault': {
    textDecoration: 'underline wavy var(--bad-fill)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
});

const { brace, string, number, bool, comment, keyword, propertyName, tagName, attributeName } =
  tags;

export const highlighting = HighlightStyle.define([
  { tag: [tagName, propertyName], color: 'var(--good)' },
  { tag: [string, tags.attributeValue], color: 'var(--warn)' },
  { tag: [keyword, brace, tags.variableName, tags.operator], color: 'var(--accent)' },
  { tag: [number, bool, attributeName], color: 'var(--text-2)' },
  { tag: comment, color: 'var(--text-3)' },
]);
