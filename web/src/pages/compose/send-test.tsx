import { LIMITS } from '@tidings/contracts/limits';
import { useState } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import { useSession } from '../../api/session.ts';
import type { SentTests, TestAddresses } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { readRecipients } from './audience.ts';
import { listMissingMessage, type Draft } from './draft.ts';
import { toContent } from './draft-content.ts';
import { SentTestList } from './sent-test-list.tsx';

const PATH = 'test-sends/addresses';

/** Sends the draft as it is to the member, or to others, and shows what became of it. */
export function SendTest({ draft }: { readonly draft: Draft }) {
  const [isOpen, setOpen] = useState(false);
  const may = useMay('sendTests');
  if (!may) return null;
  // A test needs no purpose.
  const missing = listMissingMessage({ ...draft, purpose: 'transactional' });
  return (
    <>
      <Button
        isSmall
        disabled={missing.length > 0}
        title={missing.length > 0 ? `Required: ${missing.join(', ')}` : undefined}
        onClick={() => setOpen(true)}
      >
        Send test to me
      </Button>
      {isOpen && <TestDialog draft={draft} onClose={() => setOpen(false)} />}
    </>
  );
}

type Test = {
  readonly to: readonly string[];
  readonly valuesOf: string;
};

function TestDialog({ draft, onClose }: { readonly draft: Draft; readonly onClose: () => void }) {
  const { addresses, keep } = useTestAddresses();
  const [typed, setTyped] = useState<string | null>(null);
  const [valuesOf, setValuesOf] = useState('');
  const test = useChange<Test, SentTests>(
    ({ to, valuesOf: user }) => ({
      path: 'test-sends',
      method: 'POST',
      body: { content: toContent(draft), to, ...(user !== '' && { valuesOf: user }) },
    }),
    ['campaigns'],
  );
  const text = typed ?? addresses?.join('\n') ?? '';
  const to = readRecipients(text);
  const isPersonal = draft.content === 'template' || draft.personalize;
  return (
    <FormDialog
      title="Send a test"
      action="Send test"
      dismiss="Close"
      isIncomplete={to.length === 0}
      change={test}
      onClose={onClose}
      onSubmit={() => {
        keep(to);
        test.mutate({ to, valuesOf: valuesOf.trim() });
      }}
    >
      <TextArea
        label="To"
        pointer="/to"
        rows={3}
        // What is typed would be put behind the addresses that arrive.
        readOnly={addresses === undefined}
        value={text}
        onChange={(next) => {
          setTyped(next);
          test.reset();
        }}
        hint={`User IDs, e-mail addresses or phone numbers, up to ${LIMITS.testAddressesMax}, one per line. They are kept for you.`}
        spellCheck={false}
      />
      {isPersonal && (
        <TextField
          label="With the values of"
          pointer="/valuesOf"
          value={valuesOf}
          onChange={setValuesOf}
          hint="The ID of a user, for an address that belongs to none. Others get their own values."
        />
      )}
      {test.data !== undefined && <SentTestList tests={test.data.items} />}
    </FormDialog>
  );
}

/** Whom the member sent a test last; at first the own e-mail address. */
function useTestAddresses(): {
  readonly addresses: readonly string[] | undefined;
  readonly keep: (addresses: readonly string[]) => void;
} {
  const { data: session } = useSession();
  const { data, error } = useRead<TestAddresses>(PATH);
  const write = useChange<readonly string[]>(
    (addresses) => ({ path: PATH, method: 'PUT', body: { addresses } }),
    [PATH],
  );
  const own = session == null ? [] : [session.user.email];
  const kept = error === null ? data?.addresses : [];
  return {
    addresses: kept?.length === 0 ? own : kept,
    keep: (addresses) => write.mutate(addresses),
  };
}
