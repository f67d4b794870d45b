import { MAIL_FALLBACK_SUBJECT } from '@tidings/contracts';
import { credentials } from '../../api/credentials.ts';
import { useRead } from '../../api/queries.ts';
import type { Application, Campaign } from '../../api/types.ts';
import { useStore } from '../../lib/store.ts';
import { Card } from '../../ui/card.tsx';
import { Json } from '../../ui/code.tsx';
import { MessagePreview } from '../../ui/message-preview.tsx';

export function MessageCard({ campaign }: { readonly campaign: Campaign }) {
  const defaultSubject = useDefaultSubject(campaign);
  return (
    <div className="columns">
      <Card title="Preview">
        <MessagePreview
          channel={campaign.channel}
          message={campaign.message}
          isMarketing={campaign.purpose === 'marketing'}
          defaultSubject={defaultSubject}
        />
      </Card>
      <Card title="JSON">
        <Json value={campaign.message} label="Message JSON" />
      </Card>
    </div>
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
