import { expect, test } from '@jest/globals';
import { buildRequest, parseDraft } from '../compose/draft.ts';
import { fromContent, listDifferences, toContent } from '../compose/draft-content.ts';
import { buildWinner, describeAfter, newWinner, readWinner } from './winner.ts';

const templates = ['a', 'b'].map((slug) => ({ slug, version: '', share: '50' }));
const draft = { ...parseDraft({ channel: 'EMAIL', template: 'a' }), templates };
const winner = { percent: '20', by: 'clicked', after: '4h' } as const;

test('a draft of a split says how the better template is found', () => {
  expect(buildRequest({ ...draft, winner }, false)).toMatchObject({
    split: [{ template: 'a' }, { template: 'b' }],
    winner: { percent: 20, by: 'clicked', after: '4h' },
  });
  expect(buildRequest(draft, false)).not.toHaveProperty('winner');
});

test('one template, or a message, has none', () => {
  const one = { ...draft, winner, templates: templates.slice(0, 1) };

  expect(buildRequest(one, false)).not.toHaveProperty('winner');
  expect(buildRequest({ ...draft, winner, content: 'message' }, false)).not.toHaveProperty(
    'winner',
  );
});

test('what the channel does not report decides nothing', () => {
  expect(newWinner('EMAIL')).toEqual(winner);
  expect(newWinner('SMS')).toBeNull();
  expect(buildWinner({ channel: 'SMS', winner })).toEqual({});
});

test('it is stored with the draft, and read again', () => {
  const content = toContent({ ...draft, winner });

  expect(fromContent(content).winner).toEqual(winner);
  expect(listDifferences(content, toContent(draft))).toEqual(['templates']);
});

test.each([
  ['nothing', undefined, null],
  ['a text', 'a', null],
  ['other fields', { by: 'revenue' }, { percent: '', by: 'clicked', after: '4h' }],
])('%s of another program counts as missing', (_what, stored, expected) => {
  expect(readWinner(stored)).toEqual(expected);
});

test.each([
  ['1h', '1 hour'],
  ['90m', '90 minutes'],
  ['7d', '7 days'],
])('%s is %s', (after, words) => {
  expect(describeAfter(after)).toBe(words);
});
