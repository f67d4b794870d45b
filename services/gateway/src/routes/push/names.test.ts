import { describePushCorpus, pushOf, rejected } from '../../testing/push-corpus.ts';

const named = (fields: object) => ({ ...pushOf('SMS'), ...fields });
const row = (name: string, fields: object, ...errors: readonly string[]) =>
  rejected(name, named(fields), ...errors);
const accepted = (name: string, fields: object) => ({ name, body: named(fields), status: 200 });

describePushCorpus('the name and tags of a push', ({ cases }) => {
  cases([
    accepted('a name of 200 characters outside the BMP', { name: '😀'.repeat(200) }),
    accepted('names in other scripts', {
      name: 'ברוכים הבאים — خوش آمدید',
      tags: ['Привет', 'שלום'],
    }),
    accepted('null', { name: null, tags: null }),
    accepted('no tags', { tags: [] }),
    accepted('ten tags of 50 characters', {
      tags: Array.from({ length: 10 }, (_, index) => `${index}${'x'.repeat(49)}`),
    }),
    accepted('tags that differ in case', { tags: ['a', 'A'] }),
    row('an empty name', { name: '' }, '/name empty'),
    row('a blank name', { name: ' \u3000' }, '/name invalid_value'),
    row('a name of two lines', { name: 'a\nb' }, '/name invalid_value'),
    row('a name with U+0000', { name: 'a\0b' }, '/name invalid_value'),
    row('a name with a lone surrogate', { name: 'a\ud800' }, '/name invalid_value'),
    row('a name of 201 characters', { name: 'x'.repeat(201) }, '/name too_long'),
    row('a name that is a number', { name: 5 }, '/name wrong_type'),
    row('tags that are text', { tags: 'a,b' }, '/tags wrong_type'),
    row('eleven tags', { tags: Array.from({ length: 11 }, (_, n) => `t${n}`) }, '/tags too_many'),
    row('a tag twice', { tags: ['a', 'b', 'a'] }, '/tags invalid_value'),
    row('an empty tag', { tags: ['a', ''] }, '/tags/1 empty'),
    row('a tag of 51 characters', { tags: ['x'.repeat(51)] }, '/tags/0 too_long'),
    row('a tag with a lone surrogate', { tags: ['\udc00'] }, '/tags/0 invalid_value'),
    row('a tag of null', { tags: [null] }, '/tags/0 wrong_type'),
  ]);
});
