import { expect, test } from '@jest/globals';
import { ROUTE_ROLES } from '@tidings/api-spec/roles';
import { auditSentence, hasSentence } from './audit-sentences.ts';

const NOTHING = { target: {}, detail: {} };
/** They change nothing, so there is no entry of them. */
const QUESTIONS =
  /^POST (segments\/(preview|count|explain|users)|users\/resolve|templates\/(:slug\/)?preview|campaigns\/:campaignId\/render|(funnels|trends|retention)\/(result|users)|funnels\/(explain|preview))$/;

test.each(
  Object.keys(ROUTE_ROLES).filter(
    (action) => !action.startsWith('GET ') && !QUESTIONS.test(action),
  ),
)('%s has a sentence of its own', (action) => {
  expect(hasSentence(action)).toBe(true);
});

test.each([
  [
    'POST keys',
    { target: { keyId: '1' }, detail: { name: 'Back end', type: 'server' } },
    'Created an API key: “Back end”',
  ],
  ['PUT segments/:slug', { target: { slug: 'berlin' }, detail: {} }, 'Saved a segment: “berlin”'],
  [
    'DELETE users/:customUserId',
    { target: { customUserIdSha256: '8a85' }, detail: {} },
    'Deleted a user',
  ],
  ['PUT channels/EMAIL', NOTHING, 'Changed the settings of E-mail'],
  ['GET dead-letters', NOTHING, 'Exported a list of dead letters'],
  ['POST moons/:moonId/land', NOTHING, 'Changed moons'],
] as const)('%s is a sentence', (action, values, sentence) => {
  expect(auditSentence(action, values)).toBe(sentence);
});
