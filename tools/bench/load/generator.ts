import { answerParent } from '../child/answer-parent.ts';
import { runPlan } from './run-plan.ts';

/**
 * A separate process for the load, so that its cost is known and it does not delay other timers.
 */
answerParent(runPlan);
