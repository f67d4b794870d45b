import { CONTACT_FIELDS } from '@tidings/contracts';

/** SQL of all that a channel takes the address of the user `u` from. */
export const CONTACTS_OF = `jsonb_strip_nulls(jsonb_build_object(${CONTACT_FIELDS.map((field) => `'${field}', u.fields -> '${field}'`).join(', ')}, 'phoneE164', u.phone_e164))`;
