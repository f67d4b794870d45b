import { PROVIDER_ERRORS } from '../errors/rows/index.ts';
import { asMarkdown } from '../errors/table.ts';

/** A document of all provider errors, as `test/errors` expects them. */
export function providerErrorsDocument(): string {
  return `# Errors of providers

Made by \`npm run generate\` from the rows of \`test/errors\`, each of which is provoked in the sandbox, over the provider's own protocol, and followed through the delivery protocol into the database: \`npm run errors\` does it and prints what came of each.

A **permanent** error ends the delivery, an **invalid address** ends it for this address, **transient** ones are tried again, **rate limited** ones are tried again and cost no attempt, **configuration** keeps the deliveries until the settings are mended, and where the **outcome is unknown** the message may have arrived: SMS and e-mails are not sent again then. Where a provider's code is in no row: before anything can have been taken it is tried once more and then fails as \`provider_rejected\`, after that it is unknown on SMS and EMAIL; each is counted in \`tidings_worker_unmapped_error_total\`.

${asMarkdown(PROVIDER_ERRORS)}
`;
}
