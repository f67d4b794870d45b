import { answerParent } from '../child/answer-parent.ts';
import { runPlan } from './run-plan.ts';

/** The process that applies load: apart, so that what it costs is known and its work delays nobody's clock. */
answerParent(runPlan);
