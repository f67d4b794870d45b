import type { Channel } from '@tidings/contracts/channels/channels';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Campaign, ListedUser, Overview } from '../../api/types.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { describeStores } from './describe-stores.ts';
import { stepsDone } from './steps.ts';
import { ApiCall, INGEST_CALL } from '../../ui/api-call.tsx';

const REFRESH_MS = 4_000;

/** Guides from an API key to the first delivered message. Each step is checked off automatically. */
export function StartPage() {
  const overview = useRead<Overview>('overview', { everyMs: REFRESH_MS });
  return (
    <Page
      title="First steps"
      description="From an API key to your first delivered message in a few minutes. Completed steps are checked off automatically."
      isNarrow
    >
      <Loaded read={overview}>
        {({ firstSteps, channels, runsOn }) => (
          <>
            <Steps
              done={stepsDone(firstSteps)}
              ready={channels
                .filter(({ status }) => status === 'ready')
                .map(({ channel }) => channel)}
            />
            <p className="soft small">{describeStores(runsOn)}</p>
          </>
        )}
      </Loaded>
      <Card title="Send a user and an event" description="Your back end sends the same request.">
        <ApiCall {...INGEST_CALL} />
      </Card>
    </Page>
  );
}

function Steps({
  done,
  ready,
}: {
  readonly done: ReturnType<typeof stepsDone>;
  readonly ready: readonly Channel[];
}) {
  const users = useRead<Listed<ListedUser>>('users', { query: { limit: 1 }, enabled: done.data });
  const user = users.data?.items[0]?.customUserId;
  const mayCompose = useMay('compose');
  return (
    <>
      <ol className="steps">
        <Step
          isDone={done.key}
          title="Create a Server key"
          go={<StepLink to="/settings/keys">Keys</StepLink>}
        >
          The key is shown only once. Send it with every request, together with the application ID.
        </Step>
        <Step
          isDone={done.data}
          title="Register a user and send an event"
          go={<StepLink to="/ingest">Ingest log</StepLink>}
        >
          Run the command below with your key. Both appear in the ingest log within a moment.
        </Step>
        <Step
          isDone={done.channel}
          title="Set up a channel and test it"
          go={<StepLink to="/channels">Channels</StepLink>}
        >
          In a local installation all seven channels already use the sandbox. Elsewhere, start with
          e-mail: any SMTP provider works.
        </Step>
        {mayCompose ? (
          <Step
            isDone={done.campaign}
            title="Send your first campaign"
            go={<ComposeLink channel={ready.includes('EMAIL') ? 'EMAIL' : ready[0]} to={user} />}
          >
            Write a message, check the audience, then send it and watch the report. Your back end
            does the same with <code>POST /push</code>.
          </Step>
        ) : (
          <Step
            isDone={done.campaign}
            title="Send your first campaign"
            go={<StepLink to="/campaigns">Campaigns</StepLink>}
          >
            Call <code>POST /push</code> with a channel and the user; add <code>dryRun</code> to
            check the audience first. The campaign then appears in the list.
          </Step>
        )}
      </ol>
      {done.campaign && <FirstDelivery />}
    </>
  );
}

/** Links to the report of the first delivered message; hidden until there is one. */
function FirstDelivery() {
  const isDelivered = ({ source, counts }: Campaign): boolean =>
    source !== 'test' && counts.successful > 0;
  const campaigns = useRead<Listed<Campaign>>('campaigns', {
    query: { limit: 20 },
    everyMs: REFRESH_MS,
    until: ({ items }) => items.some(isDelivered),
  });
  const delivered = campaigns.data?.items.find(isDelivered);
  if (delivered === undefined) return null;
  return (
    <Callout tone="good">
      <strong>Your first message was delivered.</strong>
      <p>
        <Link to="/campaigns/$campaignId" params={{ campaignId: delivered.campaignId }}>
          Open the report
        </Link>
        . In a local installation, the sandbox shows it as on the device.
      </p>
    </Callout>
  );
}

function StepLink({
  to,
  children,
}: {
  readonly to: '/settings/keys' | '/ingest' | '/channels' | '/campaigns';
  readonly children: ReactNode;
}) {
  return (
    <Link to={to} className={buttonClass()}>
      {children}
    </Link>
  );
}

/** Opens the composer with a ready channel and a user filled in. */
function ComposeLink({
  channel,
  to,
}: {
  readonly channel: Channel | undefined;
  readonly to: string | undefined;
}) {
  return (
    <Link to="/compose" search={{ channel, to }} className={buttonClass()}>
      Compose
    </Link>
  );
}

function Step({
  isDone,
  title,
  go,
  children,
}: {
  readonly isDone: boolean;
  readonly title: string;
  readonly go: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <li className={isDone ? 'done' : undefined}>
      <div>
        <h2>
          {title}
          {isDone && <span className="hidden-visually"> (done)</span>}
        </h2>
        <p className="soft">{children}</p>
      </div>
      <div className="go">{go}</div>
    </li>
  );
}
