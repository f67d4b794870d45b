import type { Campaign } from '../../api/types.ts';
import { actorName } from '../../labels/actor-name.ts';
import { channelName } from '../../labels/channel-name.ts';
import { formatCount, humanize } from '../../lib/format.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Audience } from './audience.tsx';
import { Begins } from './begins.tsx';
import { UsedTemplates } from './templates.tsx';

/** From whom a campaign comes, for whom and about what. */
export function OriginCard({ campaign }: { readonly campaign: Campaign }) {
  return (
    <Card title="Origin">
      <Facts
        facts={[
          ['Source', humanize(campaign.source)],
          [
            'Created by',
            <span className="wrap" dir="auto">
              {actorName(campaign.createdBy)}
            </span>,
          ],
          ...(campaign.audience === null
            ? []
            : [['Audience', <Audience audience={campaign.audience} />] as const]),
          ...(campaign.templates === null
            ? []
            : [['Template', <UsedTemplates templates={campaign.templates} />] as const]),
          ...(campaign.schedule === null
            ? []
            : [['Begins', <Begins schedule={campaign.schedule} />] as const]),
          ['Purpose', humanize(campaign.purpose)],
          ['Channel', channelName(campaign.channel)],
          ['Request', <code className="wrap">{campaign.requestId}</code>],
          ...(campaign.status === 'scheduled'
            ? []
            : [['Marked as spam', formatCount(campaign.counts.complained)] as const]),
        ]}
      />
    </Card>
  );
}
