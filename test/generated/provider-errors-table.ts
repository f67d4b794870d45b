import { PROVIDER_ERRORS } from '../errors/rows/index.ts';
import { asMarkdown } from '../errors/table.ts';

/** PROVIDER-ERRORS.md: every error that `test/errors` provokes in the sandbox, with its effect. */
export function providerErrorsDocument(): string {
  return `# Errors of providers

\`npm run generate\` writes this page from the rows of \`test/errors\`. A test provokes each row in the sandbox over the provider's own protocol, and follows it through the delivery protocol into the database. \`npm run errors\` prints the results.

| class | effect |
| --- | --- |
| permanent | the delivery fails |
| invalid address | the delivery fails for this address |
| transient | the send is retried |
| rate limited | the send is retried, and the attempt is refunded |
| configuration | deliveries wait until the settings are corrected |
| outcome unknown | the message may have arrived; SMS and e-mails are not sent again |

A provider's code without a row is counted in \`tidings_worker_unmapped_error_total\`. If the message cannot have been accepted, the send is retried once and then fails as \`provider_rejected\`. Otherwise it is unknown on SMS and EMAIL.

${asMarkdown(PROVIDER_ERRORS)}
`;
}
