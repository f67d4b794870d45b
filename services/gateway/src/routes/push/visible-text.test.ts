import { accepted, describePushCorpus, pushOf, rejected } from '../../testing/push-corpus.ts';

describePushCorpus('a text without a visible character', ({ cases }) => {
  const invisible = {
    space: ' ',
    'line breaks': '\r\n\t',
    'no-break and ideographic spaces': '\u00a0\u3000\u2003',
    'zero-width characters': '\u200b\u200d\u2060\ufeff',
    'direction marks': '\u200e\u202a\u202c\u2066',
    fillers: '\u3164\u2800\u115f\ufe0f',
  };
  const texts = ['SMS', 'EMAIL', 'WEB_PUSH', 'APP_PUSH', 'IN_APP', 'ON_SITE'] as const;
  cases([
    ...texts.flatMap((channel) =>
      Object.entries(invisible).map(([name, body]) =>
        rejected(`${channel} of ${name}`, pushOf(channel, { body }), '/message/body invalid_value'),
      ),
    ),
    ...texts
      .filter((channel) => channel !== 'SMS')
      .map((channel) =>
        rejected(
          `${channel} with such a title`,
          pushOf(channel, { title: ' \u200b' }),
          '/message/title invalid_value',
        ),
      ),
    rejected(
      'a label of a button',
      pushOf('WEB_PUSH', { buttons: [{ label: '\u200b', link: 'https://a.example' }] }),
      '/message/buttons/0/label invalid_value',
    ),
    accepted('one emoji between them', pushOf('SMS', { body: ' \u200b👍 ' })),
    accepted('an empty title', pushOf('EMAIL', { title: '' })),
    accepted('a dot', pushOf('SMS', { body: '.' })),
  ]);
});
