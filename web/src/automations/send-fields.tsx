import {
  type AutomationMessage,
  type AutomationSend,
  type AutomationTrigger,
  type SendOptions,
} from '@tidings/contracts/automations/definition';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import type { Purpose } from '@tidings/contracts/push/purposes';
import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { withoutAbsent } from '../conditions/leaf-props.ts';
import { channelName } from '../labels/channel-name.ts';
import { MessageInputs } from '../pages/compose/message-inputs.tsx';
import { buildMessage, toMessageTexts } from '../pages/compose/message-values.ts';
import type { StepWords } from '../pages/compose/step-words.ts';
import { useTemplates } from '../pages/templates/use-templates.ts';
import { ValueChips } from '../pages/templates/value-chips.tsx';
import { Button } from '../ui/button.tsx';
import { toNamedOptions, toOptions } from '../ui/options.ts';
import { Select } from '../ui/select.tsx';
import { useInsertion } from '../ui/use-insertion.ts';
import { Views } from '../ui/views.tsx';
import { EventChips, RunChips } from './event-chips.tsx';
import { SendOptionFields } from './send-option-fields.tsx';

const CONTENTS = [
  { value: 'message', label: 'Written here' },
  { value: 'template', label: 'From a template' },
];

type SendProps = {
  /** The id of its step. */
  readonly step: string;
  readonly words: StepWords;
  readonly send: AutomationSend;
  /** Its event may stand in texts. */
  readonly trigger: AutomationTrigger;
  readonly purpose: Purpose;
  readonly pointer: string;
  readonly onChange: (send: AutomationSend) => void;
};

/** The message, or several of which people get the first that reaches them. */
export function SendFields(props: SendProps) {
  const { step, words, send, purpose, pointer, onChange } = props;
  const { onUnreachable, quietHours, ...content } = send;
  const options = withoutAbsent<SendOptions>({ onUnreachable, quietHours });
  const isTry = 'try' in content;
  const messages = isTry ? content.try : [content];
  const change = (next: readonly AutomationMessage[]): void => {
    const [only] = next;
    onChange({
      ...(next.length === 1 && only !== undefined ? only : { try: next }),
      ...options,
    });
  };
  const unused = CHANNELS.filter((each) => !messages.some(({ channel }) => channel === each));
  return (
    <>
      {messages.map((message, index) => (
        <div key={message.channel} className="stack">
          {isTry && (
            <div className="row">
              <h3 className="grow">
                {index === 0 ? 'First by' : 'Or else by'} {channelName(message.channel)}
              </h3>
              <Button
                isSmall
                kind="plain"
                aria-label={`Remove ${channelName(message.channel)}`}
                onClick={() => {
                  words.keep(step, message);
                  change(messages.toSpliced(index, 1));
                }}
              >
                Remove
              </Button>
            </div>
          )}
          <MessageFields
            {...props}
            message={message}
            channels={CHANNELS.filter((each) => each === message.channel || unused.includes(each))}
            pointer={isTry ? `${pointer}/try/${index}` : pointer}
            onChange={(next) => change(messages.with(index, next))}
          />
        </div>
      ))}
      {unused[0] !== undefined && (
        <div className="row">
          <Button
            isSmall
            onClick={() => change([...messages, words.add(step, unused[0] as Channel)])}
          >
            + Another channel
          </Button>
          <span className="soft small">For people whom the one before does not reach.</span>
        </div>
      )}
      <SendOptionFields
        options={options}
        hasQuietHours={purpose === 'marketing'}
        onChange={(next) => onChange({ ...content, ...next })}
      />
    </>
  );
}

type MessageProps = Pick<SendProps, 'step' | 'words' | 'trigger'> & {
  /** Those that no other message of the step has. */
  readonly channels: readonly Channel[];
  readonly message: AutomationMessage;
  readonly pointer: string;
  readonly onChange: (message: AutomationMessage) => void;
};

function MessageFields({
  step,
  words,
  message,
  channels,
  trigger,
  pointer,
  onChange,
}: MessageProps) {
  const { channel, template } = message;
  return (
    <>
      <Select
        label="Channel"
        pointer={`${pointer}/channel`}
        value={channel}
        options={toOptions(channels, undefined, channelName)}
        onChange={(next) => onChange(words.toChannel(step, message, next as Channel))}
      />
      <div className="row">
        <Views
          label="Content"
          views={CONTENTS}
          value={template === undefined ? 'message' : 'template'}
          onChange={(next) =>
            onChange(
              next === 'template'
                ? words.toTemplate(step, message)
                : words.toMessage(step, message),
            )
          }
        />
      </div>
      {template === undefined ? (
        <WrittenFields {...{ message, trigger, pointer, onChange }} />
      ) : (
        <TemplateField {...{ channel, template, pointer, onChange }} />
      )}
    </>
  );
}

function WrittenFields({
  message,
  trigger,
  pointer,
  onChange,
}: Omit<MessageProps, 'step' | 'words' | 'channels'>) {
  const { channel } = message;
  // As it is typed: JSON and lists are read from texts.
  const [fields, setFields] = useState(() =>
    toMessageTexts(channel, message.message ?? { body: '' }),
  );
  const { boxProps, insert } = useInsertion();
  return (
    <>
      <ValueChips channel={channel} onInsert={insert} />
      {'event' in trigger && <EventChips trigger={trigger} onInsert={insert} />}
      <RunChips onInsert={insert} />
      <div {...boxProps} className="stack">
        <MessageInputs
          channel={channel}
          fields={fields}
          pointer={`${pointer}/message`}
          onChange={(next) => {
            setFields(next);
            onChange({ channel, message: buildMessage({ channel, fields: next }) });
          }}
        />
      </div>
    </>
  );
}

function TemplateField({
  channel,
  template,
  pointer,
  onChange,
}: Pick<MessageProps, 'pointer' | 'onChange'> & {
  readonly channel: Channel;
  readonly template: string;
}) {
  const options = toNamedOptions((useTemplates() ?? []).filter((each) => each.channel === channel));
  return (
    <>
      <Select
        label="Template"
        pointer={`${pointer}/template`}
        value={template}
        options={[{ value: '', label: 'Choose…' }, ...options]}
        onChange={(next) => onChange({ channel, template: next })}
        hint="Each message takes the version that is current then."
      />
      {options.length === 0 && (
        <p className="soft">
          There are no templates of {channelName(channel)} yet.{' '}
          <Link to="/new-template">Create one</Link>.
        </p>
      )}
    </>
  );
}
