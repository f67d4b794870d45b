import type {
  DryRunAnswer,
  PushAccepted,
  SegmentDryRunAnswer,
} from '@tidings/contracts/push/campaigns';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { counted, formatCount, formatLocalTime, formatTime } from '../../lib/format.ts';
import { newId } from '../../lib/ids.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Form } from '../../ui/field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { channelName } from '../../labels/channel-name.ts';
import { DraftFields } from './draft-fields.tsx';
import { DraftWarnings } from './draft-warnings.tsx';
import { AudienceCheck } from './audience-check.tsx';
import { SegmentCheck } from './segment-check.tsx';
import { listMissing, readRecipients, buildRequest, type Draft } from './draft.ts';
import { useSegments } from '../segments/use-segments.ts';
import { useTemplates } from '../templates/use-templates.ts';
import { ContentPreview } from './content-preview.tsx';

/** Edits a draft and sends it as a campaign, then opens the report. */
export function Composer({ start }: { readonly start: Draft }) {
  const [edited, setDraft] = useState(start);
  const draft = useTemplateChannel(edited);
  // Unchanged until the draft changes: a second click or a retry after a lost response sends nothing twice.
  const [idempotencyKey, setIdempotencyKey] = useState(newId);
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const audienceCheck = useChange<Draft, DryRunAnswer | SegmentDryRunAnswer>(
    (input) => ({ path: 'campaigns', method: 'POST', body: buildRequest(input, true) }),
    [],
  );
  const send = useChange<Draft, Pick<PushAccepted, 'campaignId'>>(
    (input) => ({
      path: 'campaigns',
      method: 'POST',
      body: buildRequest(input, false),
      idempotencyKey,
    }),
    ['campaigns'],
  );
  const audience = useAudienceName(draft);
  const verb = draft.when === 'now' ? 'Send' : 'Schedule';
  const missing = listMissing(draft);
  const isReady = missing.length === 0;
  const change = (changes: Partial<Draft>): void => {
    setDraft({ ...draft, ...changes });
    setIdempotencyKey(newId());
    audienceCheck.reset();
    send.reset();
  };
  const checkAudience = (): void => {
    send.reset();
    audienceCheck.mutate(draft);
  };
  const sendDraft = (): void =>
    send.mutate(draft, {
      onSuccess: ({ campaignId }) => {
        showToast(draft.when === 'now' ? 'Campaign queued' : 'Campaign scheduled');
        void navigate({ to: '/campaigns/$campaignId', params: { campaignId } });
      },
      onSettled: () => setConfirming(false),
    });
  return (
    <div className="columns">
      <Card title="Message">
        {/* Show errors after the dialog closes: only then can the invalid field get the focus. */}
        <Form
          onSubmit={checkAudience}
          error={isConfirming ? null : (send.error ?? audienceCheck.error)}
        >
          <DraftFields draft={draft} onChange={change} />
          <DraftWarnings draft={draft} onChange={change} />
          <div className="row">
            <Button type="submit" isBusy={audienceCheck.isPending} disabled={!isReady}>
              Check audience
            </Button>
            <Button kind="primary" disabled={!isReady} onClick={() => setConfirming(true)}>
              {verb}
            </Button>
            {!isReady && <span className="soft small">Required: {missing.join(', ')}</span>}
          </div>
        </Form>
      </Card>
      <div className="stack">
        {audienceCheck.data !== undefined && <Check answer={audienceCheck.data} />}
        <ContentPreview draft={draft} />
      </div>
      {isConfirming && (
        <Confirm
          title={`${verb} by ${channelName(draft.channel)}?`}
          action={`${verb} to ${audience}`}
          isDangerous={false}
          change={{ isPending: send.isPending }}
          onConfirm={sendDraft}
          onClose={() => setConfirming(send.isPending)}
        >
          <p>
            The message will be sent to {audience} {describeTime(draft)}.{' '}
            {audienceCheck.data === undefined
              ? 'You haven’t checked the audience yet.'
              : describeReach(audienceCheck.data)}
          </p>
        </Confirm>
      )}
    </div>
  );
}

function Check({ answer }: { readonly answer: DryRunAnswer | SegmentDryRunAnswer }) {
  return 'results' in answer ? <AudienceCheck answer={answer} /> : <SegmentCheck answer={answer} />;
}

/** A draft with the channel of its template: a URL may name the template alone. */
function useTemplateChannel(draft: Draft): Draft {
  const templates = useTemplates(draft.content === 'template');
  const [first] = draft.templates;
  const found = templates?.find(({ slug }) => slug === first?.slug);
  return draft.content === 'template' && found !== undefined
    ? { ...draft, channel: found.channel }
    : draft;
}

function useAudienceName({ to, segment, recipients }: Draft): string {
  const segments = useSegments(to === 'segment')?.items;
  if (to !== 'segment') return counted(readRecipients(recipients).length, 'user', 'users');
  const name = segments?.find(({ slug }) => slug === segment)?.name ?? segment;
  return `segment “${isolate(name)}”`;
}

function describeTime({ when, time }: Draft): string {
  if (when === 'now') return 'now';
  return when === 'at'
    ? `at ${formatTime(new Date(time).getTime(), Date.now())}`
    : `at ${formatLocalTime(time, Date.now())} in each recipient’s time zone`;
}

function describeReach(answer: DryRunAnswer | SegmentDryRunAnswer): string {
  const { reachable, recipients, unrenderable = {} } = answer;
  if (reachable === 0) return 'None of them can be reached.';
  const all = 'unique' in recipients ? recipients.unique : recipients.count;
  const reached =
    reachable === all
      ? 'All of them can be reached.'
      : `${formatCount(reachable ?? 0)} of them can be reached.`;
  return Object.values(unrenderable).some((count) => count > 0)
    ? `${reached} Some lack a value of the message, and may get none.`
    : reached;
}
