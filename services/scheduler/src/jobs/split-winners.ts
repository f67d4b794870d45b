import { decideSplits, type DecidedSplit } from '@tidings/automation-winners/decide-splits';
import type { Logger } from '@tidings/platform';
import type { Job } from '../job.ts';

/** Finds the better branches of splits in automations, when their time has come. */
export const splitWinners = (): Job => ({
  name: 'split-winners',
  intervalMs: 60_000,
  // Automations. Those after one that takes long have their turn in the same pass.
  bound: { itemsPerStep: 20, stepsMax: Infinity },
  replicaMode: 'repeat',
  async run({ db, logger, inSteps }) {
    let after: string | null = null;
    await inSteps(async (limit) => {
      const { last, decided } = await decideSplits(db, { after, limit });
      for (const each of decided) note(logger, each);
      after = last;
      return after !== null;
    });
  },
});

function note(logger: Logger, decided: DecidedSplit): void {
  if ('error' in decided)
    logger.error(
      { automationId: decided.automationId, err: decided.error },
      'the branches of a split were not compared, they are in a minute',
    );
  else logger.info(decided, 'the branches of a split were compared');
}
