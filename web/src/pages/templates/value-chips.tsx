import type { Channel } from '@tidings/contracts/channels/channels';
import { UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts/push/links';
import { TEMPLATE_ATTRIBUTES, TEMPLATE_USER_FIELDS } from '@tidings/contracts/push/templates';
import { useState } from 'react';
import type { Suggestions } from '../../api/types.ts';
import { useSuggestions } from '../../conditions/use-suggestions.ts';
import { pathText } from '../../conditions/path-text.ts';
import { formatShare, humanize } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';

type UserField = (typeof TEMPLATE_USER_FIELDS)[number];
/** What a press inserts. */
export type ChipValue = {
  readonly label: string;
  /** The Liquid, with a place for the default if users may lack the value. */
  readonly text: string;
  readonly share?: string;
};

const SHOWN = 8;
const FIRST = ['firstName', 'lastName', 'city', 'country'] as const satisfies readonly UserField[];
/** Every user has these. */
const ALWAYS: ReadonlySet<UserField> = new Set(['customUserId', 'registeredAt']);
const PLAIN_KEY = /^[A-Za-z_]\w*$/;

// Quotes of the other kind would end the value of an attribute of HTML, or a text of JSON.
const withDefault = (variable: string): string => `{{ ${variable} | default: '' }}`;

function listValues(channel: Channel, suggestions: Suggestions | undefined): readonly ChipValue[] {
  const { asked = 0, fields = [] } = suggestions ?? {};
  const shareOf = (count: number | undefined) =>
    count === undefined ? {} : { share: formatShare(count, asked) };
  const isFirst = (field: UserField): boolean => FIRST.some((each) => each === field);
  const toValue = (field: UserField): ChipValue => ({
    label: humanize(field),
    text: ALWAYS.has(field) ? `{{ user.${field} }}` : withDefault(`user.${field}`),
    ...shareOf(fields.find((each) => each.field === field)?.count),
  });
  return [
    ...FIRST.map(toValue),
    ...(channel === 'EMAIL' ? [{ label: 'Unsubscribe link', text: UNSUBSCRIBE_PLACEHOLDER }] : []),
    ...attributeValues(suggestions, `user.${TEMPLATE_ATTRIBUTES}`),
    ...TEMPLATE_USER_FIELDS.filter((field) => !isFirst(field)).map(toValue),
    { label: 'Campaign ID', text: '{{ campaign.id }}' },
  ];
}

const toKey = (key: string): string => (PLAIN_KEY.test(key) ? `.${key}` : `['${key}']`);

/** Attributes of users, or of an event, as chips. @param owner the Liquid of their object */
export const attributeValues = (
  { asked = 0, attributes = [] }: Partial<Suggestions> = {},
  owner: string,
): readonly ChipValue[] =>
  attributes
    // A list is no text, and a quote would end the key.
    .filter(({ attribute, type }) => type !== 'array' && !pathText(attribute).includes("'"))
    .map(({ attribute, count }) => ({
      label: pathText(attribute),
      text: withDefault(`${owner}${[attribute].flat().map(toKey).join('')}`),
      share: formatShare(count, asked),
    }));

type ChipsProps = {
  readonly channel: Channel;
  readonly onInsert: (text: string) => void;
};

/** Values of users, each of which a press inserts into the message. */
export function ValueChips({ channel, onInsert }: ChipsProps) {
  const suggestions = useSuggestions();
  return (
    <Chips
      label="Insert"
      name="Insert a value"
      values={listValues(channel, suggestions)}
      onInsert={onInsert}
    />
  );
}

/** Values in a line, the first of them until all are asked for. */
export function Chips({
  label,
  name,
  values,
  onInsert,
}: Pick<ChipsProps, 'onInsert'> & {
  readonly label: string;
  readonly name: string;
  readonly values: readonly ChipValue[];
}) {
  const [isWhole, setWhole] = useState(false);
  const rest = values.length - SHOWN;
  return (
    <div className="value-chips" role="group" aria-label={name}>
      <span className="soft small">{label}</span>
      {(isWhole ? values : values.slice(0, SHOWN)).map(({ label: text, text: liquid, share }) => (
        <Button key={liquid} className="chip" title={liquid} onClick={() => onInsert(liquid)}>
          <bdi className="wrap">{text}</bdi>
          {share !== undefined && <span className="soft">{share}</span>}
        </Button>
      ))}
      {rest > 0 && (
        <Button isSmall kind="plain" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Fewer' : `${rest} more`}
        </Button>
      )}
    </div>
  );
}
