import type { Warning } from '@tidings/contracts/errors/error-codes';
import { humanize } from '../../lib/format.ts';
import { Callout } from '../../ui/card.tsx';

/** What the service warns about; it does not block sending. */
export function CheckWarnings({ warnings }: { readonly warnings: readonly Warning[] }) {
  return warnings.map(({ code, pointer, detail }) => (
    <Callout key={`${code} ${pointer}`} tone="warn">
      <p className="small">
        <strong>{humanize(code)}</strong> <code>{pointer}</code> {detail}
      </p>
    </Callout>
  ));
}
