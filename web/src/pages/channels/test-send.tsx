import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { Channel } from '@tidings/contracts/channels/channels';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { ChannelState, TestSendResult } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, Card, Facts } from '../../ui/card.tsx';
import { Form, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Duration } from '../../ui/time.tsx';
import { explainDelivery, shownRemedy } from '../../labels/explain.ts';

/** Sends one real message in the same way as a campaign. Success makes the account ready. */
const useTestSend = (channel: Channel, to: string, account?: string) =>
  useChange<void, TestSendResult>(
    () => ({
      path: `channels/${channel}/test`,
      method: 'POST',
      body: { to, ...(account !== undefined && { account }) },
    }),
    ['channels', 'campaigns'],
  );

type ToProps = { readonly value: string; readonly onChange: (to: string) => void };

function ToField({ channel, ...value }: ToProps & { readonly channel: Channel }) {
  const { label, placeholder, isLong } = CHANNEL_DESCRIPTORS[channel].labels.testTo;
  const field = { label, placeholder, pointer: '/to', autoComplete: 'off', ...value };
  return isLong === true ? <TextArea {...field} /> : <TextField {...field} />;
}

/** The test send of a channel with one account. `account`: its name, while others are still stored. */
export function TestSend({
  state: { channel, status },
  account,
}: {
  readonly state: ChannelState;
  readonly account?: string;
}) {
  const [to, setTo] = useState('');
  const may = useMay('testChannels');
  const test = useTestSend(channel, to, account);
  return (
    <Card
      title="Test send"
      description="Sends one real message. The channel is ready once the provider accepts it."
    >
      {status === 'not_configured' ? (
        <p className="soft">Save the settings first.</p>
      ) : (
        <Form onSubmit={() => test.mutate()} error={test.error}>
          <fieldset disabled={!may} className="stack">
            <ToField channel={channel} value={to} onChange={setTo} />
            <div className="row">
              <Button
                kind="primary"
                type="submit"
                isBusy={test.isPending}
                disabled={to.trim() === ''}
              >
                Send test
              </Button>
            </div>
          </fieldset>
        </Form>
      )}
      {test.data !== undefined && <TestResult answer={test.data} tested="channel" />}
    </Card>
  );
}

/** The test send of one of several accounts. `to` stays for the next account. */
export function AccountTest({
  channel,
  account,
  isChanged,
  to,
  onChange,
  onClose,
}: {
  readonly channel: Channel;
  readonly account: string;
  /** Whether the page has settings that are not saved. */
  readonly isChanged: boolean;
  readonly to: string;
  readonly onChange: (to: string) => void;
  readonly onClose: () => void;
}) {
  const test = useTestSend(channel, to, account);
  return (
    <FormDialog
      title={`Test send by ${account}`}
      action="Send test"
      dismiss={test.data === undefined ? 'Cancel' : 'Close'}
      isIncomplete={to.trim() === ''}
      change={test}
      onSubmit={() => test.mutate()}
      onClose={onClose}
    >
      <p className="soft">
        Sends one real message. The account is ready once the provider accepts it.
        {isChanged && ' Changes that are not saved are not tested.'}
      </p>
      <ToField channel={channel} value={to} onChange={onChange} />
      {test.data !== undefined && <TestResult answer={test.data} tested="account" />}
    </FormDialog>
  );
}

function TestResult({
  answer,
  tested,
}: {
  readonly answer: TestSendResult;
  readonly tested: 'account' | 'channel';
}) {
  const advice = answer.reason === undefined ? null : explainDelivery(answer.reason);
  return (
    <div role="status" className="stack tight">
      <Callout tone={answer.ok ? 'good' : 'bad'}>
        <strong>
          {answer.ok
            ? `Test sent – ${tested} ready`
            : `Test failed: ${humanize(answer.reason ?? answer.status)}`}
        </strong>
        {advice !== null && !answer.ok && (
          <p>
            {advice.summary} {shownRemedy(advice)}
          </p>
        )}
        {!answer.ok && answer.status === 'pending' && (
          <p>No result yet. The test continues; see its report under Campaigns.</p>
        )}
      </Callout>
      <Facts
        facts={[
          ['Status', humanize(answer.status)],
          ['Provider code', <code>{answer.providerCode ?? '–'}</code>],
          [
            'Provider response',
            <span className="wrap" dir="auto">
              {answer.providerMessage ?? '–'}
            </span>,
          ],
          ['Duration', <Duration ms={answer.durationMs} />],
        ]}
      />
    </div>
  );
}
