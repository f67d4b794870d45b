import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * SQL that claims where a user may have several addresses. Which devices a delivery goes to is decided when it is claimed
 * for the first time. To one, or to nobody, or to the address of a test send: then it is claimed itself, as on other
 * channels. To several: then it gets a row for each, claimed from the beginning, whose fence goes on from the delivery's,
 * and from then on these are claimed. A delivery that is begun is claimed with all of its addresses, so a chunk may give
 * a few rows more than $5. Where a device is reached is read now, at every claim: it may have another token since, or
 * another user. What is the same for all rows is read once for each chunk, and of users no more than who asks has to know.
 */
export const CLAIM_ADDRESSES = definePrepared(statement('claim-addresses'));
