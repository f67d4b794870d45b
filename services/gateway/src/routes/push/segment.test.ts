import { describePushCorpus, pushOf, rejected, type PushCase } from '../../testing/push-corpus.ts';

const { recipients: _recipients, ...message } = pushOf('SMS') as {
  readonly recipients: unknown;
};
const push = (fields: object) => ({ ...message, ...fields });
const german = { field: 'country', is: 'DE' };

const row = (name: string, fields: object, ...errors: readonly string[]): PushCase =>
  rejected(name, push(fields), ...errors);

describePushCorpus('whom a push is for', ({ cases }) => {
  cases([
    row('neither recipients nor a segment', {}, '/recipients required'),
    row(
      'a segment of null alone, which counts as absent',
      { segment: null },
      '/recipients required',
    ),
    row('recipients of null alone', { recipients: null }, '/recipients wrong_type'),
    row('both', { recipients: ['u1'], segment: 'german' }, ' exactly_one_of'),
    row(
      'both, with an empty list',
      { recipients: [], segment: 'german' },
      ' exactly_one_of',
      '/recipients empty',
    ),
    row(
      'both, with a condition',
      { recipients: ['u1'], segment: { condition: german } },
      ' exactly_one_of',
    ),
    row('a number', { segment: 5 }, '/segment wrong_type'),
    row('true', { segment: true }, '/segment wrong_type'),
    row('a list', { segment: ['german'] }, '/segment wrong_type'),
    row('an empty text', { segment: '' }, '/segment invalid_value'),
    row('capital letters', { segment: 'German' }, '/segment invalid_value'),
    row('a slug that begins with a hyphen', { segment: '-german' }, '/segment invalid_value'),
    row('a slug of 65 letters', { segment: 'g'.repeat(65) }, '/segment invalid_value'),
    row('a slug and a line break', { segment: 'german\n' }, '/segment invalid_value'),
    row('U+0000', { segment: 'ger\0man' }, '/segment invalid_value'),
    row('an empty object', { segment: {} }, '/segment/condition required'),
    row(
      'a condition without its key',
      { segment: german },
      '/segment/condition required',
      '/segment/field invalid_value',
      '/segment/is invalid_value',
    ),
    row(
      'a key beside the condition',
      { segment: { condition: german, name: 'x' } },
      '/segment/name invalid_value',
    ),
    row(
      'exclude inside',
      { segment: { condition: german, exclude: 'x' } },
      '/segment/exclude invalid_value',
    ),
    row('exclude that is no text', { segment: 'german', exclude: 5 }, '/exclude wrong_type'),
    row(
      'exclude that is a condition',
      { segment: 'german', exclude: { condition: german } },
      '/exclude wrong_type',
    ),
    row('exclude that is no slug', { segment: 'german', exclude: 'A b' }, '/exclude invalid_value'),
    row('recheck that is no boolean', { segment: 'german', recheck: 'yes' }, '/recheck wrong_type'),
    row(
      'exclude beside a list',
      { recipients: ['u1'], exclude: 'german' },
      '/exclude invalid_value',
    ),
    row('recheck beside a list', { recipients: ['u1'], recheck: true }, '/recheck invalid_value'),
    row(
      'faults elsewhere as well',
      { segment: 5, purpose: 'fun' },
      '/segment wrong_type',
      '/purpose invalid_value',
    ),
    row('the same in a dry run', { segment: 5, dryRun: true }, '/segment wrong_type'),
  ]);
});
