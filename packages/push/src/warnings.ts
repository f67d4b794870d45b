import { WARNINGS_MAX, type Warning } from '@tidings/contracts';

const CHANNEL_UNTESTED: Warning = {
  code: 'channel_untested',
  pointer: '/channel',
  detail:
    'No test send of this channel has succeeded; it is sent all the same, as the application has it.',
};

/** The warnings of a push, with the one about its channel first where there is cause for it. */
export function withChannelWarning(
  warnings: readonly Warning[],
  isUntested: boolean,
): readonly Warning[] {
  return isUntested ? [CHANNEL_UNTESTED, ...warnings].slice(0, WARNINGS_MAX) : warnings;
}
