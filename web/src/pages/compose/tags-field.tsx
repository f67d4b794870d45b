import { LIMITS } from '@tidings/contracts/limits';
import { useState, type KeyboardEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';

/** The tags of a campaign. One is added by Enter, a comma, or when the field is left. */
export function TagsField({
  tags,
  onChange,
}: {
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState('');
  const add = (text: string): void => {
    const tag = text.trim();
    setTyped('');
    if (tag !== '' && !tags.includes(tag)) onChange([...tags, tag]);
  };
  const addByKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== ',')) return;
    if (event.key === 'Enter' && typed.trim() === '') return;
    event.preventDefault();
    add(typed);
  };
  return (
    <div className="row tags-field" role="group" aria-label="Tags">
      {tags.map((tag) => (
        <Button
          key={tag}
          isSmall
          className="chip"
          aria-label={`Remove the tag ${tag}`}
          onClick={() => onChange(tags.filter((each) => each !== tag))}
        >
          <span className="wrap" dir="auto">
            {tag}
          </span>
          <Icon name="close" />
        </Button>
      ))}
      {tags.length < LIMITS.campaignTagsMax && (
        <input
          aria-label="Add a tag"
          placeholder="Add a tag"
          dir="auto"
          value={typed}
          maxLength={LIMITS.campaignTagCharsMax}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={addByKey}
          onBlur={() => add(typed)}
        />
      )}
    </div>
  );
}
