import type { Channel } from '@tidings/contracts/channels/channels';
import { useState } from 'react';
import { useRead } from '../api/queries.ts';
import { useMay } from '../api/roles.ts';
import type { SentMessage as Answer } from '../api/types.ts';
import { Button } from './button.tsx';
import { Callout } from './card.tsx';
import { Json } from './code.tsx';
import { MessagePreview } from './message-preview.tsx';
import { QuestionError } from './question-error.tsx';
import { Time } from './time.tsx';

type SentProps = {
  readonly campaignId: string;
  readonly deliveryId: string;
  readonly customUserId: string;
  readonly channel: Channel;
  readonly isMarketing?: boolean;
};

/** A button that shows the message of a delivery, word for word; nothing for those who may not read it. */
export function SentMessage(sent: SentProps) {
  const [isShown, setIsShown] = useState(false);
  if (!useMay('readSentMessages')) return null;
  return (
    <div className="stack tight">
      <div className="row">
        <Button isSmall aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? 'Hide the message' : 'Show the message'}
        </Button>
      </div>
      {isShown && <Shown {...sent} />}
    </div>
  );
}

function Shown({ campaignId, deliveryId, customUserId, channel, isMarketing = false }: SentProps) {
  const { data, error, refetch } = useRead<Answer>(
    `campaigns/${campaignId}/deliveries/${deliveryId}/message`,
  );
  if (error !== null) return <QuestionError error={error} onRetry={refetch} />;
  if (data === undefined) return <p className="soft">Rendering…</p>;
  const { message, isHtml, unknown, variant, values, renderedAt } = data;
  return (
    <div role="status" className="stack tight">
      {unknown !== undefined && <Callout tone="warn">{UNKNOWN[unknown]}</Callout>}
      {unknown === 'renderer_changed' && <Json value={values} label="Values that were filled in" />}
      {message !== undefined && (
        <>
          <p className="small wrap">
            {renderedAt === null ? (
              'The same for all recipients.'
            ) : (
              <>
                As <bdi>{customUserId}</bdi> got it on <Time at={renderedAt} />.
              </>
            )}
            {variant !== null && (
              <>
                {' '}
                Variant <strong dir="auto">{variant}</strong>.
              </>
            )}
          </p>
          <MessagePreview
            channel={channel}
            message={message}
            isMarketing={isMarketing}
            isHtml={isHtml}
          />
        </>
      )}
    </div>
  );
}

const UNKNOWN: Readonly<Record<NonNullable<Answer['unknown']>, string>> = {
  not_sent: 'There is no message yet: no attempt has begun.',
  not_kept:
    'What this user got was not recorded: the application does not keep personal messages, or did not when it was sent.',
  renderer_changed:
    'This version of Tidings would make other words of what was recorded, so the message is not shown. These values were filled in:',
};
