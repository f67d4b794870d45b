import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { PURPOSES, type Purpose } from '@tidings/contracts/push/purposes';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { ChannelState } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { Callout } from '../../ui/card.tsx';
import { Select } from '../../ui/select.tsx';
import { toOptions } from '../../ui/options.ts';
import { ContentFields } from './content-fields.tsx';
import { listMissingMessage, SHARE, type Draft } from './draft.ts';
import { Step } from './step.tsx';
import { createLinkedWords } from './linked-words.ts';
import { changeFields } from './step-words.ts';

const PURPOSE_HINTS: Readonly<Record<Purpose, string>> = {
  marketing:
    'Respects unsubscribes, quiet hours and frequency caps. Choose Transactional for receipts and password resets.',
  transactional: 'Receipts, password resets. Ignores unsubscribes, quiet hours and frequency caps.',
};

/** What is sent, by which channel, and for what. */
export function MessageStep({
  draft,
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}) {
  const [words] = useState(createLinkedWords);
  return (
    <Step number={2} title="Message" isDone={listMissingMessage(draft).length === 0}>
      <div className="grid narrow">
        <Select
          label="Channel"
          pointer="/channel"
          value={draft.channel}
          onChange={(channel) =>
            // A template is of one channel.
            onChange({
              channel: channel as Channel,
              fields: changeFields(words, draft, channel as Channel),
              templates: [{ slug: '', version: '', share: SHARE }],
            })
          }
          options={toOptions(CHANNELS, undefined, channelName)}
        />
        <Select
          label="Purpose"
          pointer="/purpose"
          value={draft.purpose}
          onChange={(purpose) => onChange({ purpose: purpose as Draft['purpose'] })}
          options={toOptions(PURPOSES)}
          hint={PURPOSE_HINTS[draft.purpose]}
        />
      </div>
      <ChannelNotice channel={draft.channel} />
      <ContentFields draft={draft} onChange={onChange} />
    </Step>
  );
}

/** Warns before the text is written if the channel cannot send. */
function ChannelNotice({ channel }: { readonly channel: Channel }) {
  const { data } = useRead<Listed<ChannelState>>('channels');
  const state = data?.items.find((each) => each.channel === channel);
  if (state === undefined || state.status === 'ready') return null;
  return (
    <Callout tone="warn">
      <p>
        {state.status === 'untested'
          ? `No ${channelName(channel)} test has succeeded yet. Messages fail until one does, unless the settings permit untested channels.`
          : `${channelName(channel)} is not configured. Messages fail until it is configured and a test has succeeded.`}{' '}
        <Link to="/channels/$channel" params={{ channel }}>
          Open channel
        </Link>
      </p>
    </Callout>
  );
}
