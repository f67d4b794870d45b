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
      <Card title="As on the device">
        <MessagePreview
          channel={campaign.channel}
          message={campaign.message}
          isMarketing={campaign.purpose === 'marketing'}
          defaultSubject={defaultSubject}
        />
      </Card>
      <Card title="As it was sent">
        <Json value={campaign.message} label="The message’s JSON" />
      </Card>
    </div>
  );
}

/** The subject of mails without a title; until the settings are read, what it may be. */
function useDefaultSubject({ channel, message }: Campaign): string {
  const { applicationId } = useStore(credentials);
  const isWanted = channel === 'EMAIL' && !message.title;
  const { data } = useRead<Application>(`applications/${applicationId}`, {
    enabled: isWanted && applicationId !== null,
  });
  if (data === undefined) return `The application’s default subject, or “${MAIL_FALLBACK_SUBJECT}”`;
  return data.settings.defaultSubject || MAIL_FALLBACK_SUBJECT;
}
