import { describePushCorpus, pushOf, rejected } from '../../testing/push-corpus.ts';

const at = (fields: object) => ({ ...pushOf('SMS'), ...fields });
const row = (name: string, fields: object, ...errors: readonly string[]) =>
  rejected(name, at(fields), ...errors);

describePushCorpus('when a push is sent', ({ cases }) => {
  cases([
    row('sendAt that is text', { sendAt: '2026-12-24' }, '/sendAt wrong_type'),
    row('sendAt with a fraction', { sendAt: 1_800_000_000_000.5 }, '/sendAt wrong_type'),
    row('sendAt of true', { sendAt: true }, '/sendAt wrong_type'),
    row('sendAtLocal that is a number', { sendAtLocal: 9 }, '/sendAtLocal wrong_type'),
    row('both', { sendAt: 1, sendAtLocal: '2026-12-24T09:00' }, '/sendAtLocal exactly_one_of'),
    ...[
      '',
      '2026-12-24',
      '2026-12-24 09:00',
      '2026-12-24T09:00:00',
      '2026-12-24T09:00Z',
      '2026-12-24T09:00+01:00',
      '24.12.2026T09:00',
      ' 2026-12-24T09:00',
      '2026-12-24T09:00\n',
      '2026-02-30T09:00',
      '2027-02-29T09:00',
      '2026-13-01T09:00',
      '2026-00-10T09:00',
      '2026-12-32T09:00',
      '2026-12-24T24:00',
      '2026-12-24T09:60',
      '٢٠٢٦-12-24T09:00',
    ].map((text) =>
      row(
        `sendAtLocal ${JSON.stringify(text)}`,
        { sendAtLocal: text },
        '/sendAtLocal invalid_value',
      ),
    ),
  ]);
});
