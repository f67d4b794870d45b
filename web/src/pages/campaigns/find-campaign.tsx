import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { readUuid } from '../../lib/ids.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';

/** Opens the report of a campaign ID, in any notation. */
export function FindCampaign() {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const navigate = useNavigate();
  const find = (event: FormEvent): void => {
    event.preventDefault();
    const campaignId = readUuid(text);
    setWrong(campaignId === null);
    if (campaignId !== null)
      void navigate({ to: '/campaigns/$campaignId', params: { campaignId } });
  };
  return (
    <form className="field" onSubmit={find} role="search">
      <label htmlFor="campaign-id">Campaign ID</label>
      <div className="row">
        <div className="search-box grow">
          <Icon name="search" />
          <input
            id="campaign-id"
            className="input"
            value={text}
            onChange={(event) => setText(event.target.value)}
            placeholder="From the response of /push"
            autoComplete="off"
            spellCheck={false}
            aria-invalid={isWrong || undefined}
            aria-describedby={isWrong ? 'campaign-id-error' : undefined}
          />
        </div>
        <Button kind="primary" type="submit">
          Open report
        </Button>
      </div>
      {isWrong && (
        <span className="field-error" id="campaign-id-error" role="alert">
          Enter a full campaign ID, e.g. 01a1fda0-84a5-72c8-802b-8cdeabd134bc
        </span>
      )}
    </form>
  );
}
