import { callApi, freePorts } from '@tidings/local';
import { startTcpProxy } from '../../net/tcp-proxy.ts';
import type { Account } from '../../oracles/delivery/accounts.ts';
import { buildSettings, TEST_ADDRESSES, type Sender } from '../../rigs/delivery-rig.ts';
import { sendUntested } from './broken-settings.ts';
import type { DeliveryRun } from './delivery-row.ts';

/** A channel that may have several accounts. */
export type AccountsChannel = 'EMAIL' | 'SMS';

export type TwoAccounts = {
  readonly accounts: readonly [Account, Account];
  /**
   * The provider of the first is gone for good: its connections break, with the answers in flight, and
   * new ones are refused.
   */
  die(): Promise<void>;
};

type Settings = Readonly<Record<string, unknown>>;
/** As the API takes it. */
type NamedAccount = {
  readonly name: string;
  readonly provider?: string;
  readonly settings: Settings;
};

/** Gives an application two accounts of a channel at the sandbox, and verifies each by a test send. */
export async function connectTwoAccounts(
  run: DeliveryRun,
  channel: AccountsChannel,
  { admin }: Sender,
): Promise<TwoAccounts> {
  const { rig, random } = run;
  const [port = 0] = await freePorts(1);
  const { smtp, http } = rig.proxies.targets;
  // Not one of the rig: nothing brings it back.
  const line = await startTcpProxy({
    port,
    targetPort: () => (channel === 'EMAIL' ? smtp : http),
    random,
  });
  try {
    const form =
      channel === 'EMAIL' ? describeServers(run, port) : await describeSmsAccounts(run, port);
    await connectTested(run, channel, { admin, form });
    return { accounts: form.accounts, die: () => line.close() };
  } catch (error) {
    await line.close();
    throw error;
  }
}

async function connectTested(
  run: DeliveryRun,
  channel: AccountsChannel,
  { admin, form }: Pick<Sender, 'admin'> & { readonly form: Form },
): Promise<void> {
  const path = `/api/v1/channels/${channel}`;
  // The load continues, so the channel must always have valid settings.
  await sendUntested(run);
  await callApi(admin, { method: 'PUT', path, body: form.settings });
  for (const { name } of form.accounts) {
    const tested = await callApi<{ readonly ok: boolean }>(admin, {
      method: 'POST',
      path: `${path}/test`,
      body: { to: TEST_ADDRESSES[channel], account: name },
    });
    if (!tested.ok)
      throw new Error(`the test send by ${name} of ${channel} failed: ${JSON.stringify(tested)}`);
  }
  await sendUntested(run, false);
}

type Form = Pick<TwoAccounts, 'accounts'> & { readonly settings: Settings };

const LOGINS = ['first@faults.example', 'second@faults.example'] as const;

/** Two servers, told apart by their logins. */
function describeServers({ rig }: DeliveryRun, firstPort: number): Form {
  const { host, port: secondPort, security, ...ofChannel } = buildSettings(rig.proxies).EMAIL;
  const server = (name: string, port: unknown, username: string): NamedAccount => ({
    name,
    settings: { host, port, security, username, password: 'any password will do' },
  });
  return {
    accounts: [
      { name: 'first', seenAs: LOGINS[0] },
      { name: 'second', seenAs: LOGINS[1] },
    ],
    settings: {
      ...ofChannel,
      accounts: [server('first', firstPort, LOGINS[0]), server('second', secondPort, LOGINS[1])],
    },
  };
}

const SENDERS = { twilio: '+15005550006', vonage: '+15005550077' } as const;

/** An account of Twilio, and one of Vonage. */
async function describeSmsAccounts({ rig }: DeliveryRun, firstPort: number): Promise<Form> {
  const { apiBaseUrl, ...twilio } = buildSettings(rig.proxies).SMS;
  const vonage = await callApi<Settings>(
    { baseUrl: rig.tidings.local.sandboxUrl, headers: {} },
    { path: '/vonage/application' },
  );
  const account = (name: keyof typeof SENDERS, settings: Settings): NamedAccount => ({
    name,
    provider: name,
    settings: { ...settings, from: SENDERS[name] },
  });
  return {
    accounts: [
      { name: 'twilio', seenAs: SENDERS.twilio },
      { name: 'vonage', seenAs: SENDERS.vonage },
    ],
    settings: {
      accounts: [
        account('twilio', { ...twilio, apiBaseUrl: `http://127.0.0.1:${firstPort}` }),
        account('vonage', { ...vonage, apiBaseUrl }),
      ],
    },
  };
}
