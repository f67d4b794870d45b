import { generateKeyPairSync } from 'node:crypto';
import { costFigures } from '../../installation/costs.ts';
import type { Figure, PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import type { DeliveryBench } from '../context.ts';
import { sendCampaign, type SentCampaign } from '../send-campaign.ts';

const CHANNEL = 'EMAIL';
const DOMAIN = 'bench.example';

const rsa = {
  dkimDomain: DOMAIN,
  dkimSelector: 'rsa',
  dkimPrivateKey: pem(generateKeyPairSync('rsa', { modulusLength: 2_048 })),
};
/** Settings of the channel by signature, in the order of a round. */
const SIGNATURES = {
  unsigned: {},
  'signed by RSA-2048': rsa,
  'signed by RSA-2048 and Ed25519': {
    ...rsa,
    dkimEd25519Selector: 'ed',
    dkimEd25519PrivateKey: pem(generateKeyPairSync('ed25519')),
  },
} as const satisfies Readonly<Record<string, object>>;
type Signature = keyof typeof SIGNATURES;
type Round = Readonly<Record<Signature, SentCampaign>>;

/** Mails with and without DKIM signatures, in alternating rounds. */
export async function measureSigning(run: DeliveryBench): Promise<PartReport> {
  const { rounds: count } = run.sizes;
  const recipients = run.sizes.sent[CHANNEL];
  const rounds: Round[] = [];
  try {
    for (let round = 1; round <= count; round += 1) {
      console.error(`  ${recipients} by ${CHANNEL} in each way, ${round} of ${count} …`);
      const sent: Partial<Record<Signature, SentCampaign>> = {};
      for (const signature of Object.keys(SIGNATURES) as Signature[]) {
        await run.configure(CHANNEL, SIGNATURES[signature]);
        sent[signature] = await sendCampaign(run, { channel: CHANNEL, recipients });
      }
      rounds.push(sent as Round);
    }
  } finally {
    await run.configure(CHANNEL);
  }
  return {
    title: `${recipients} deliveries by ${CHANNEL}, with and without DKIM`,
    figures: (Object.keys(SIGNATURES) as Signature[]).flatMap((signature) =>
      listFigures(signature, rounds),
    ),
    data: { rounds },
  };
}

function listFigures(signature: Signature, rounds: readonly Round[]): Figure[] {
  const sent = rounds.map((round) => round[signature]);
  const shares = rounds.map(
    (round) => (round[signature].perSecond / round.unsigned.perSecond) * 100,
  );
  return [
    {
      name: `deliveries, ${signature}`,
      value: median(sent.map(({ perSecond }) => perSecond)),
      unit: 'perSecond',
      ...(signature !== 'unsigned' && { note: `${median(shares).toFixed(0)} % of unsigned` }),
    },
    ...costFigures(
      sent.map(({ costs }) => costs),
      `delivery ${signature}`,
    ),
  ];
}

function pem({ privateKey }: { readonly privateKey: import('node:crypto').KeyObject }): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
