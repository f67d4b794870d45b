import type { Channel } from '@tidings/contracts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { MessageInputs } from '../compose/message-inputs.tsx';
import type { MessageTexts } from '../compose/message-values.ts';
import { ConditionBuilder } from '../segments/builder/condition-builder.tsx';
import { newVariant, type VariantDraft } from './template-draft.ts';

type Props = {
  readonly channel: Channel;
  /** Of the message that variants replace. */
  readonly fields: MessageTexts;
  readonly variants: readonly VariantDraft[];
  readonly onChange: (variants: readonly VariantDraft[]) => void;
};

/** Messages for users of whom a condition is true. The first such variant counts. */
export function VariantFields({ channel, fields, variants, onChange }: Props) {
  return (
    <>
      {variants.map((variant, index) => (
        <Variant
          key={variant.key}
          channel={channel}
          variant={variant}
          index={index}
          onChange={(changes) => onChange(variants.with(index, { ...variant, ...changes }))}
          onRemove={() => onChange(variants.toSpliced(index, 1))}
          {...(index > 0 && {
            onMoveUp: () => onChange(variants.toSpliced(index, 1).toSpliced(index - 1, 0, variant)),
          })}
        />
      ))}
      <div className="row">
        <Button isSmall onClick={() => onChange([...variants, newVariant(fields)])}>
          Add a variant
        </Button>
        <span className="soft small">
          Another message for users of whom a condition is true. The first such variant counts.
        </span>
      </div>
    </>
  );
}

type VariantProps = {
  readonly channel: Channel;
  readonly variant: VariantDraft;
  readonly index: number;
  readonly onChange: (changes: Partial<VariantDraft>) => void;
  readonly onRemove: () => void;
  readonly onMoveUp?: () => void;
};

function Variant({ channel, variant, index, onChange, onRemove, onMoveUp }: VariantProps) {
  const pointer = `/variants/${index}`;
  const title = `Variant ${index + 1}`;
  return (
    <fieldset className="condition">
      <legend>
        {title} <span dir="auto">{variant.name}</span>
      </legend>
      <TextField
        label="Name of the variant"
        pointer={`${pointer}/name`}
        value={variant.name}
        onChange={(name) => onChange({ name })}
      />
      <ConditionBuilder
        condition={variant.condition}
        pointer={`${pointer}/condition`}
        onChange={(condition) => onChange({ condition })}
      />
      <MessageInputs
        channel={channel}
        fields={variant.fields}
        pointer={`${pointer}/message`}
        onChange={(fields) => onChange({ fields })}
      />
      <div className="row">
        {onMoveUp !== undefined && (
          <Button isSmall onClick={onMoveUp} aria-label={`Move up ${title}`}>
            Move up
          </Button>
        )}
        <Button isSmall kind="plain" onClick={onRemove} aria-label={`Remove ${title}`}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}
