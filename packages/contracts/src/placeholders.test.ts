import { describe, expect, test } from '@jest/globals';
import type { Channel } from './channels.ts';
import { hasUnsubscribeLink, unknownPlaceholders } from './placeholders.ts';

const LINK = '<a href="{{unsubscribeUrl}}">Unsubscribe</a>';

describe('a placeholder that nothing fills in', () => {
  test.each<[Channel, object, readonly string[]]>([
    ['EMAIL', { title: 'Hello {{firstName}}', body: 'Your city is {{ city }}' }, ['/message/title', '/message/body']],
    ['EMAIL', { title: 'Hello', body: `<p>Hello</p>${LINK}` }, []],
    ['EMAIL', { body: `<p>{{ user.firstName | default: "there" }}</p>${LINK}` }, ['/message/body']],
    ['EMAIL', { body: 'Unsubscribe: {{unsubscribeUrl}}' }, []],
    ['EMAIL', { body: `<p>{{unsubscribeUrl}}</p>${LINK}` }, ['/message/body']],
    ['EMAIL', { title: '{{unsubscribeUrl}}', body: 'x' }, ['/message/title']],
    ['SMS', { body: 'Stop: {{unsubscribeUrl}}' }, ['/message/body']],
    ['APP_PUSH', { body: 'x', customContent: { 'a/b': { '~': ['{{x}}'] } }, buttons: [{ label: '{{y}}', link: 'https://x.example/{{z}}' }] }, ['/message/customContent/a~1b/~0/0', '/message/buttons/0/label', '/message/buttons/0/link']],
    ['WEB_HOOK', { body: { text: 'Hello {{name}}', count: 5, none: null } }, ['/message/body/text']],
    ['SMS', { body: '{{}} {{ {name} { {a}} {{a}' }, []],
  ])('of %s in %j is at %j', (channel, message, pointers) => {
    expect(unknownPlaceholders(channel, message as never)).toEqual(pointers);
  });

  test('is looked for in a bounded number of values, and named a hundred times at most', () => {
    const body = { body: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, '{{x}}'])) };
    const deep = { body: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index])), title: '{{x}}' };

    expect(unknownPlaceholders('WEB_HOOK', body as never)).toHaveLength(100);
    expect(unknownPlaceholders('WEB_HOOK', deep as never)).toEqual([]);
  });

  test('below a very long name is named by what the name is in', () => {
    expect(unknownPlaceholders('APP_PUSH', { body: 'x', customContent: { ['k'.repeat(30_000)]: '{{x}}' } } as never)).toEqual(['/message/customContent']);
  });

  test('is found in a time that grows with the text alone', () => {
    const startedAt = performance.now();
    for (const text of ['{{', '{{a', 'href=', `href${' '.repeat(15)}`, `{{${'a'.repeat(250)}`]) unknownPlaceholders('EMAIL', { body: `<p>${text.repeat(256 * 1_024 / text.length)}` });

    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

test.each([
  [LINK, true],
  ['<a class=x HREF = {{unsubscribeUrl}}>No more</a>', true],
  ['<p>{{unsubscribeUrl}}</p>', false],
  ['<p>Hello</p>', false],
  ['Hello\n{{unsubscribeUrl}}', true],
  ['Hello {{ unsubscribeUrl }}', false],
])('the body %s shows where to unsubscribe: %s', (body, isShown) => {
  expect(hasUnsubscribeLink(body)).toBe(isShown);
});
