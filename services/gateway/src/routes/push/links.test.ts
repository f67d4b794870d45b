import { accepted, describePushCorpus, pushOf, rejected } from '../../testing/push-corpus.ts';

const SPELLINGS = [
  'javascript:alert(1)',
  ' \tJaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript\r:alert(1)',
  '\u0001javascript:alert(1)',
  'javascript\u0009:alert(1)',
  'javascript&#58;alert(1)',
  'javascript&colon;alert(1)',
  '&#106;avascript:alert(1)',
  'data:text/html;base64,PHNjcmlwdD4=',
  'VBScript:MsgBox(1)',
  'file:///etc/passwd',
  'intent://scan/#Intent;scheme=zxing;end',
];
const LINKS = [
  { pointer: '/message/url', message: (link: string) => ({ url: link }) },
  { pointer: '/message/icon', message: (link: string) => ({ icon: link }) },
  { pointer: '/message/images/0/url', message: (link: string) => ({ images: [{ url: link }] }) },
  {
    pointer: '/message/buttons/0/link',
    message: (link: string) => ({ buttons: [{ label: 'Go', link }] }),
  },
];

describePushCorpus('links that run code or read files, however they are spelled', ({ cases }) => {
  cases(
    (['WEB_PUSH', 'APP_PUSH'] as const).flatMap((channel) =>
      LINKS.flatMap(({ pointer, message }) =>
        SPELLINGS.map((link) =>
          rejected(
            `${channel} ${pointer} ${JSON.stringify(link)}`,
            pushOf(channel, message(link)),
            `${pointer} invalid_value`,
          ),
        ),
      ),
    ),
  );
  cases([
    accepted(
      'an ampersand where links have one',
      pushOf('APP_PUSH', { url: 'shop://orders?from=push&id=5', icon: 'shop.example/a?b=1&c=2' }),
    ),
    accepted(
      'a scheme that only begins like one of them',
      pushOf('APP_PUSH', {
        url: 'intents://a',
        icon: 'files:///b',
        images: [{ url: 'database:1' }],
      }),
    ),
  ]);
});
