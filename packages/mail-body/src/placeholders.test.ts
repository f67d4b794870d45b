import { describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import { isHtmlMessage } from './is-html.ts';
import { unknownPlaceholders, unsubscribeFaults } from './placeholders.ts';

describe('placeholders', () => {
  const LINK = '<a href="{{unsubscribeUrl}}">Unsubscribe</a>';
  describe('a placeholder that nothing fills in', () => {
    test.each<[Channel, object, readonly string[]]>([
      [
        'EMAIL',
        { title: 'Hello {{firstName}}', body: 'Your city is {{ city }}' },
        ['/message/title', '/message/body'],
      ],
      ['EMAIL', { title: 'Hello', body: `<p>Hello</p>${LINK}` }, []],
      [
        'EMAIL',
        { body: `<p>{{ user.firstName | default: "there" }}</p>${LINK}` },
        ['/message/body'],
      ],
      ['EMAIL', { body: 'Unsubscribe: {{unsubscribeUrl}}' }, []],
      ['EMAIL', { body: `<p>{{ unsubscribeUrl }} {{x}}</p>${LINK}` }, ['/message/body']],
      ['EMAIL', { body: `<p>{{unsubscribeUrl}}</p><!-- ${LINK} -->` }, []],
      ['EMAIL', { title: '{{unsubscribeUrl}}', body: 'x' }, ['/message/title']],
      ['EMAIL', { body: '<a href="&#123;&#123;unsubscribeUrl}}">x</a>' }, []],
      ['SMS', { body: 'Stop: {{unsubscribeUrl}}' }, ['/message/body']],
      [
        'APP_PUSH',
        {
          body: 'x',
          customContent: { 'a/b': { '~': ['{{x}}'] } },
          buttons: [{ label: '{{y}}', link: 'https://x.example/{{z}}' }],
        },
        ['/message/customContent/a~1b/~0/0', '/message/buttons/0/label', '/message/buttons/0/link'],
      ],
      [
        'WEB_HOOK',
        { body: { text: 'Hello {{name}}', count: 5, none: null } },
        ['/message/body/text'],
      ],
      ['SMS', { body: 'Hi {% block "footer" %}' }, ['/message/body']],
      ['SMS', { body: '100 {%block} {% blocked %} {% block' }, []],
      ['SMS', { body: '{{}} {{ {name} { {a}} {{a}' }, []],
    ])('of %s in %j is at %j', (channel, message, pointers) => {
      expect(unknownPlaceholders(channel, message as never)).toEqual(pointers);
    });

    test('is looked for in a bounded number of values, and named a hundred times at most', () => {
      const body = {
        body: Object.fromEntries(
          Array.from({ length: 50_000 }, (_, index) => [`k${index}`, '{{x}}']),
        ),
      };
      const deep = {
        body: Object.fromEntries(
          Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]),
        ),
        title: '{{x}}',
      };

      expect(unknownPlaceholders('WEB_HOOK', body as never)).toHaveLength(100);
      expect(unknownPlaceholders('WEB_HOOK', deep as never)).toEqual([]);
    });

    test('below a very long name is named by what the name is in', () => {
      expect(
        unknownPlaceholders('APP_PUSH', {
          body: 'x',
          customContent: { ['k'.repeat(30_000)]: '{{x}}' },
        } as never),
      ).toEqual(['/message/customContent']);
    });

    test.each([
      '<a ',
      '<a href="',
      '<a href={{unsubscribeUrl}}>',
      '<a <b ',
      '<!doctype ',
      '<a',
      '<',
      '{{',
      '{{a',
      'href=',
      `href${' '.repeat(15)}`,
      `href=${' '.repeat(40)}`,
      `{{${'a'.repeat(250)}`,
      '{% block ',
      `{%${' '.repeat(9)}block ${'a'.repeat(190)}`,
    ])('is found in a time that grows with the text alone: many of %j', (part) => {
      const text = part.repeat((256 * 1_024) / part.length);
      const tookMs = [text, `<p>${text}`, `${text}{{`].map((body) =>
        fastest(() => void unknownPlaceholders('EMAIL', { body })),
      );

      // A search from each of its parts again would take minutes.
      expect(Math.max(...tookMs)).toBeLessThan(500);
    });
  });

  describe('{{unsubscribeUrl}} that nothing fills in is a fault', () => {
    test.each<[Channel, object, readonly string[]]>([
      ['EMAIL', { body: `<p>Hello</p>${LINK}` }, []],
      [
        'EMAIL',
        { title: 'Stop: {{ unsubscribeUrl }}', body: 'x' },
        ['/message/title unknown_variable'],
      ],
      [
        'EMAIL',
        { body: 'Stop: {{ unsubscribeUrl | upcase }}' },
        ['/message/body unknown_variable'],
      ],
      ['EMAIL', { body: '{{unsubscribeurl}}' }, ['/message/body unknown_variable']],
      ['EMAIL', { body: '<p>{{ x }} {{ y }}</p>' }, []],
      ['EMAIL', { body: '<a href="{{unsubscribeUrl}}/de">x</a>' }, ['/message/body unsafe_place']],
      ['SMS', { body: 'Stop: {{unsubscribeUrl}}' }, ['/message/body unknown_variable']],
      [
        'WEB_PUSH',
        { body: 'x', buttons: [{ label: 'x', link: 'https://{{unsubscribeUrl}}' }] },
        ['/message/buttons/0/link unknown_variable'],
      ],
      ['IN_APP', { body: `<p>${LINK}</p>` }, ['/message/body unknown_variable']],
      ['WEB_HOOK', { body: { text: 'Stop: {{unsubscribeUrl}}' } }, []],
    ])('of %s in %j: %j', (channel, message, expected) => {
      const faults = unsubscribeFaults(channel, message as never);

      expect(faults.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(expected);
    });
  });

  describe('a mail goes out as HTML when it has a tag of HTML', () => {
    test.each([
      ['<p>', true],
      ['<br/>', true],
      ['<!DOCTYPE html>', true],
      ['1 < 2 <b class="x">', true],
      ['<a\nhref="<">', true],
      ['<x-card />', false],
      ['<CENTER>', true],
      ['<font color="red">', true],
      ['Dear <name>, use List<Foo> as in <order id>', false],
      ['Map<string, List<Item>>', false],
      ['<order id="1"> <b>x</b>', true],
      ['<order id="1"> <br', false],
      [`<a ${'b'.repeat(1_000)}>`, true],
      [`<a ${'b'.repeat(1_002)}>`, false],
      [`<a <b <c ${'d'.repeat(1_002)}> <i >`, true],
      ['Hello', false],
      ['a < b > c', false],
      ['<ada@example.com>', false],
      ['<1>', false],
      ['</p>', false],
      ['<a ', false],
    ])('%s', (body, expected) => {
      expect(isHtmlMessage({ body })).toBe(expected);
    });
  });

  test.each([
    ['text', '<p>Hello</p>', false],
    ['html', 'Hello', true],
    [null, '<p>Hello</p>', true],
    [undefined, 'Dear <name>', false],
  ])('or as its format says: %s of %s', (format, body, expected) => {
    expect(isHtmlMessage({ body, format })).toBe(expected);
  });

  /** Milliseconds of CPU of the fastest run: others on the machine do not count. */
  function fastest(run: () => void): number {
    const tookMs = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    });
    return Math.min(...tookMs);
  }
});
