import type { Channel } from '@tidings/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import { credentials } from '../../api/credentials.ts';
import type { Campaign, ListedUser, Overview } from '../../api/types.ts';
import { useStore } from '../../lib/store.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { Code } from '../../ui/code.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { snippetFor } from './snippet.ts';
import { stepsDone } from './steps.ts';

const REFRESH_MS = 4_000;

/** From nothing to the first message that arrives; each step knows by itself when it is done. */
export function StartPage() {
  const { applicationId } = useStore(credentials);
  const overview = useRead<Overview>('overview', { everyMs: REFRESH_MS });
  return (
    <Page
      title="First steps"
      description="From a key to a first message that arrives, in a few minutes. What is done ticks itself off."
      isNarrow
    >
      <Loaded read={overview}>
        {({ firstSteps, channels }) => (
          <Steps
            done={stepsDone(firstSteps)}
            ready={channels
              .filter(({ status }) => status === 'ready')
              .map(({ channel }) => channel)}
          />
        )}
      </Loaded>
      <Card
        title="A user and an event"
        description="By hand; in your back end it is the same request."
      >
        <Code text={snippetFor(location.origin, applicationId ?? '')} label="The command" />
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
          title="Make a Server key"
          go={<StepLink to="/settings/keys">Keys</StepLink>}
        >
          It is shown once. Requests carry it beside the application id.
        </Step>
        <Step
          isDone={done.data}
          title="Register a user and send an event"
          go={<StepLink to="/ingest">Ingest log</StepLink>}
        >
          Run the command below with your key; a moment later both are in the ingest log.
        </Step>
        <Step
          isDone={done.channel}
          title="Set up a channel and test it"
          go={<StepLink to="/channels">Channels</StepLink>}
        >
          On your own machine all seven are set up already, against the sandbox. Elsewhere begin
          with e-mail: the settings of any SMTP provider will do.
        </Step>
        {mayCompose ? (
          <Step
            isDone={done.campaign}
            title="Send the first campaign"
            go={<ComposeLink channel={ready.includes('EMAIL') ? 'EMAIL' : ready[0]} to={user} />}
          >
            Write to the user, try it dry to see who will be reached, then send: the report fills by
            itself. Your back end does the same with <code>POST /push</code>.
          </Step>
        ) : (
          <Step
            isDone={done.campaign}
            title="Send the first campaign"
            go={<StepLink to="/campaigns">Campaigns</StepLink>}
          >
            <code>POST /push</code> names a channel and the user, with <code>dryRun</code> to look
            first. The campaign appears in the list; its report fills by itself.
          </Step>
        )}
      </ol>
      {done.campaign && <FirstDelivery />}
    </>
  );
}

/** The first message that arrived; nothing until one has. */
function FirstDelivery() {
  const isArrived = ({ source, counts }: Campaign): boolean =>
    source !== 'test' && counts.successful > 0;
  const campaigns = useRead<Listed<Campaign>>('campaigns', {
    query: { limit: 20 },
    everyMs: REFRESH_MS,
    until: ({ items }) => items.some(isArrived),
  });
  const arrived = campaigns.data?.items.find(isArrived);
  if (arrived === undefined) return null;
  return (
    <Callout tone="good">
      <strong>The first message has arrived.</strong>
      <p>
        <Link to="/campaigns/$campaignId" params={{ campaignId: arrived.campaignId }}>
          Read its report
        </Link>
        . On your own machine the sandbox shows it as on the device.
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

/** With what is known already filled in. */
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
