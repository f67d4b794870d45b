import type {
  DryRunAnswer,
  PushAccepted,
  SegmentDryRunAnswer,
} from '@tidings/contracts/push/campaigns';
import { LIMITS } from '@tidings/contracts/limits';
import { Link, useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { httpStatus } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import type { StoredDraft } from '../../api/types.ts';
import { newId } from '../../lib/ids.ts';
import { Form } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { AudienceCheck } from './audience-check.tsx';
import { AudienceStep } from './audience-step.tsx';
import { announce, HOLD_SECONDS } from './announce.ts';
import { ContentPreview } from './content-preview.tsx';
import { buildRequest, changeDraft, type Draft } from './draft.ts';
import { fromContent, toContent } from './draft-content.ts';
import { DraftGuards } from '../drafts/draft-guards.tsx';
import { DraftWarnings } from './draft-warnings.tsx';
import { MessageStep } from './message-step.tsx';
import { useReach } from './reach.tsx';
import { SaveState } from '../drafts/save-state.tsx';
import { SegmentCheck } from './segment-check.tsx';
import { SendTest } from './send-test.tsx';
import { SendBar } from './send-bar.tsx';
import { TagsField } from './tags-field.tsx';
import { TimeStep } from './time-step.tsx';
import { useDraftSaver } from '../drafts/use-draft-saver.ts';
import { useResolved } from './use-resolved.ts';
import { useTemplates } from '../templates/use-templates.ts';

type ComposerProps = {
  readonly start: Draft;
  /** What is stored of it; null: nothing yet. */
  readonly stored: StoredDraft | null;
  /** Called once what is written here is stored as a draft of its own. */
  readonly onCreated: (draftId: string) => void;
};

/** Edits a draft in three steps, shows it beside them, and sends it as a campaign. */
export function Composer({ start, stored, onCreated }: ComposerProps) {
  const [edited, setDraft] = useState(start);
  const showStored = ({ content }: StoredDraft): void => show(fromContent(content));
  const saving = useDraftSaver({ draft: stored, onCreated, onNewer: showStored });
  const draft = useTemplateChannel(edited);
  // Unchanged until the draft changes: a second click or a retry after a lost response sends nothing twice.
  const [idempotencyKey, setIdempotencyKey] = useState(newId);
  const navigate = useNavigate();
  const people = useResolved(draft);
  /** With the users of listed addresses in their places. */
  const asSent = (input: Draft): Draft => ({ ...input, recipients: people.ids.join('\n') });
  const audienceCheck = useChange<Draft, DryRunAnswer | SegmentDryRunAnswer>(
    (input) => ({ path: 'campaigns', method: 'POST', body: buildRequest(asSent(input), true) }),
    [],
  );
  const send = useChange<Draft, Pick<PushAccepted, 'campaignId'>>(
    (input) => ({
      path: 'campaigns',
      method: 'POST',
      query: { ...saving.sendQuery(), ...(input.when === 'now' && { holdSeconds: HOLD_SECONDS }) },
      body: buildRequest(asSent(input), false),
      idempotencyKey,
    }),
    ['campaigns', 'drafts'],
  );
  const reach = useReach(draft);
  const formId = useId();
  const show = (next: Draft): void => {
    setDraft(next);
    setIdempotencyKey(newId());
    audienceCheck.reset();
    send.reset();
  };
  const change = (changes: Partial<Draft>): void => {
    const next = changeDraft(draft, changes);
    show(next);
    saving.change(toContent(next));
  };
  const checkAudience = (): void => {
    send.reset();
    audienceCheck.mutate(draft);
  };
  const sendDraft = async (): Promise<void> => {
    if ((await saving.flush()) === 'conflict') return;
    send.mutate(draft, {
      onSuccess: ({ campaignId }) => {
        saving.drop();
        announce({
          campaignId,
          when: draft.when,
          content: toContent(draft),
          openDraft: (id) => void navigate({ to: '/compose', search: { draft: id } as never }),
        });
        void navigate({ to: '/campaigns/$campaignId', params: { campaignId } });
      },
      onError: (error) => {
        if (httpStatus(error) === 409) void saving.recheck();
      },
    });
  };
  return (
    <Page
      title={draft.name.trim() === '' ? 'New campaign' : draft.name}
      back={<Link to="/campaigns">← All campaigns</Link>}
      heading={
        <>
          <input
            className="name-field"
            aria-label="Name"
            dir="auto"
            placeholder="Name this campaign"
            maxLength={LIMITS.campaignNameCharsMax}
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
          />
          <TagsField tags={draft.tags} onChange={(tags) => change({ tags })} />
        </>
      }
      actions={
        <>
          <SaveState saving={saving} />
          <SendTest draft={draft} />
        </>
      }
      isList
    >
      <DraftGuards saving={saving} onNewer={showStored} />
      <div className="compose">
        <Form
          id={formId}
          className="compose-steps"
          onSubmit={checkAudience}
          error={send.error ?? audienceCheck.error}
        >
          <AudienceStep draft={draft} reach={reach} people={people} onChange={change} />
          <MessageStep draft={draft} onChange={change} />
          <TimeStep draft={draft} onChange={change} />
        </Form>
        <div className="compose-side">
          <ContentPreview draft={draft} />
          <DraftWarnings draft={draft} onChange={change} />
          {audienceCheck.data !== undefined && <Check answer={audienceCheck.data} />}
        </div>
        <SendBar
          draft={draft}
          reach={reach}
          people={people}
          isChecking={audienceCheck.isPending}
          isSending={send.isPending}
          onSend={() => void sendDraft()}
          formId={formId}
        />
      </div>
    </Page>
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
