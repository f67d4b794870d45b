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
import { humanize } from '../../lib/format.ts';
import { UserLink } from './user-link.tsx';
import { Why } from './why.tsx';

/** One message of a request: what became of it, and what is stored of it. */
export function MessageDialog({ requestId, index, onClose }: { readonly requestId: string; readonly index: string; readonly onClose: () => void }) {
  const read = useRead<MessageDetail>(`ingest/${requestId}/messages/${encodeURIComponent(index)}`);
  return (
    <Dialog title={`Message ${index}`} onClose={onClose} isWide>
      <Loaded read={read}>{(message) => <Detail message={message} />}</Loaded>
      <div className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

function whyNothing({ type, outcome, customUserId }: MessageDetail): string {
  if (type !== 'user' || outcome !== 'processed') return 'Nothing of it is stored.';
  return customUserId === undefined ? 'What it set is in the profile of its user, of whom no more is kept here.' : 'Nothing of it stands in the profile: it set nothing, or later messages have replaced it.';
}

function Detail({ message }: { readonly message: MessageDetail }) {
  const { duplicateOf, stored } = message;
  const time = stored?.['time'];
  return (
    <>
      <Facts
        facts={[
          ['Id', <code className="wrap">{message.id}</code>],
          ['Outcome', <StatusBadge status={message.outcome} />],
          ['Type', humanize(message.type)],
          ['User', <UserLink customUserId={message.customUserId} />],
          ['Event time', <Time at={typeof time === 'number' || typeof time === 'bigint' ? time : null} />],
          ['Arrived', <Time at={message.receivedAt} />],
        ]}
      />
      {message.reason !== undefined && <Why entry={message} isWhole />}
      {duplicateOf !== undefined && (
        <p>
          The first one with this id:{' '}
          <Link to="/ingest/$requestId" params={{ requestId: duplicateOf.requestId }} search={{ message: String(duplicateOf.index) } as never}>
            message {duplicateOf.index} of <code className="wrap">{duplicateOf.requestId}</code>
          </Link>
        </p>
      )}
      {stored === null ? <p className="soft">{whyNothing(message)}</p> : <Json value={stored} label={message.type === 'user' ? 'What stands of it in the profile' : 'The message as it is stored'} />}
    </>
  );
}
