import type { OutgoingDelivery } from '@tidings/channel-worker';
import type { MailProviderTools } from '../mail-provider.ts';
import { readDkimKeys, type DkimKey } from './dkim.ts';
import { openSession } from './open-session.ts';
import type { SmtpSession } from './session.ts';
import type { SmtpConfig, SmtpSettings } from './settings.ts';

/** Maximum accounts with open connections. */
const ACCOUNTS_MAX = 100;
/** A connection is replaced after this many mails, as servers expect. */
const MAILS_PER_CONNECTION_MAX = 1_000;

/** The connections of one version of an application's settings. */
class Account {
  /** Idle connections, last in first out, so that unused ones time out. */
  readonly #idle: SmtpSession[] = [];
  #isClosed = false;
  /** A new connection. The slots of the worker bound how many there are. */
  readonly connect: (signal: AbortSignal) => Promise<SmtpSession>;

  readonly #account: Pick<OutgoingDelivery, 'settings' | 'secrets'>;
  #dkimKeys: readonly DkimKey[] | undefined;

  constructor(
    { settings, secrets }: Pick<OutgoingDelivery, 'settings' | 'secrets'>,
    connect: (signal: AbortSignal) => Promise<SmtpSession>,
  ) {
    this.#account = { settings, secrets };
    this.connect = connect;
  }

  /** @throws SmtpSettingsError if a private key cannot be read */
  get dkimKeys(): readonly DkimKey[] {
    const { settings, secrets } = this.#account;
    return (this.#dkimKeys ??= readDkimKeys(settings as SmtpSettings, secrets));
  }

  takeIdle(): SmtpSession | undefined {
    let session = this.#idle.pop();
    while (session !== undefined && !session.isOpen) session = this.#idle.pop();
    return session;
  }

  release(session: SmtpSession): void {
    if (!session.isOpen || this.#idle.includes(session)) return;
    if (this.#isClosed || session.sent >= MAILS_PER_CONNECTION_MAX) session.close();
    else this.#idle.push(session);
  }

  /** Closes idle connections; the others close when their mail has its outcome. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#idle.splice(0)) session.close();
  }
}
export type SmtpAccount = Pick<Account, 'takeIdle' | 'connect' | 'release' | 'dkimKeys'>;

/** The connections of all accounts. A change of the settings closes the connections of the old ones. */
export interface SmtpSessions {
  accountOf(delivery: OutgoingDelivery): SmtpAccount;
  close(): void;
}

export function createSmtpSessions(config: SmtpConfig, tools: MailProviderTools): SmtpSessions {
  const accounts = new Map<string, { readonly settingsKey: string; readonly account: Account }>();
  return {
    accountOf(delivery) {
      const { accountKey, settingsKey } = delivery;
      const known = accounts.get(accountKey);
      // Moved to the end: the first entry is the least recently used one.
      accounts.delete(accountKey);
      if (known?.settingsKey === settingsKey) {
        accounts.set(accountKey, known);
        return known.account;
      }
      known?.account.close();
      const [oldest] = accounts;
      if (oldest !== undefined && accounts.size >= ACCOUNTS_MAX) {
        accounts.delete(oldest[0]);
        oldest[1].account.close();
      }
      // Not the delivery itself: the account outlives it.
      const { settings, secrets } = delivery;
      const account = new Account({ settings, secrets }, (signal) =>
        openSession({ settings, secrets, signal }, config, tools),
      );
      accounts.set(accountKey, { settingsKey, account });
      return account;
    },
    close() {
      for (const { account } of accounts.values()) account.close();
      accounts.clear();
    },
  };
}
