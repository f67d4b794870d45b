import { expect, test } from '@jest/globals';
import { isMachineRequest } from './machine-requests.ts';

const request = (
  userAgent: string | undefined,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
) =>
  isMachineRequest({
    method,
    headers: { ...headers, ...(userAgent !== undefined && { 'user-agent': userAgent }) },
  });

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

test.each([
  [
    'Gmail’s proxy',
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  ],
  ['Apple’s proxy', 'Mozilla/5.0'],
  ['Yahoo’s proxy', 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'],
  ['a crawler', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
  ['a chat’s preview', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
  ['a browser without a window', CHROME.replace('Chrome/', 'HeadlessChrome/')],
])('%s is a machine', (_name, userAgent) => {
  expect(request(userAgent)).toBe(true);
});

test.each([
  ['HEAD', {}, 'HEAD'],
  ['a prefetch of Chrome', { 'sec-purpose': 'prefetch;prerender' }, 'GET'],
  ['a prefetch of old', { purpose: 'prefetch' }, 'GET'],
  ['a prefetch of Firefox', { 'x-moz': 'prefetch' }, 'GET'],
  ['a preview of Safari', { 'x-purpose': 'preview' }, 'GET'],
])('%s is a machine’s, for every browser', (_name, headers, method) => {
  expect(request(CHROME, headers, method)).toBe(true);
});

test.each([
  CHROME,
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; Microsoft Outlook 16.0)',
  undefined,
])('%s may be a person', (userAgent) => {
  expect(request(userAgent)).toBe(false);
});
