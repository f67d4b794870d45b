import type { Channel } from '@tidings/contracts/channels/channels';
import { isReported } from '@tidings/contracts/push/campaign-result';
import { Facts } from '../../ui/card.tsx';
import { PeopleNumber } from '../people/people-number.tsx';

const NAMES = { sent: 'Got a message', opened: 'Opened one', clicked: 'Clicked in one' } as const;
const WITHIN = '7d';

/** Whom the channel reached in the last week, and what they did. */
export function ChannelPeople({ channel }: { readonly channel: Channel }) {
  const steps = (['sent', 'opened', 'clicked'] as const).filter(
    (step) => step === 'sent' || isReported(channel, step),
  );
  return (
    <Facts
      facts={steps.map((was) => [
        `${NAMES[was]}, last 7 days`,
        <PeopleNumber
          key={was}
          condition={{ message: { channel }, was, within: WITHIN }}
          title={NAMES[was]}
          fileName={`${channel.toLowerCase()}-${was}.csv`}
        />,
      ])}
    />
  );
}
