import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { ChannelState, TestSendResult } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, Card, Facts } from '../../ui/card.tsx';
import { Form, TextArea, TextField } from '../../ui/field.tsx';
import { Duration } from '../../ui/time.tsx';
import { explainDelivery, shownRemedy } from '../../labels/explain.ts';

/** Sends one real message in the same way as a campaign. Success makes the channel ready. */
export function TestSend({ state }: { readonly state: ChannelState }) {
  const [to, setTo] = useState('');
  const may = useMay('testChannels');
  const test = useChange<void, TestSendResult>(
    () => ({ path: `channels/${state.channel}/test`, method: 'POST', body: { to } }),
    ['channels', 'campaigns'],
  );
  const { label, placeholder, isLong } = CHANNEL_DESCRIPTORS[state.channel].labels.testTo;
  const isOff = state.status === 'not_configured';
  const field = {
    label,
    placeholder,
    pointer: '/to',
    value: to,
    onChange: setTo,
    autoComplete: 'off',
  };
  return (
    <Card
      title="Test send"
      description="Sends one real message. The channel is ready once the provider accepts it."
    >
      {isOff ? (
        <p className="soft">Save the settings first.</p>
      ) : (
        <Form onSubmit={() => test.mutate()} error={test.error}>
          <fieldset disabled={!may} className="stack">
            {isLong === true ? <TextArea {...field} /> : <TextField {...field} />}
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
      {test.data !== undefined && <TestResult answer={test.data} />}
    </Card>
  );
}

function TestResult({ answer }: { readonly answer: TestSendResult }) {
  const advice = answer.reason === undefined ? null : explainDelivery(answer.reason);
  return (
    <div role="status" className="stack tight">
      <Callout tone={answer.ok ? 'good' : 'bad'}>
        <strong>
          {answer.ok
            ? 'Test sent – channel ready'
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
