import { isReported } from '@tidings/contracts/push/campaign-result';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import type { Campaign } from '../../api/types.ts';
import { formatCount } from '../../lib/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { reachedBy, sentWithout } from './reached-by.ts';

/** Writes to a part of those who got a campaign. */
export function WriteAgain({ campaign }: { readonly campaign: Campaign }) {
  const navigate = useNavigate();
  const may = useMay('compose');
  const { channel, counts } = campaign;
  if (!may || counts.sent === 0 || campaign.recipientsDeletedAt !== null) return null;
  const parts: readonly {
    readonly label: string;
    readonly count: number;
    readonly condition: Condition;
  }[] = [
    {
      label: 'Everyone it was sent to',
      count: counts.sent,
      condition: reachedBy(campaign, 'sent'),
    },
    ...(['opened', 'clicked'] as const)
      .filter((step) => isReported(channel, step))
      .flatMap((step) => [
        {
          label: step === 'opened' ? 'Opened' : 'Clicked',
          count: counts[step],
          condition: reachedBy(campaign, step),
        },
        {
          label: step === 'opened' ? 'Not opened' : 'Not clicked',
          count: counts.sent - counts[step],
          condition: sentWithout(campaign, step),
        },
      ]),
  ];
  return (
    <Menu
      label="Write to…"
      items={parts
        .filter(({ count }) => count > 0)
        .map(({ label, count }) => ({ value: label, label, hint: formatCount(count) }))}
      onChoose={(chosen) => {
        const part = parts.find(({ label }) => label === chosen);
        if (part !== undefined)
          void navigate({
            to: '/compose',
            search: { condition: JSON.stringify(part.condition), channel } as never,
          });
      }}
    />
  );
}
