import type { Campaign } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { Json } from '../../ui/code.tsx';
import { MessagePreview } from '../../ui/message-preview.tsx';

export function MessageCard({ campaign }: { readonly campaign: Campaign }) {
  return (
    <div className="columns">
      <Card title="As on the device">
        <MessagePreview channel={campaign.channel} message={campaign.message} />
      </Card>
      <Card title="As it was sent">
        <Json value={campaign.message} label="The message’s JSON" />
      </Card>
    </div>
  );
}
