import { describe, expect, test } from '@jest/globals';
import { markUnsubscribe, UNSUBSCRIBE_MARK } from '@tidings/mail-body/unsubscribe-mark';
import fc from 'fast-check';
import { parseHtmlTemplate, type HtmlPiece } from './html-template.ts';

/** The HTML with each gap shown in brackets. */
const shown = (html: string): string =>
  parseHtmlTemplate(html)
    .pieces.map((piece: HtmlPiece) =>
      typeof piece === 'string' ? piece : 'link' in piece ? `[${piece.link}]` : `[${piece.place}]`,
    )
    .join('');
const withoutPixel = (html: string): string => shown(html).replace('[pixel]', '');

describe('links into the Web become gaps, in any spelling', () => {
  test.each([
    ['<a href="https://shop.example/a">x</a>', '<a [https://shop.example/a]>x</a>'],
    [
      "<a class=b href='https://shop.example/a' id=c>x</a>",
      '<a class=b [https://shop.example/a] id=c>x</a>',
    ],
    ['<a href=https://shop.example/a>x</a>', '<a [https://shop.example/a]>x</a>'],
    ['<A HREF = "HTTPS://Shop.Example/a">x</A>', '<A [https://shop.example/a]>x</A>'],
    [
      '<a href="https://shop.example/?a=1&amp;b=2&#38;c=3">x</a>',
      '<a [https://shop.example/?a=1&b=2&c=3]>x</a>',
    ],
    ['<a href="\n https://shop.example/a \n">x</a>', '<a [https://shop.example/a]>x</a>'],
    ['<a href="http://shop.example">x</a>', '<a [http://shop.example/]>x</a>'],
    [
      '<a title="a > b" href="https://shop.example/a">x</a>',
      '<a title="a > b" [https://shop.example/a]>x</a>',
    ],
    [
      '<map><area href="https://shop.example/a"></map>',
      '<map><area [https://shop.example/a]></map>',
    ],
    [
      '<a href="https://shop.example/größe">x</a>',
      '<a [https://shop.example/gr%C3%B6%C3%9Fe]>x</a>',
    ],
    [
      '<a href="https://one.example/"href="https://two.example/">x</a>',
      '<a [https://one.example/]href="https://two.example/">x</a>',
    ],
  ])('%s', (html, expected) => {
    expect(withoutPixel(html)).toBe(expected);
  });
});

describe('everything else stays to the letter', () => {
  test.each([
    '<a href="#top">x</a>',
    '<a href="/cart">x</a>',
    '<a href="mailto:shop@example.com?subject=x">x</a>',
    '<a href="tel:+49151">x</a>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="jav&#x61;script:alert(1)">x</a>',
    '<a href="data:text/html,x">x</a>',
    '<a href="">x</a>',
    '<a href>x</a>',
    '<a name="here">x</a>',
    '<a data-href="https://shop.example/a">x</a>',
    '<link href="https://shop.example/style.css" rel="stylesheet">',
    '<img src="https://shop.example/a.png">',
    '<base href="https://shop.example/">',
    '<!-- <a href="https://shop.example/a">x</a> -->',
    '<style>a[href="https://shop.example/a"] { color: red }</style>',
    '<script>"<a href=https://shop.example/a>"</script>',
    '<title><a href="https://shop.example/a">x</a></title>',
    '<p title=\'<a href="https://shop.example/a">\'>x</p>',
    '<a href="{{unsubscribe}}">x</a>',
    '<a href="{{unsubscribeUrl}}?utm_source=mail">Unsubscribe</a>',
    '<!-- <a href="{{unsubscribeUrl}}">Unsubscribe</a> -->',
    '<a data-href="{{unsubscribeUrl}}">Unsubscribe</a>',
    '<link href={{unsubscribeUrl}}>',
    '<a href="https://shop.example/u?who={{id}}">x</a>',
    '<a href="*|UNSUB|*">x</a>',
    '<a href="%unsubscribe_url%">x</a>',
    '<a href="https://shop.example/%%unsubscribe%%">x</a>',
    `<a href="https://shop.example/${'a'.repeat(1_500)}">x</a>`,
    'a < b <a href="https://shop.example/a',
  ])('%s', (html) => {
    expect(withoutPixel(html)).toBe(html);
    expect(parseHtmlTemplate(html).linkCount).toBe(0);
  });
});

test('the recipient’s own address is not tracked', () => {
  const html = markUnsubscribe(
    '<a href="{{unsubscribeUrl}}">x</a><a href="https://a.example">y</a>',
    true,
  );

  expect(withoutPixel(html)).toBe(
    `<a href="${UNSUBSCRIBE_MARK}">x</a><a [https://a.example/]>y</a>`,
  );
});

test.each([
  ['<html><body>x</body></html>', '<html><body>x[pixel]</body></html>'],
  ['<body>x<!-- </body> --></BODY ></html>', '<body>x<!-- </body> -->[pixel]</BODY ></html>'],
  ['<p>x</p>', '<p>x</p>[pixel]'],
])('the pixel stands at the end of the body: %s', (html, expected) => {
  expect(shown(html)).toBe(expected);
});

test('links to the same page count once', () => {
  expect(
    parseHtmlTemplate(
      '<a href="https://a.example">1</a><a href="https://a.example/">2</a><a href="https://b.example">3</a>',
    ).linkCount,
  ).toBe(2);
});

test('pieces and gaps together are the original HTML, for any input', () => {
  const soup = fc.array(
    fc.constantFrom(
      '<a href=',
      '"',
      "'",
      '>',
      '<',
      '</body>',
      'https://a.example',
      '&amp;',
      '<!--',
      '-->',
      '<style>',
      '</style>',
      ' ',
      'href',
      '=',
      'é',
      '\0',
      '{{unsubscribeUrl}}',
    ),
  );
  fc.assert(
    fc.property(soup, (parts) => {
      const { pieces } = parseHtmlTemplate(parts.join(''));
      expect(
        pieces.map((piece) => (typeof piece === 'string' ? piece : piece.original)).join(''),
      ).toBe(parts.join(''));
    }),
  );
});

test('256 KiB of anything is read in no time', () => {
  const bytes = 256 * 1024;
  const begun = performance.now();
  for (const part of [
    '<a href="',
    '<',
    '<!--',
    '<b>',
    '&amp',
    '<a href=https://a.example/>',
    "<a href='&#x",
    '</body>',
  ])
    parseHtmlTemplate(part.repeat(bytes / part.length));

  expect(performance.now() - begun).toBeLessThan(20_000);
});
