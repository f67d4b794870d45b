import { flag, integer, optionalText, text } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';
import { createApplication } from './create-application.ts';
import { runCommand } from './run-command.ts';
import { connectSandbox } from './sandbox/connect-sandbox.ts';

const [name = 'First application'] = process.argv.slice(2);

/** For a channel without a secret the sandbox checks no signature. */
const ANY_HOOK_SECRET = `whsec_${Buffer.alloc(32, 'any').toString('base64')}`;

/**
 * `make-application.ts [name]`: creates the first application of an installation and prints its ids
 * and keys as JSON. With `SANDBOX=true`, beside the process with all services and the sandbox, its
 * channels send to the sandbox.
 */
await runCommand({
  name: 'make-application',
  config: {
    databaseUrl: databaseConfig.databaseUrl,
    apiUrl: text('API_URL', 'URL of the service `api`, as http://host:port.', {
      default: 'http://127.0.0.1:8080',
    }),
    sandbox: flag('SANDBOX', 'Connects the application to the sandbox of this machine.', {
      default: false,
    }),
    sandboxPort: integer('SANDBOX_PORT', 'Port of the sandbox.', { default: 8025 }),
    smtpPort: integer('SMTP_PORT', 'SMTP port of the sandbox.', { default: 2525 }),
    hookSecret: optionalText('HOOK_SECRET', 'Secret that the sandbox verifies hooks with.', {
      secret: true,
    }),
  },
  async run({ databaseUrl, apiUrl, sandbox, sandboxPort, smtpPort, hookSecret }, logger) {
    const credentials = await createApplication({
      baseUrl: apiUrl,
      databaseUrl,
      name,
      tokenName: 'make-application',
    });
    process.stdout.write(`${JSON.stringify(credentials, null, 2)}\n`);
    if (!sandbox) return;
    await connectSandbox({
      baseUrl: apiUrl,
      credentials,
      sandbox: {
        url: `http://127.0.0.1:${sandboxPort}`,
        smtpPort,
        hookSecret: hookSecret || ANY_HOOK_SECRET,
      },
    });
    logger.info('each channel has sent a test message to the sandbox');
  },
});
