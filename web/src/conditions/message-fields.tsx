import { CHANNELS } from '@tidings/contracts/channels/channels';
import { PURPOSES } from '@tidings/contracts/push/purposes';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { MESSAGE_MILESTONES } from '@tidings/contracts/segments/leaves/message';
import { channelName } from '../labels/channel-name.ts';
import { TextField } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';
import { toOptions } from '../ui/options.ts';
import { readBound } from './bound.ts';
import { withoutAbsent, type LeafProps } from './leaf-props.ts';
import { RangeFields } from './range-fields.tsx';
import { WindowFields } from './window-fields.tsx';

type MessageCondition = LeafOf<'message'>;
type Changes = { readonly [Key in keyof MessageCondition]?: MessageCondition[Key] | undefined };

const WHICH = [
  { value: 'any', label: 'any message' },
  { value: 'campaign', label: 'of a campaign' },
];
/** After "did": what became of the message for the person. */
const DID = {
  sent: 'get sent',
  delivered: 'receive',
  opened: 'open',
  clicked: 'click in',
} as const satisfies Record<MessageCondition['was'], string>;
const ONE = { gte: 1 };

/** Whether the builder has fields for all of it. */
export const isSimpleMessage = ({ count = ONE }: MessageCondition): boolean =>
  readBound(count) !== null;

/** Messages: any of a channel and a purpose, or that of a campaign; what became of them, and when. */
export function MessageFields({ node, pointer, onChange }: LeafProps<MessageCondition>) {
  const { message, was, count } = node;
  const { campaignId, channel = '', purpose = '', tag = '' } = message;
  const set = (changes: Changes): void => onChange(withoutAbsent({ ...node, ...changes }));
  const name = (changes: object): void =>
    set({ message: withoutAbsent({ ...message, ...changes }) });
  const isAny = campaignId === undefined;
  return (
    <>
      <Select
        label="Was"
        pointer={`${pointer}/was`}
        value={was}
        options={toOptions(MESSAGE_MILESTONES, undefined, (each) => DID[each])}
        onChange={(next) => set({ was: next as MessageCondition['was'] })}
      />
      <Select
        label="Message"
        value={isAny ? 'any' : 'campaign'}
        options={WHICH}
        onChange={(which) =>
          set({ message: which === 'any' ? {} : { campaignId: '' }, count: undefined })
        }
      />
      {isAny ? (
        <>
          <Select
            label="Channel"
            pointer={`${pointer}/message/channel`}
            value={channel}
            options={toOptions(CHANNELS, 'any channel', channelName)}
            onChange={(next) => name({ channel: next === '' ? undefined : next })}
          />
          <Select
            label="Purpose"
            pointer={`${pointer}/message/purpose`}
            value={purpose}
            options={toOptions(PURPOSES, 'any purpose')}
            onChange={(next) => name({ purpose: next === '' ? undefined : next })}
          />
          <TextField
            label="Tag of the campaign"
            pointer={`${pointer}/message/tag`}
            value={tag}
            placeholder="any tag"
            spellCheck={false}
            onChange={(next) => name({ tag: next === '' ? undefined : next })}
          />
        </>
      ) : (
        <TextField
          label="Campaign ID"
          pointer={`${pointer}/message/campaignId`}
          value={campaignId}
          spellCheck={false}
          onChange={(next) => name({ campaignId: next })}
        />
      )}
      {isAny && (
        <RangeFields
          label="How many"
          numberLabel="Messages"
          pointer={`${pointer}/count`}
          range={count ?? ONE}
          onChange={(next) => set({ count: next })}
        />
      )}
      <WindowFields pointer={pointer} window={node} standard="7d" onChange={set} />
    </>
  );
}
