import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { MessageDetail } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/card.tsx';
import { Json } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { UserLink } from '../../ui/user-link.tsx';
import { humanize } from '../../lib/format.ts';
import { IngestExplanation } from './ingest-explanation.tsx';

type MessageDialogProps = {
  readonly requestId: string;
  readonly index: string;
  /** Of whom the log was asked: a lone user message is known by this alone. */
  readonly customUserId: string;
  readonly onClose: () => void;
};

/** One message of a request: what became of it, and what is stored of it. */
export function MessageDialog({ requestId, index, customUserId, onClose }: MessageDialogProps) {
  const read = useRead<MessageDetail>(`ingest/${requestId}/messages/${encodeURIComponent(index)}`, {
    query: { customUserId },
  });
  return (
    <Dialog title={`Message ${index}`} onClose={onClose} isWide>
      <Loaded read={read}>{(message) => <Detail message={message} />}</Loaded>
      <div className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

/** Such a message sets fields of a profile, and its receipt does not say of whom. */
const isUserUnknown = ({ type, outcome, customUserId }: MessageDetail): boolean =>
  type === 'user' && outcome === 'processed' && customUserId === undefined;

function explainMissing(message: MessageDetail): string {
  if (message.type !== 'user' || message.outcome !== 'processed') return 'Nothing of it is stored.';
  return isUserUnknown(message)
    ? 'What it set is in the profile of its user. The log does not keep whose that is: look for the customUserId in the log and open the message from there, and it says what of it stands.'
    : 'Nothing of it stands in the profile: it set nothing, or later messages have replaced it.';
}

function Detail({ message }: { readonly message: MessageDetail }) {
  const { duplicateOf, stored } = message;
  const time = stored?.['time'];
  return (
    <>
      <Facts
        facts={[
          [
            'Id',
            <code className="wrap" dir="auto">
              {message.id}
            </code>,
          ],
          ['Outcome', <StatusBadge status={message.outcome} />],
          ['Type', humanize(message.type)],
          [
            'User',
            isUserUnknown(message) ? (
              <span className="soft">Not kept</span>
            ) : (
              <UserLink customUserId={message.customUserId} />
            ),
          ],
          [
            'Event time',
            <Time at={typeof time === 'number' || typeof time === 'bigint' ? time : null} />,
          ],
          ['Arrived', <Time at={message.receivedAt} />],
        ]}
      />
      {message.reason !== undefined && <IngestExplanation entry={message} isWhole />}
      {duplicateOf !== undefined && (
        <p>
          The first one with this id:{' '}
          <Link
            to="/ingest/$requestId"
            params={{ requestId: duplicateOf.requestId }}
            search={{ message: String(duplicateOf.index) } as never}
          >
            message {duplicateOf.index} of <code className="wrap">{duplicateOf.requestId}</code>
          </Link>
        </p>
      )}
      {stored === null ? (
        <p className="soft">{explainMissing(message)}</p>
      ) : (
        <Json
          value={stored}
          label={
            message.type === 'user'
              ? 'What stands of it in the profile'
              : 'The message as it is stored'
          }
        />
      )}
    </>
  );
}
