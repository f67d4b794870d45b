import { MAIL_FALLBACK_SUBJECT } from '@tidings/contracts/push/links';
import { useState } from 'react';
import { credentials } from '../../api/credentials.ts';
import { useQuestion, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Application, Campaign, RenderedMessage } from '../../api/types.ts';
import { useStore } from '../../lib/store.ts';
import { Card } from '../../ui/card.tsx';
import { Json } from '../../ui/code.tsx';
import { MessagePreview } from '../../ui/message-preview.tsx';
import { ChooseUser } from '../templates/choose-user.tsx';
import { Rendered } from '../templates/rendered-message.tsx';
import { TemplateName } from './templates.tsx';

export function MessageCard({ campaign }: { readonly campaign: Campaign }) {
  const defaultSubject = useDefaultSubject(campaign);
  const mayRender = useMay('previewCampaigns');
  const [customUserId, setCustomUserId] = useState<string | null>(null);
  const isPersonal = campaign.templates !== null;
  return (
    <div className="columns">
      <Card
        title="Preview"
        {...(isPersonal && {
          description: `${isSplit(campaign) ? 'The first template' : 'The message'}, before values were filled in. For a user: ${isSplit(campaign) ? 'the template that the user has, ' : ''}as it would be sent now, with the values that the user has now.`,
        })}
      >
        {isPersonal && mayRender && (
          <ChooseUser customUserId={customUserId} onChoose={setCustomUserId} />
        )}
        {customUserId === null ? (
          <MessagePreview
            channel={campaign.channel}
            message={campaign.message}
            isMarketing={campaign.purpose === 'marketing'}
            defaultSubject={defaultSubject}
          />
        ) : (
          <RenderedNow
            // The last answer must not stay for another user.
            key={customUserId}
            campaign={campaign}
            customUserId={customUserId}
          />
        )}
      </Card>
      <Card title="JSON">
        <Json value={campaign.message} label="Message JSON" />
      </Card>
    </div>
  );
}

const isSplit = ({ templates }: Campaign): boolean => (templates?.length ?? 0) > 1;

function RenderedNow({
  campaign,
  customUserId,
}: {
  readonly campaign: Campaign;
  readonly customUserId: string;
}) {
  const { campaignId, channel, purpose } = campaign;
  const { data, error, refetch } = useQuestion<RenderedMessage>(
    `campaigns/${campaignId}/render`,
    { customUserId },
    true,
  );
  return (
    <Rendered
      channel={channel}
      isMarketing={purpose === 'marketing'}
      customUserId={customUserId}
      answer={data}
      error={error}
      onRetry={refetch}
      hasVariants={data?.variant != null}
    >
      {isSplit(campaign) && data?.template != null && (
        <p className="small wrap">
          <bdi>{customUserId}</bdi> has the template <TemplateName named={data.template} />.
        </p>
      )}
    </Rendered>
  );
}

/** The subject of e-mails without a title. While the settings load, a description of it. */
function useDefaultSubject({ channel, message }: Campaign): string {
  const { applicationId } = useStore(credentials);
  const isWanted = channel === 'EMAIL' && !message.title;
  const { data } = useRead<Application>(`applications/${applicationId}`, {
    enabled: isWanted && applicationId !== null,
  });
  if (data === undefined) return `The default subject, or “${MAIL_FALLBACK_SUBJECT}”`;
  return data.settings.defaultSubject || MAIL_FALLBACK_SUBJECT;
}
