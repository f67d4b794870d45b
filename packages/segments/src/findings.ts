import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';

/** What is wrong with a condition, and what its author should know. */
export type Findings = { readonly errors: FieldError[]; readonly warnings: Warning[] };
