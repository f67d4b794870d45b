import { describe, expect, jest, test } from '@jest/globals';
import { toPlainText } from '@tidings/liquid/plain-text';
import { renderPool } from '@tidings/templates/process-pool';
import { parseTemplate, prepareText } from './mail-content.ts';

const applicationId = 'any';
const ROW = '<div><div>A row of a newsletter.</div></div>\n';

describe('a large body of HTML', () => {
  test('is converted to text elsewhere, once, and the text is the same', async () => {
    const message = { body: `<html>${ROW.repeat(400)}</html>` };

    const preparing = prepareText({ applicationId, message });

    expect(preparing).toBeInstanceOf(Promise);
    // The mails of a campaign begin together.
    expect(prepareText({ applicationId, message })).toBe(preparing);
    await preparing;
    expect(prepareText({ applicationId, message })).toBeUndefined();
    expect(parseTemplate(message).text).toBe(toPlainText(message.body));
  });
});

test('without a thread a large body is converted all the same', async () => {
  const message = { body: `<html>${ROW.repeat(400)}</html>` };
  const refused = jest
    .spyOn(renderPool, 'toPlainText')
    .mockRejectedValueOnce(new Error('a rendering thread did not start'));
  try {
    await prepareText({ applicationId, message });

    expect(refused).toHaveBeenCalledTimes(1);
    expect(parseTemplate(message).text).toBe(toPlainText(message.body));
  } finally {
    refused.mockRestore();
  }
});

test.each([
  ['a small body', { body: `<html>${ROW}</html>` }],
  ['a large text', { body: 'x'.repeat(100_000) }],
  ['no body', {}],
])('nothing waits for %s', (_what, message) => {
  expect(prepareText({ applicationId, message })).toBeUndefined();
});
