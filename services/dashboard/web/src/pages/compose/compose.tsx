import { CHANNELS, type Channel, type DryRunAnswer, type PushAccepted } from '@tidings/contracts';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Form, Select, TextArea, TextField } from '../../ui/field.tsx';
import { MessagePreview } from '../../ui/message-preview.tsx';
import { optionsOf } from '../../ui/options.ts';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { channelName } from '../../words/names.ts';
import { DryRunResult } from './dry-run-result.tsx';
import { MESSAGE_FIELDS, messageOf, readRecipients, requestOf, type Draft, type MessageField } from './draft.ts';

const START: Draft = { channel: 'EMAIL', recipients: '', purpose: 'transactional', fields: {} };

export function ComposePage() {
  const may = useMay('compose');
  return (
    <Page title="Compose" description="A message to users you name. Try it dry: it says who will be reached, and why others will not.">
      {may ? (
        <Composer />
      ) : (
        <Card>
          <Empty title="Your role does not send" icon="compose">
            An owner, admin or marketer can.
          </Empty>
        </Card>
      )}
    </Page>
  );
}

function Composer() {
  const [draft, setDraft] = useState(START);
  const [isAsked, setAsked] = useState(false);
  const navigate = useNavigate();
  const rehearse = useChange<Draft, DryRunAnswer>((input) => ({ path: 'campaigns', method: 'POST', body: requestOf(input, true) }), []);
  const send = useChange<Draft, PushAccepted>((input) => ({ path: 'campaigns', method: 'POST', body: requestOf(input, false) }), ['campaigns']);
  const recipients = readRecipients(draft.recipients);
  const isReady = recipients.length > 0 && messageOf(draft).body !== '';
  const change = (changes: Partial<Draft>): void => {
    setDraft({ ...draft, ...changes });
    rehearse.reset();
    send.reset();
  };
  const confirm = (): void =>
    send.mutate(draft, {
      onSuccess: ({ campaignId }) => {
        showToast('On its way.');
        void navigate({ to: '/campaigns/$campaignId', params: { campaignId } });
      },
      onSettled: () => setAsked(false),
    });
  return (
    <div className="columns">
      <Card title="Message">
        <Form onSubmit={() => rehearse.mutate(draft)} error={send.error ?? rehearse.error}>
          <Fields draft={draft} recipientCount={recipients.length} onChange={change} />
          <div className="row">
            <Button type="submit" isBusy={rehearse.isPending} disabled={!isReady}>
              Dry run
            </Button>
            <Button kind="primary" disabled={!isReady} onClick={() => setAsked(true)}>
              Send
            </Button>
            {!isReady && <span className="soft small">Recipients and a text are needed.</span>}
          </div>
        </Form>
      </Card>
      <div className="stack">
        {rehearse.data !== undefined && rehearse.variables === draft && <DryRunResult answer={rehearse.data} />}
        <Card title="Preview">
          <MessagePreview channel={draft.channel} message={messageOf(draft)} />
        </Card>
      </div>
      {isAsked && (
        <Confirm title={`Send by ${channelName(draft.channel)}?`} action={`Send to ${formatCount(recipients.length)}`} isDangerous={false} isBusy={send.isPending} onConfirm={confirm} onClose={() => setAsked(false)}>
          <p>
            The message goes to {formatCount(recipients.length)} {recipients.length === 1 ? 'user' : 'users'} now.
            {rehearse.data === undefined ? ' You have not tried it dry.' : ` Of them ${formatCount(rehearse.data.reachable)} will be reached.`}
          </p>
        </Confirm>
      )}
    </div>
  );
}

function Fields({ draft, recipientCount, onChange }: { readonly draft: Draft; readonly recipientCount: number; readonly onChange: (changes: Partial<Draft>) => void }) {
  return (
    <>
      <div className="grid narrow">
        <Select label="Channel" pointer="/channel" value={draft.channel} onChange={(channel) => onChange({ channel: channel as Channel })} options={CHANNELS.map((value) => ({ value, label: channelName(value) }))} />
        <Select
          label="Purpose"
          pointer="/purpose"
          value={draft.purpose}
          onChange={(purpose) => onChange({ purpose: purpose as Draft['purpose'] })}
          options={optionsOf(['transactional', 'marketing'])}
          hint={draft.purpose === 'marketing' ? 'Quiet hours, caps and unsubscribing count' : 'For what the user waits for'}
        />
      </div>
      <TextArea
        label="Recipients"
        pointer="/recipients"
        value={draft.recipients}
        onChange={(recipients) => onChange({ recipients })}
        hint={recipientCount === 0 ? 'customUserIds, one a line or between commas' : `${formatCount(recipientCount)} different`}
        placeholder={'ada\ngrace'}
        spellCheck={false}
      />
      {MESSAGE_FIELDS[draft.channel].map((field) => (
        <MessageInput key={field.name} field={field} value={draft.fields[field.name] ?? ''} onChange={(value) => onChange({ fields: { ...draft.fields, [field.name]: value } })} />
      ))}
    </>
  );
}

function MessageInput({ field, value, onChange }: { readonly field: MessageField; readonly value: string; readonly onChange: (value: string) => void }) {
  const label = (
    <>
      {field.label}
      {field.isNeeded !== true && <span className="soft"> (optional)</span>}
    </>
  );
  const common = { label, pointer: `/message/${field.name}`, value, onChange, ...(field.hint !== undefined && { hint: field.hint }) };
  if (field.kind === 'choice') return <Select {...common} options={optionsOf(field.choices ?? [])} />;
  if (field.kind === 'long' || field.kind === 'json') return <TextArea {...common} rows={field.name === 'body' ? 8 : 3} />;
  return <TextField {...common} inputMode={field.kind === 'number' ? 'numeric' : undefined} />;
}
