import type { Channel } from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';
import { Link } from '@tanstack/react-router';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { TemplateVersion } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { toNamedOptions, type Option } from '../../ui/options.ts';
import { Select } from '../../ui/select.tsx';
import { useTemplates } from '../templates/use-templates.ts';
import { SHARE, type TemplateChoice } from './draft.ts';

type Props = {
  readonly channel: Channel;
  readonly choices: readonly TemplateChoice[];
  readonly onChange: (choices: readonly TemplateChoice[]) => void;
};

/** The template to send, or several that split the recipients between them. */
export function TemplateFields({ channel, choices, onChange }: Props) {
  const templates = useTemplates();
  const options = toNamedOptions(
    (templates ?? []).filter((template) => template.channel === channel),
  );
  const isSplit = choices.length > 1;
  if (templates !== undefined && options.length === 0)
    return (
      <p className="soft">
        There are no templates of {channelName(channel)} yet.{' '}
        <Link to="/new-template">Create one</Link>, then send it.
      </p>
    );
  return (
    <>
      {choices.map((choice, index) => (
        <ChoiceFields
          // Choices have no identity of their own; all their fields are controlled.
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          choice={choice}
          options={options}
          number={isSplit ? index + 1 : null}
          pointer={isSplit ? `/split/${index}` : ''}
          onChange={(changes) => onChange(choices.with(index, { ...choice, ...changes }))}
          onRemove={() => onChange(choices.toSpliced(index, 1))}
        />
      ))}
      {choices.length < LIMITS.splitTemplatesMax && (
        <div className="row">
          <Button
            isSmall
            onClick={() => onChange([...choices, { slug: '', version: '', share: SHARE }])}
          >
            {isSplit ? 'Add a template' : 'Compare with another template'}
          </Button>
          <span className="soft small">
            Recipients are split by the shares. The report compares the outcomes.
          </span>
        </div>
      )}
    </>
  );
}

type ChoiceProps = {
  readonly choice: TemplateChoice;
  readonly options: readonly Option[];
  /** Null: the only one. */
  readonly number: number | null;
  readonly pointer: string;
  readonly onChange: (changes: Partial<TemplateChoice>) => void;
  readonly onRemove: () => void;
};

function ChoiceFields({ choice, options, number, pointer, onChange, onRemove }: ChoiceProps) {
  const { slug, version, share } = choice;
  const suffix = number === null ? '' : ` ${number}`;
  return (
    <div className="stack tight">
      <div className="grid narrow">
        <Select
          label={`Template${suffix}`}
          pointer={`${pointer}/template`}
          value={slug}
          onChange={(next) => onChange({ slug: next, version: '' })}
          options={[{ value: '', label: 'Choose…' }, ...options]}
        />
        {slug !== '' && (
          <VersionField
            slug={slug}
            version={version}
            suffix={suffix}
            onChange={(next) => onChange({ version: next })}
          />
        )}
        {number !== null && (
          <TextField
            label={`Share${suffix}`}
            type="number"
            min={1}
            max={LIMITS.splitShareMax}
            step={1}
            pointer={`${pointer}/share`}
            value={share}
            onChange={(next) => onChange({ share: next })}
          />
        )}
      </div>
      {number !== null && (
        <div className="row">
          <Button isSmall kind="plain" onClick={onRemove} aria-label={`Remove template${suffix}`}>
            Remove
          </Button>
        </div>
      )}
    </div>
  );
}

/** The most that one page of the API has. */
const VERSIONS_MAX = 500;

/** The versions of a template, newest first. */
export function useTemplateVersions(slug: string): readonly TemplateVersion[] | undefined {
  return useRead<Listed<TemplateVersion>>(`templates/${encodeURIComponent(slug)}/versions`, {
    query: { limit: VERSIONS_MAX },
    enabled: slug !== '',
  }).data?.items;
}

function VersionField({
  slug,
  version,
  suffix,
  onChange,
}: {
  readonly slug: string;
  readonly version: string;
  readonly suffix: string;
  readonly onChange: (version: string) => void;
}) {
  const versions = useTemplateVersions(slug) ?? [];
  const [current] = versions;
  return (
    <Select
      label={`Version${suffix}`}
      value={version}
      onChange={onChange}
      options={[
        {
          value: '',
          label: current === undefined ? 'Current' : `Current (${formatCount(current.version)})`,
        },
        ...versions.map((each) => ({
          value: String(each.version),
          label: `Always ${formatCount(each.version)}`,
        })),
      ]}
      hint="The campaign keeps the version that is current when you send or schedule it."
    />
  );
}
