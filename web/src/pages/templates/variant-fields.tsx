import type { Channel } from '@tidings/contracts/channels/channels';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { moveItem, useMoves, type Direction } from '../../ui/use-moves.ts';
import { MessageInputs } from '../compose/message-inputs.tsx';
import type { MessageTexts } from '../compose/message-values.ts';
import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
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
  const { list, rememberMove } = useMoves<HTMLDivElement>(variants);
  const move = (variant: VariantDraft, from: number, direction: Direction): void => {
    rememberMove(variant.key, direction);
    onChange(moveItem(variants, from, direction));
  };
  return (
    <div className="stack" ref={list}>
      {variants.map((variant, index) => (
        <Variant
          key={variant.key}
          channel={channel}
          variant={variant}
          index={index}
          onChange={(changes) => onChange(variants.with(index, { ...variant, ...changes }))}
          onRemove={() => onChange(variants.toSpliced(index, 1))}
          isLast={index === variants.length - 1}
          onMove={(direction) => move(variant, index, direction)}
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
    </div>
  );
}

type VariantProps = {
  readonly channel: Channel;
  readonly variant: VariantDraft;
  readonly index: number;
  readonly onChange: (changes: Partial<VariantDraft>) => void;
  readonly onRemove: () => void;
  readonly isLast: boolean;
  readonly onMove: (direction: Direction) => void;
};

function Variant({ channel, variant, index, isLast, onChange, onRemove, onMove }: VariantProps) {
  const pointer = `/variants/${index}`;
  const title = `Variant ${index + 1}`;
  return (
    <fieldset className="variant" data-item={variant.key}>
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
        {index > 0 && (
          <Button
            isSmall
            onClick={() => onMove('up')}
            aria-label={`Move up ${title}`}
            data-move="up"
          >
            Move up
          </Button>
        )}
        {!isLast && (
          <Button
            isSmall
            onClick={() => onMove('down')}
            aria-label={`Move down ${title}`}
            data-move="down"
          >
            Move down
          </Button>
        )}
        <Button isSmall kind="plain" onClick={onRemove} aria-label={`Remove ${title}`}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}
