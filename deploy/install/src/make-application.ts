import { text } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';
import { createApplication } from './create-application.ts';
import { runCommand } from './run-command.ts';

const [name = 'First application'] = process.argv.slice(2);

/**
 * `make-application.ts [name]`: creates the first application of an installation and prints its ids
 * and keys as JSON.
 */
await runCommand({
  name: 'make-application',
  config: {
    databaseUrl: databaseConfig.databaseUrl,
    apiUrl: text('API_URL', 'URL of the service `api`, as http://host:port.', {
      default: 'http://127.0.0.1:8080',
    }),
  },
  async run({ databaseUrl, apiUrl }) {
    const credentials = await createApplication({
      baseUrl: apiUrl,
      databaseUrl,
      name,
      tokenName: 'make-application',
    });
    process.stdout.write(`${JSON.stringify(credentials, null, 2)}\n`);
  },
});
