import { describe, expect, test } from '@jest/globals';
import { hasUnsubscribeLink } from './placeholders.ts';
import { fillUnsubscribeUrl, findUnsubscribePlaces } from './unsubscribe-places.ts';

const fill = (body: string, isHtml = true): string => fillUnsubscribeUrl(body, isHtml, 'URL');

describe('in HTML the placeholder is filled in', () => {
  test.each([
    ['as a link', '<a href="{{unsubscribeUrl}}">x</a>', '<a href="URL">x</a>'],
    ['with blanks', "<a href=' {{ unsubscribeUrl }} '>x</a>", '<a href="URL ">x</a>'],
    ['without quotes', '<a href={{unsubscribeUrl}} id=a>x</a>', '<a href="URL" id=a>x</a>'],
    ['without quotes, with blanks', '<a href={{ unsubscribeUrl }}>x</a>', '<a href=URL>x</a>'],
    ['in text', '<p>Stop: {{ unsubscribeUrl }}.</p>', '<p>Stop: URL.</p>'],
    ['between braces of three', '<p>{{{unsubscribeUrl}}}</p>', '<p>URL</p>'],
    ['with entities of blanks', '<p>{{&nbsp;unsubscribeUrl&#160;}}</p>', '<p>URL</p>'],
    ['in any attribute', '<p title="a {{unsubscribeUrl}} b">', '<p title="a URL b">'],
    ['in an input', '<input value={{unsubscribeUrl}}>', '<input value=URL>'],
    ['as the target of a form', '<form action="{{ unsubscribeUrl }}">', '<form action="URL">'],
    ['of a button', '<button formaction="{{unsubscribeUrl}}">', '<button formaction="URL">'],
    [
      'in a style',
      '<p style="background:url({{unsubscribeUrl}})">',
      '<p style="background:url(URL)">',
    ],
    ['in a script', '<script>x="{{unsubscribeUrl}}"</script>', '<script>x="URL"</script>'],
    ['in a comment', '<!-- <a href="{{unsubscribeUrl}}"> -->', '<!-- <a href="URL"> -->'],
    [
      'in a second attribute',
      '<a href="/x" href="{{unsubscribeUrl}}">',
      '<a href="/x" href="URL">',
    ],
    [
      'in what Outlook reads, beside the end of a comment that is escaped',
      '<!--[if mso]><a href="{{unsubscribeUrl}}#--&gt;">x</a><![endif]-->',
      '<!--[if mso]><a href="URL#--&gt;">x</a><![endif]-->',
    ],
    ['in a link of the head', '<link href={{unsubscribeUrl}}>', '<link href="URL">'],
    ['twice', '<p>{{unsubscribeUrl}} {{unsubscribeUrl}}</p>', '<p>URL URL</p>'],
  ])('%s', (_what, html, expected) => {
    expect(fill(html)).toBe(expected);
  });

  test.each([
    ['?l=de', '<a href="{{unsubscribeUrl}}?l=de">', '<a href="URL?l=de">'],
    ['&l=de', '<a href="{{ unsubscribeUrl }}&l=de&a=1">', '<a href="URL?l=de&amp;a=1">'],
    ['&amp;l=de', '<a href="{{unsubscribeUrl}}&amp;l=de">', '<a href="URL?l=de">'],
    ['#x', '<a href="{{unsubscribeUrl}}#x">', '<a href="URL#x">'],
    ['in text', '<p>{{unsubscribeUrl}}&amp;l=de</p>', '<p>URL?l=de</p>'],
    ['and words', '<p>{{unsubscribeUrl}} &amp; more</p>', '<p>URL &amp; more</p>'],
    [
      'of another page',
      '<a href="https://shop.example/leave?to={{unsubscribeUrl}}&l=de">',
      '<a href="https://shop.example/leave?to=URL&amp;l=de">',
    ],
    [
      'of a mail',
      '<a href="mailto:a@shop.example?body={{ unsubscribeUrl }}&subject=x">',
      '<a href="mailto:a@shop.example?body=URL&amp;subject=x">',
    ],
    [
      'of a page in text',
      '<p>shop.example/?to={{unsubscribeUrl}}&amp;l=de</p>',
      '<p>shop.example/?to=URL&amp;l=de</p>',
    ],
  ])('with a query: %s', (_what, html, expected) => {
    expect(fill(html)).toBe(expected);
  });

  test.each([
    ['a scheme before it', '<a href="https://{{unsubscribeUrl}}">', '<a href="URL">'],
    ['another', '<a href="http://{{ unsubscribeUrl }}?l=de">', '<a href="URL?l=de">'],
    ['two slashes', '<a href="//{{unsubscribeUrl}}">', '<a href="URL">'],
    ['encoded braces', '<a href="%7B%7BunsubscribeUrl%7D%7D">', '<a href="URL">'],
    ['encoded blanks', '<a href="http://%7b%7b%20unsubscribeUrl%20%7d%7d">', '<a href="URL">'],
    ['entities', '<a href="&#123;&#123;unsubscribeUrl&#125;&#125;">', '<a href="URL">'],
    [
      'a button of Outlook',
      '<!--[if mso]><v:roundrect href="{{unsubscribeUrl}}&l=de" arcsize="8%"><![endif]-->',
      '<!--[if mso]><v:roundrect href="URL?l=de" arcsize="8%"><![endif]-->',
    ],
    [
      'what Outlook does not read',
      '<!--[if !mso]><!--><a href="http://{{unsubscribeUrl}}"><!--<![endif]-->',
      '<!--[if !mso]><!--><a href="URL"><!--<![endif]-->',
    ],
  ])('as editors of mails write it: %s', (_what, html, expected) => {
    expect(fill(html)).toBe(expected);
  });
});

test.each([
  ['Stop: {{ unsubscribeUrl }}.', 'Stop: URL.'],
  ['{{unsubscribeUrl}}&l=de', 'URL?l=de'],
  ['{{unsubscribeUrl}}?l=de&a=1', 'URL?l=de&a=1'],
  ['<{{unsubscribeUrl}}>', '<URL>'],
  ['https://{{unsubscribeUrl}}', 'URL'],
  ['{{ x }} unsubscribeUrl', '{{ x }} unsubscribeUrl'],
])('in text %s is %s', (body, expected) => {
  expect(fill(body, false)).toBe(expected);
});

test.each([
  ['<a href="{{unsubscribeUrl}}/de">x</a>', 3],
  ['<p>Hi</p><a href="{{unsubscribeUrl}}de">x</a>', 12],
  ['<a href="{{unsubscribeUrl}}.html">x</a>', 3],
  ['<p>{{unsubscribeUrl}}. {{unsubscribeUrl}}/de</p>', 23],
  ['<a href="/x?to={{unsubscribeUrl}}/de">x</a>', 3],
  ['<a href="/x?to={{unsubscribeUrl}}&de">x</a>', null],
  ['<p>{{unsubscribeUrl}}{{ user.city }}</p>', 3],
  ['<p>{{unsubscribeUrl}}{% if a %}, or{% endif %}</p>', null],
  ['<p>{{unsubscribeUrl}}{{unsubscribeUrl}}</p>', 3],
  ['<p>({{unsubscribeUrl}}), <b>{{unsubscribeUrl}}</b>. {{unsubscribeUrl}}</p>', null],
])('the URL of %s continues as another at %j', (html, at) => {
  expect(findUnsubscribePlaces(html, true).brokenAt).toBe(at);
});

test('the URL of a plain text continues as another, too', () => {
  expect(findUnsubscribePlaces('Stop: {{unsubscribeUrl}}de', false).brokenAt).toBe(6);
  expect(findUnsubscribePlaces('Stop: {{unsubscribeUrl}}.', false).brokenAt).toBeNull();
});

test.each([
  ['<a href="{{unsubscribeUrl}}">Unsubscribe</a>', true],
  ['<a class=x HREF = {{unsubscribeUrl}}>No more</a>', true],
  ['<a href="{{unsubscribeUrl}}?utm_source=mail">Unsubscribe</a>', true],
  ['<p>{{unsubscribeUrl}}</p>', true],
  ['<p>Hello</p>', false],
  ['<map><area href=" {{unsubscribeUrl}} "></map>', true],
  ['<form action="{{unsubscribeUrl}}"><button>Stop</button></form>', true],
  ['Hello\n{{unsubscribeUrl}}', true],
  ['Hello {{ unsubscribeUrl }}', true],
  ['<!-- <a href="{{unsubscribeUrl}}">Unsubscribe</a> -->', false],
  ['<p><!--[if mso]><a href="{{unsubscribeUrl}}">x</a>{{unsubscribeUrl}}<![endif]--></p>', false],
  ['<a data-href="{{unsubscribeUrl}}">Unsubscribe</a>', false],
  ['<p><title>{{unsubscribeUrl}}</title><style>{{unsubscribeUrl}}</style>', false],
  ['<link href={{unsubscribeUrl}}>', false],
  ['<a href="https://x.example" href="{{unsubscribeUrl}}">Unsubscribe</a>', false],
])('the body %s shows where to unsubscribe: %s', (body, isShown) => {
  expect(hasUnsubscribeLink({ body })).toBe(isShown);
});
