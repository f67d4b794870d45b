import { expect, test } from '@jest/globals';
import { markOf } from './marks.ts';
import { toPlainText } from './plain-text.ts';

test.each([
  [
    'cells of a table are apart, and rows are lines',
    '<table><tr><td>Price</td><td>40</td></tr><tr><td>Total</td><td>80</td></tr></table>',
    'Price 40\nTotal 80',
  ],
  [
    'head and caption, too',
    '<table><caption>Cart</caption><thead><tr><th>A</th><th>B</th></tr></thead><tbody>\n<tr>\n <td>1</td>\n <td>2</td></tr></table>',
    'Cart\nA B\n1 2',
  ],
  [
    'a table for the layout is its texts',
    '<table><tr><td><table><tr><td><p>a</p></td><td><p>b</p></td></tr></table></td></tr></table><p>c</p>',
    'a\n\nb\n\nc',
  ],
  [
    'values are apart',
    `<tr><td>${markOf(0)}</td><td>${markOf(1)}</td></tr>`,
    `${markOf(0)} ${markOf(1)}`,
  ],
  ['a list of terms', '<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>', 'a\nb\nc'],
  ['a figure', '<figure>a<figcaption>b</figcaption></figure><address>c</address>', 'a\nb\nc'],
  ['buttons', '<button>a</button><button>b</button>', 'a b'],
  ['what follows the end', '<html><body><p>x</p></body></html><p>footer</p>', 'x\n\nfooter'],
  ['as text', '<html><body>x</body></html>footer', 'x\nfooter'],
  ['after the body', '<html><body>x</body>y</html>', 'x\ny'],
  [
    'nothing of the head',
    '<!doctype html><html><head><title>T</title><style>p{}</style><xml>96</xml></head><body>x</body></html>',
    'x',
  ],
  ['a head without an end', '<html><head><title>T</title><p>x</p>', 'x'],
])('%s', (_what, html, text) => {
  expect(toPlainText(html)).toBe(text);
});
