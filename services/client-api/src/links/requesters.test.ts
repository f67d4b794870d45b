import { describe, expect, test } from '@jest/globals';
import { isMachineRequest } from './requesters.ts';

const request = (
  userAgent: string | undefined,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
) =>
  isMachineRequest({
    method,
    headers: { ...headers, ...(userAgent !== undefined && { 'user-agent': userAgent }) },
  });

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const CHROME = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`;
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const onAndroid = (device: string, more = '') =>
  `Mozilla/5.0 (Linux; Android 13; ${device}) ${WEBKIT} Chrome/120.0.0.0 Mobile Safari/537.36${more}`;

/** The rules know kinds of programs. They name none of these phones, apps, previews and scripts. */
const PERSONS = [
  // Browsers.
  CHROME,
  `${CHROME} Edg/140.0.0.0`,
  `${CHROME} OPR/114.0.0.0`,
  `${CHROME} Vivaldi/6.9.3447.37`,
  `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/130.0.0.0 Safari/537.36`,
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0',
  'Mozilla/5.0 (Android 14; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  `${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1`,
  `${IPHONE} CriOS/130.0.6723.90 Mobile/15E148 Safari/604.1`,
  `${IPHONE} FxiOS/131.0 Mobile/15E148 Safari/605.1.15`,
  `${IPHONE} GSA/340.0.690106310 Mobile/15E148 Safari/604.1`,
  onAndroid('SAMSUNG SM-S918B', '').replace('Chrome/', 'SamsungBrowser/26.0 Chrome/'),
  'Mozilla/5.0 (Windows NT 6.3; WOW64; Trident/7.0; rv:11.0) like Gecko',
  'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)',
  'Opera/9.80 (J2ME/MIDP; Opera Mini/9.80/36.872; U; en) Presto/2.12.423 Version/12.16',
  'Mozilla/5.0 (compatible; Konqueror/4.14; Linux) KHTML/4.14.26 (like Gecko)',
  // Phones whose names hold words of machines.
  'Mozilla/5.0 (Linux; Android 12; CUBOT) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36',
  onAndroid('CUBOT_P20'),
  onAndroid('CUBOT KINGKONG 5 Pro Build/S1'),
  onAndroid('CUBOT NOTE 21'),
  onAndroid('Hotwav Spider'),
  onAndroid('Preview'),
  onAndroid('MobiScanner M1'),
  // Browsers inside of apps.
  onAndroid('K', ' Telegram-Android/10.5'),
  onAndroid('SM-A515F; wv', ' Instagram 302.0.0.34.111 Android (33/13; 420dpi; samsung; SM-A515F)'),
  onAndroid('Pixel 7; wv', ' [FB_IAB/FB4A;FBAV/440.0.0.32.113;]'),
  `${IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/440.0.0.37.109;FBDV/iPhone14,5;FBLC/de_DE]`,
  `${IPHONE} Mobile/15E148 [LinkedInApp]/9.29.6500`,
  `${IPHONE} Mobile/15E148 [Pinterest/iOS]`,
  `${IPHONE} Mobile/15E148 Snapchat/12.65.0.36 (like Safari/8617.2.4.10.8, panda)`,
  `${IPHONE} Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/de`,
  `${IPHONE} Mobile/15E148 Safari Line/14.5.0`,
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.38 Chrome/124 Electron/30 Safari/537.36',
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Teams/1.6.00.4472 Chrome/85.0.4183.121 Electron/10.4.7 Safari/537.36`,
  `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} discord/0.0.27 Chrome/108.0.5359.215 Electron/22.3.2 Safari/537.36`,
  // Mail programs.
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
  `${IPHONE} Mobile/15E148`,
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.3.1',
  'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; Microsoft Outlook 16.0)',
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/7.0; .NET4.0C; Microsoft Outlook 16.0.5266; ms-office; MSOffice 16)',
  'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
  'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.12026; Pro)',
  'Outlook-iOS/723.4027091.prod.iphone (4.28.0)',
  'YahooMobileMail/1.0 (Android Mail; 6.28.3) (hammerhead; LGE; Nexus 5)',
  'Airmail 5.6.6 rv:727 (Macintosh; Mac OS X 13.4)',
  'Mozilla/4.0 (compatible; Lotus-Notes/6.0; Windows-NT)',
  // Proxies of mail providers, which load images when a person opens the mail.
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
  'Mozilla/5.0 (compatible; SeznamEmailProxy/2.0; +https://napoveda.seznam.cz/)',
  'OutlookImageProxy/1.0',
  'RamblerMail/6.0 (incompatible; ImageProxy/6.0)',
  `${CHROME} (via secureurl.fwdcdn.com - mail.ukr.net proxy)`,
];

const MACHINES = [
  // Apple's privacy proxy, and what says nothing at all.
  'Mozilla/5.0',
  '',
  ' ',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
  '-',
  // Crawlers.
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${WEBKIT} Chrome/130.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
  `${CHROME} BingPreview/1.0b`,
  'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0)',
  'Mozilla/5.0 (compatible; DotBot/1.2; help@moz.com)',
  `Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012; Storebot-Google/1.0) ${WEBKIT} Chrome/81.0.4044.138 Mobile Safari/537.36`,
  `Mozilla/5.0 (Windows NT 6.1; Win64; x64) ${WEBKIT} (compatible; Google-Safety) Chrome/120.0 Safari/537.36`,
  'Mozilla/5.0 (compatible; SomethingNew 1.0)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Applebot/0.1; +http://www.apple.com/go/applebot)',
  'Mozilla/5.0 (compatible; Mail.RU_Bot/2.0; +https://help.mail.ru/webmaster/indexing/robots)',
  // Previews of chats.
  'TelegramBot (like TwitterBot)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slack-ImgProxy 0.19 (+https://api.slack.com/robots)',
  'WhatsApp/2.23.20.0 A',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Iframely/1.3.1 (+https://iframely.com/docs/about)',
  'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)',
  // Scanners and watchers.
  'BarracudaSentinel/1.0 (EE)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/124.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
  `${CHROME} MailScanner/5`,
  `${CHROME} Site24x7-Link-Checker`,
  'Mozilla/5.0 (compatible; UptimeRobot/2.0)',
  'Microsoft Office Existence Discovery',
  // Scripts.
  'curl/8.5.0',
  'Wget/1.21.4',
  'python-requests/2.32.3',
  'Python/3.12 aiohttp/3.9.5',
  'Python-urllib/3.11',
  'Go-http-client/2.0',
  'Java/17.0.11',
  'Apache-HttpClient/4.5.14 (Java/17.0.11)',
  'okhttp/4.12.0',
  'axios/1.7.2',
  'node',
  'undici',
  'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
  'GuzzleHttp/7',
  'PostmanRuntime/7.39.0',
  'libwww-perl/6.77',
  'Ruby',
  'Mozilla/5.0 (Windows NT; Windows NT 10.0; de-DE) WindowsPowerShell/5.1.19041.1682',
];

test('the table is long enough to mean something', () => {
  expect(new Set([...PERSONS, ...MACHINES]).size).toBeGreaterThanOrEqual(90);
});

test.each(PERSONS)('may be a person: %s', (userAgent) => {
  expect(request(userAgent)).toBe(false);
});

test.each(MACHINES)('is a machine: %s', (userAgent) => {
  expect(request(userAgent)).toBe(true);
});

test('no user agent is a machine', () => {
  expect(request(undefined)).toBe(true);
});

describe('for every browser', () => {
  test.each([
    ['HEAD', {}, 'HEAD'],
    ['a prefetch of Chrome', { 'sec-purpose': 'prefetch;prerender' }, 'GET'],
    ['a prefetch of old', { purpose: 'prefetch' }, 'GET'],
    ['a prefetch of Firefox', { 'x-moz': 'prefetch' }, 'GET'],
    ['a preview of Safari', { 'x-purpose': 'preview' }, 'GET'],
  ])('%s is a machine’s', (_name, headers, method) => {
    expect(request(CHROME, headers, method)).toBe(true);
  });
});

test.each(['('.repeat(200_000), '(a;'.repeat(50_000), ')('.repeat(50_000), 'a/'.repeat(99_999)])(
  'a hostile header is read in linear time (%#)',
  (userAgent) => {
    const begun = process.cpuUsage();
    request(userAgent);

    expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000);
  },
);
